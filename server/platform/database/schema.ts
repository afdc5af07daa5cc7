import type { Generated } from 'kysely'
import type { AlertKind } from '#shared/alerts.ts'
import type { BatchWallet } from '#shared/batch-coins.ts'
import type { DepositFlag, Deviation } from '#shared/contract/entities.ts'
import type { MoneyNotice, NotificationKind } from '#shared/notifications.ts'

/**
 * The tables and views as Kysely sees them, made from the database by `npm run db:types`: db/migrations/ decides, and says what the columns
 * mean. `bigint` columns are PostgreSQL bigints, money in minor units; a `date` is a string.
 */
export type Schema = {
  'app.account_notes': {
    id: string
    user_id: string
    author_id: string
    note: string
    created_at: Date
  }
  'app.announcement_reads': {
    announcement_id: string
    user_id: string
    read_at: Date
  }
  'app.announcements': {
    id: string
    title: string
    text: string
    shown_from: string
    shown_until: string
    created_by: string
    created_at: Date
    withdrawn_at: Date | null
    withdrawn_by: string | null
  }
  'app.api_keys': {
    id: string
    name: string
    rights: string[]
    addresses: string[]
    expires_on: string
    proposal_id: string
    proposed_by: string
    approved_at: Date
    created_at: Date | null
    beginning: string | null
    hash: Buffer | null
    last_used_at: Date | null
    last_used_ip: string | null
    last_refused_at: Date | null
    last_refused_ip: string | null
    revoked_at: Date | null
    revoked_by: string | null
  }
  'app.approval_hours': {
    admin_id: string
    holder: number
    hour: Date
    alone_cents: bigint
  }
  'app.audit_log': {
    id: Generated<bigint>
    at: Generated<Date>
    actor_id: string | null
    action: string
    subject_kind: string | null
    subject_id: string | null
    reason: string | null
    ip: string | null
    request_id: string | null
    details: Generated<Record<string, unknown>>
  }
  'app.bitcoin_transactions': {
    transaction_id: string
    raw: Buffer
  }
  'app.brand_logos': {
    sha256: Buffer
    content: Buffer
    width: number
    height: number
    uploaded_by: string
    uploaded_at: Date
  }
  'app.brand_versions': {
    version: Generated<number>
    look: Record<string, unknown>
    proposal_id: string
    created_at: Date
  }
  'app.canned_answers': {
    id: string
    title: string
    text: string
    version: number
    changed_by: string
    changed_at: Date
  }
  'app.carers': {
    id: string | null
  }
  'app.chain_blocks': {
    rail: string
    height: number
    hash: string
    time: Date
  }
  'app.chain_cursors': {
    rail: 'bitcoin' | 'usdt' | 'ethereum'
    synced_height: number
    synced_hash: string
    tip_height: number
    confirmations: number
    balances_height: Generated<number>
    polled_at: Date
    synced_at: Date | null
    caught_up_by: Date | null
    sync_error: string | null
    sync_error_since: Date | null
    sync_error_kind: Generated<'reading' | 'unconfirmed' | 'crediting' | 'payouts'>
    failed_deposits: Generated<number>
    failed_payouts: Generated<string[]>
    halted: Generated<boolean>
  }
  'app.chain_spends': {
    rail: 'bitcoin' | 'usdt' | 'ethereum'
    slot: string
    transaction_id: string
    sender: string | null
    safe_tx_hash: string | null
    seen_at: Date
    block_height: number | null
    dropped_at: Date | null
    told_at: Date | null
    reviewed_at: Date | null
    reviewed_by: string | null
    review_note: string | null
    confirmed_at: Date | null
    confirmed_by: string | null
  }
  'app.chain_start_errors': {
    rail: 'bitcoin' | 'usdt' | 'ethereum'
    error: string
    error_since: Date
  }
  'app.chain_transfers': {
    id: Generated<bigint>
    rail: 'bitcoin' | 'usdt' | 'ethereum'
    transaction_id: string
    position: number
    address: string
    receiving: Generated<boolean>
    own: Generated<boolean>
    token: 'BTC' | 'ETH' | 'USDT' | 'USDC' | 'TRX'
    units: bigint
    senders: string[]
    by_contract: Generated<boolean>
    seen_at: Date
    agreed_hash: string | null
    block_height: number | null
    block_hash: string | null
    block_time: Date | null
    spent_height: number | null
    dropped_at: Date | null
    ignored_reason: 'dust' | 'wrong_asset' | 'internal' | null
    credited_units: Generated<bigint>
  }
  'app.contact_attachments': {
    file_id: string
    message_id: string
    entry_id: string | null
  }
  'app.contact_entries': {
    id: string
    message_id: string
    kind: 'message' | 'reply' | 'note' | 'comment' | 'reopened' | 'closed'
    text: string
    created_by: string | null
    created_at: Date
  }
  'app.contact_files': {
    id: string
    name: string
    type: 'application/pdf' | 'image/png' | 'image/jpeg'
    content: Buffer
    sha256: Buffer
    uploaded_by: string
    created_at: Date
  }
  'app.contact_messages': {
    id: string
    name: string
    email: string
    subject: string
    message: string
    language: Generated<'en' | 'de' | 'es' | 'ar'>
    created_at: Generated<Date>
    answered_at: Date | null
    answered_by: string | null
    user_id: string | null
    about_kind: 'deposit' | 'investment' | 'withdrawal' | 'earning' | null
    about_id: string | null
    written_at: Date | null
    replied_at: Date | null
    read_at: Date | null
    closed_at: Date | null
    assigned_to: string | null
  }
  'app.coverage_readings': {
    rail: 'bitcoin' | 'usdt' | 'ethereum'
    token: 'BTC' | 'ETH' | 'USDT' | 'USDC' | 'TRX'
    at: Date
    units: bigint
    addresses: number
  }
  'app.credit_matches': {
    transfer_id: bigint
    credit_id: bigint
    units: bigint
  }
  'app.current_matches': {
    id: string | null
    user_id: string | null
    user_name: string | null
    list: string | null
    entry: string | null
    listed_name: string | null
    score: number | null
    found_by: number | null
    found_at: Date | null
    decided_at: Date | null
    decided_by: string | null
    decision: string | null
    reason: string | null
  }
  'app.deciders': {
    id: string | null
    holder: number | null
  }
  'app.deposit_amounts': {
    deposit_id: string
    received_units: bigint | null
    credited_cents: bigint | null
    late_units: bigint | null
    late_cents: bigint | null
    arrived_at: Date | null
    credited_rate_e8: bigint | null
    credited_rate_source: string | null
    transaction_id: string | null
    deviation: Deviation | null
    seen_units: bigint
    uncredited_units: bigint
    uncredited_block: number | null
    wrong_asset_transfers: number
    has_dropped: boolean
    has_own_address: boolean
  }
  'app.deposit_credits': {
    id: Generated<bigint>
    deposit_id: string
    transfer_id: bigint | null
    entered_by: string | null
    transaction_id: string | null
    units: bigint
    exchanged_units: bigint
    cents: bigint
    rate_e8: bigint
    rate_at: Date
    rate_source: string
    late_at: Date | null
    credited_at: Generated<Date>
    checked: Generated<boolean>
    posting: string
    reversed_by: string | null
  }
  'app.deposits': {
    id: string
    invoice_id: string
    user_id: string
    investment_id: string | null
    amount_cents: bigint
    method: 'bitcoin' | 'usdt' | 'ethereum' | 'usdt-erc20' | 'usdc-erc20'
    status: Generated<'pending' | 'paid' | 'unpaid' | 'declined'>
    asset: 'BTC' | 'USDT' | 'ETH' | 'USDC'
    network: string
    address: string
    crypto_units: bigint
    rate_e8: bigint
    rate_at: Date
    rate_source: string
    payment_uri: string
    expires_at: Date
    watch_until: Date
    created_at: Generated<Date>
    settled_at: Date | null
    decline_reason: string | null
    cancelled_by: string | null
    assess_after: Date | null
    reversed_units: Generated<bigint>
    debt_cents: Generated<bigint>
    flags: Generated<DepositFlag[]>
    needs_review: Generated<boolean>
    reviewed_cents: Generated<bigint>
  }
  'app.earning_run_shares': {
    run_id: string
    investment_id: string
    amount_cents: bigint
  }
  'app.earning_run_skips': {
    run_id: string
    investment_id: string
    reason: 'closed' | 'frozen' | 'already_added'
  }
  'app.earning_runs': {
    id: string
    plan_id: string
    as_of: Date
    digest: string
    investments: number
    total_cents: bigint
    note: string | null
    needs_approval: boolean
    status: Generated<'running' | 'done' | 'cancelled' | 'stopped'>
    created_by: string
    created_at: Date
    request_id: string | null
    decided_to: string | null
    added: Generated<number>
    added_cents: Generated<bigint>
    skipped: Generated<number>
    skipped_cents: Generated<bigint>
    cancelled_by: string | null
    stop_reason: 'insufficient_returns' | 'access_ended' | null
    ended_at: Date | null
  }
  'app.earning_sources': {
    earning_id: string
    return_id: string
    amount_cents: bigint
  }
  'app.earnings': {
    id: string
    user_id: string
    investment_id: string
    amount_cents: bigint
    beyond_accrued_cents: Generated<bigint>
    note: string | null
    status: 'pending' | 'paid' | 'declined'
    created_by: string
    approved_by: string | null
    created_at: Generated<Date>
    paid_at: Date | null
    decline_reason: string | null
    recovered_cents: Generated<bigint>
  }
  'app.email_codes': {
    user_id: string
    email: string
    code_hash: Buffer
    sent_at: Date
    expires_at: Date
    owner_tries: Generated<number>
    other_tries: Generated<number>
  }
  'app.ending_alerts': {
    user_id: string
    days: number
  }
  'app.ether_balances': {
    address: string
    height: number
    units: bigint
  }
  'app.ether_sent': {
    transaction_id: string
    address: string
    units: bigint
    fee_wei: string
    height: number
  }
  'app.evidence_files': {
    id: string
    name: string
    type: 'application/pdf' | 'image/png'
    content: Buffer
    sha256: Buffer
    uploaded_by: string
    created_at: Date
  }
  'app.fee_estimates': {
    rail: 'bitcoin' | 'usdt' | 'ethereum'
    price: bigint
    tip: bigint | null
    at: Date
  }
  'app.firm_profiles': {
    mode: 'demo' | 'live'
    version: number
    profile: Record<string, unknown>
    reason: string | null
    created_by: string | null
    created_at: Generated<Date>
  }
  'app.former_proof_seals': {
    user_id: string | null
    purpose: string | null
    since_epoch: bigint | null
    sealed: Buffer
    replaced_at: Generated<Date>
  }
  'app.goals': {
    id: string
    user_id: string
    name: string
    amount_cents: bigint
    day: string | null
    created_at: Date
    reached_at: Date | null
    removed_at: Date | null
  }
  'app.holding_readings': {
    rail: 'usdt' | 'ethereum'
    asked_at: Date
    read_at: Date | null
    height: number | null
    payout_units: bigint | null
    failure: string | null
  }
  'app.holdings': {
    rail: 'usdt' | 'ethereum'
    address: string
    token: 'ETH' | 'USDT' | 'USDC' | 'TRX'
    units: bigint
    gas: bigint | null
    next_nonce: number | null
  }
  'app.identity_checks': {
    id: string
    user_id: string
    session_id: string | null
    kind: 'identity' | 'funds'
    user_name: string
    sealed_answers: Buffer | null
    submitted_at: Date
    decided_at: Date | null
    decided_by: string | null
    decision: 'verified' | 'returned' | 'refused' | 'cancelled' | null
    reason: string | null
    expires_on: string | null
    reminded_at: Date | null
    ended_at: Date | null
    erased_at: Date | null
  }
  'app.identity_files': {
    id: string
    user_id: string
    check_id: string | null
    kind: 'front' | 'back' | 'selfie' | 'funds'
    type: 'application/pdf' | 'image/png' | 'image/jpeg'
    size: number
    sealed_content: Buffer | null
    uploaded_at: Date
  }
  'app.identity_reviewers': {
    id: string | null
  }
  'app.identity_sessions': {
    id: string
    user_id: string
    provider: string
    requested_at: Date
    provider_id: string | null
    sealed_url: Buffer | null
    asked_at: Date | null
    ended_at: Date | null
    outcome: 'approved' | 'declined' | 'resubmit' | 'expired' | 'unusable' | 'cancelled' | null
  }
  'app.installation': {
    only_one: Generated<boolean>
    id: Generated<string>
    mode: 'demo' | 'live'
    since: Generated<Date>
  }
  'app.investments': {
    id: string
    invoice_id: string
    user_id: string
    plan_version_id: string
    amount_cents: bigint
    method: 'bitcoin' | 'usdt' | 'balance'
    status: Generated<'pending' | 'active' | 'inactive' | 'declined'>
    hold_id: string | null
    created_at: Generated<Date>
    approved_at: Date | null
    ending_at: Date | null
    closed_at: Date | null
    close_reason: string | null
    declined_at: Date | null
    decline_reason: string | null
    cancelled_by: string | null
    recovered_cents: Generated<bigint>
    covered_until: Generated<Date>
    maturity_notified_at: Date | null
    reinvestment:
      | 'requested'
      | 'done'
      | 'early'
      | 'debt'
      | 'plan_changed'
      | 'identity_refused'
      | 'email_not_verified'
      | 'terms_not_accepted'
      | null
    reinvested_as: string | null
  }
  'app.list_entries': {
    list: string
    entry: string
    kind: 'person' | 'organisation' | 'vessel' | 'aircraft'
    names: string[]
    weak: string[]
    births: string[]
    countries: string[]
    programmes: string[]
    added_by: number
    removed_by: number | null
  }
  'app.list_fetches': {
    id: string
    list: 'ofac_sdn' | 'un_sc' | 'eu_fsf' | 'pep'
    checked_at: Date | null
    failing_since: Date | null
    failure: string | null
    refused_at: Date | null
    source: Buffer | null
    etag: string | null
    last_modified: string | null
  }
  'app.list_imports': {
    id: Generated<number>
    list: 'ofac_sdn' | 'un_sc' | 'eu_fsf' | 'pep'
    published_on: string
    sha256: Buffer
    entries: number
    wallets: number
    imported_at: Date
  }
  'app.machines': {
    machine: string
    beat: number
    at: Generated<Date>
  }
  'app.mailbox': {
    id: string
    recipient: string
    subject: string
    text: string
    html: string
    created_at: Generated<Date>
  }
  'app.monitoring_cases': {
    id: string
    user_id: string
    rule: 'turnover' | 'structuring' | 'passing' | 'dormant'
    kind: 'deposit' | 'withdrawal'
    cents: bigint
    movements: number
    first_at: Date
    last_at: Date
    limit_cents: bigint
    found_at: Date
    decided_at: Date | null
    decided_by: string | null
    decision: 'explained' | 'reported' | null
    reason: string | null
    through: Date | null
  }
  'app.monitoring_progress': {
    only_one: Generated<boolean>
    through: Date
    settings: number
    failing_since: Date | null
  }
  'app.muted_emails': {
    user_id: string
    kind: MoneyNotice
  }
  'app.name_matches': {
    id: string
    user_id: string
    user_name: string
    list: string
    entry: string
    listed_name: string
    score: number
    found_by: number
    found_at: Date
    decided_at: Date | null
    decided_by: string | null
    decision: 'different' | 'same' | null
    reason: string | null
  }
  'app.name_screenings': {
    user_id: string
    through: Generated<number>
    pep_through: Generated<number>
    since: Generated<Date>
  }
  'app.notifications': {
    id: string
    user_id: string
    kind: NotificationKind
    subject_id: string
    created_at: Date
    read_at: Date | null
  }
  'app.outside_movements': {
    id: string | null
    user_id: string | null
    kind: string | null
    record_id: string | null
    at: Date | null
    cents: bigint | null
  }
  'app.passkey_challenges': {
    challenge_hash: Buffer
    purpose: 'add' | 'login' | 'proof'
    user_id: string | null
    expires_at: Date
  }
  'app.passkeys': {
    id: string
    user_id: string
    credential_id: Buffer
    public_key: Buffer
    counter: bigint
    transports: string[]
    name: string
    created_at: Date
    last_used_at: Date | null
    refused_at: Date | null
  }
  'app.password_resets': {
    token_hash: Buffer
    user_id: string
    created_at: Generated<Date>
    expires_at: Date
    used_at: Date | null
  }
  'app.payment_addresses': {
    account: string
    branch: 0 | 1
    address_index: number
    rail: 'bitcoin' | 'usdt' | 'ethereum'
    address: string
    user_id: string | null
    deposit_id: string | null
    used_at: Date | null
    balance_height: number | null
    created_at: Date
  }
  'app.payout_addresses': {
    id: string
    user_id: string
    wallet: string
    address: string
    label: string | null
    created_at: Date
    usable_from: Date | null
    first_used_at: Date | null
    removed_at: Date | null
  }
  'app.payout_batches': {
    id: string
    number: string
    purpose: Generated<'payout' | 'sweep'>
    rail: 'bitcoin' | 'usdt' | 'ethereum'
    wallet: BatchWallet
    asset: 'BTC' | 'ETH' | 'USDT' | 'USDC'
    network: string
    status: Generated<'drafted' | 'signed' | 'broadcast' | 'final' | 'void'>
    sender: string | null
    by_safe: Generated<boolean>
    units: bigint
    created_by: string
    created_at: Date
    ended_at: Date | null
    cancelled_at: Date | null
    cancelled_by: string | null
    cancel_reason: string | null
  }
  'app.payout_drafts': {
    batch_id: string
    payment: number
    version: number
    plan: Buffer
    slots: string[]
    planned_id: string | null
    collected: Buffer | null
    signatures: number | null
    signatures_needed: number | null
    signed: Buffer | null
    transaction_id: string | null
    signed_at: Date | null
    signed_by: string | null
    broadcast_at: Date | null
    refused: string | null
  }
  'app.payout_files': {
    batch_id: string
    version: number
    purpose: 'payment' | 'higher_fee' | 'cancellation'
    name: string
    type: 'application/octet-stream' | 'application/json'
    content: Buffer
    sha256: Buffer
    fee_rate: number | null
    fee_units: bigint | null
    change_address: string | null
    change_units: bigint | null
    created_by: string
    created_at: Date
    exported_at: Date | null
  }
  'app.payout_items': {
    batch_id: string
    position: number
    payment: number
    kind: Generated<'withdrawal' | 'sweep' | 'top_up'>
    withdrawal_id: string | null
    address: string
    token: 'BTC' | 'ETH' | 'USDT' | 'USDC' | 'TRX'
    units: bigint
    state: Generated<'open' | 'paid' | 'released'>
    transaction_id: string | null
    alert: 'otherwise' | 'dropped' | null
    alert_transaction: string | null
    alert_units: bigint | null
    alert_at: Date | null
    reviewed_at: Date | null
    reviewed_by: string | null
    review_note: string | null
  }
  'app.payout_payments': {
    batch_id: string
    position: number
    status: Generated<'drafted' | 'signed' | 'broadcast' | 'final' | 'void'>
    sender: string | null
    expires_at: Date | null
    used_by: string | null
  }
  'app.payout_slots': {
    batch_id: string
    payment: number
    slot: string
    version: number
    units: bigint | null
    held: Generated<boolean>
  }
  'app.plan_versions': {
    id: string
    plan_id: string
    version: number
    current: boolean
    position: number
    name: string
    percentage_bp: number
    minimum_cents: bigint
    maximum_cents: bigint | null
    duration: string
    duration_days: number
    note: string | null
    change: Generated<'created' | 'changed' | 'retired' | 'restored'>
    reason: string | null
    created_by: string | null
    created_at: Generated<Date>
  }
  'app.policies': {
    id: string
    kind: 'terms' | 'privacy' | 'risk' | 'cookies' | 'complaints'
    version: number
    text: string
    changes: string | null
    in_force_from: string
    proposal_id: string
    created_at: Date
  }
  'app.policies_told': {
    policy_id: string
    told_at: Date
  }
  'app.policy_translations': {
    id: string
    policy_id: string
    language: 'de' | 'es' | 'ar'
    text: string | null
    changes: string | null
    proposal_id: string
    created_at: Date
  }
  'app.price_history': {
    symbol: string
    source: string
    usd_e8: bigint
    sample: boolean
    at: Date
  }
  'app.price_readings': {
    symbol: string
    source: string
    usd_e8: bigint
    sample: boolean
    at: Date
  }
  'app.price_sources': {
    source: string
    asked_at: Date
    answered_at: Date | null
    failures: Generated<number>
    rest_until: Date | null
    fault: string | null
    fault_at: Date | null
    rejected: Generated<string[]>
  }
  'app.proof_copies': {
    place: string
    epoch: bigint
    copied_at: Date
  }
  'app.proof_keys': {
    purpose: 'log' | 'receipts'
    name: string
    public_key: Buffer
    sealed_seed: Buffer | null
    since_epoch: bigint
    made_on: string
    reason: 'planned' | 'lost' | 'stolen' | null
    statement: string | null
  }
  'app.proof_problems': {
    part: 'writing' | 'signing' | 'bucket' | 'stamps'
    problem: string
    since: Date
  }
  'app.proof_secrets': {
    user_id: string
    number: Generated<bigint>
    sealed_secret: Buffer | null
    erased_at: Date | null
  }
  'app.proposals': {
    id: string
    kind:
      | 'settings'
      | 'second_factors'
      | 'invitation'
      | 'role'
      | 'policy'
      | 'policy_translation'
      | 'api_key'
      | 'webhook'
      | 'brand'
    user_id: string | null
    content: Record<string, unknown>
    reason: string
    status: Generated<'pending' | 'approved' | 'rejected' | 'withdrawn' | 'expired'>
    proposed_by: string
    created_at: Date
    decided_by: string | null
    decided_at: Date | null
    decision_reason: string | null
  }
  'app.push_devices': {
    id: string
    user_id: string
    session_id: string
    device_hash: Buffer | null
    user_agent: string | null
    endpoint_hash: Buffer
    sealed: Buffer
    queued: Generated<string[]>
    created_at: Date
  }
  'app.rate_limits': {
    key: string
    points: Generated<number>
    expire: number | null
  }
  'app.received_replies': {
    hash: Buffer
    message_id: string
    entry_id: string | null
    received_at: Date
  }
  'app.receiving_accounts': {
    account: string
    rail: 'bitcoin' | 'usdt' | 'ethereum'
    server: string
    stopped_at: Date | null
    stopped_because: 'mark' | 'server' | 'chain' | null
    known_index: number | null
    told_at: Date | null
  }
  'app.recovery_codes': {
    user_id: string
    code_hash: Buffer
    sealed_code: Buffer
    used_at: Date | null
  }
  'app.reply_mailbox': {
    only_one: Generated<boolean>
    read_at: Date
  }
  'app.reserve_addresses': {
    proof: string
    rail: 'bitcoin' | 'ethereum' | 'usdt'
    address: string
  }
  'app.reserve_documents': {
    id: string
    title: string
    amount_cents: bigint
    as_of: string
    sha256: Buffer
    source: string
    stated_by: string
    stated_at: Date
    confirmed_by: string | null
    confirmed_at: Date | null
    withdrawn_by: string | null
    withdrawn_at: Date | null
  }
  'app.reserve_holdings': {
    proof: string
    address: string
    token: 'BTC' | 'ETH' | 'USDT' | 'USDC'
    units: bigint
    height: number
    is_contract: boolean
  }
  'app.reserve_proofs': {
    id: string
    asked_by: string
    asked_at: Date
    epoch: bigint | null
    message: string | null
    psbt: Buffer | null
    failure: string | null
    published_by: string | null
    published_at: Date | null
    reserves: Buffer | null
    prices: Buffer | null
    cents: bigint | null
    sealed_epoch: bigint | null
  }
  'app.reserve_signatures': {
    proof: string
    address: string
    signature: string
    added_by: string
    added_at: Date
  }
  'app.restores': {
    id: string
    found_at: Date
    machine: string
    number: bigint
    number_lost: bigint
    finished_at: Date | null
    resolved_at: Date | null
    resolution: string | null
  }
  'app.returns': {
    id: string
    amount_cents: bigint
    spent_cents: Generated<bigint>
    status: 'pending' | 'recorded' | 'declined' | 'void_proposed' | 'voided'
    alone_limit_cents: bigint
    source: string
    realised_on: string
    evidence: string
    evidence_kind: 'link' | 'transaction' | 'file'
    evidence_file: string | null
    recorded_by: string
    created_at: Generated<Date>
    approved_by: string | null
    decline_reason: string | null
    void_reason: string | null
    void_proposed_by: string | null
    voided_by: string | null
  }
  'app.sanctioned_wallets': {
    list: string
    address: string
    published: string
    entry: string
    name: string
    added_by: number
    removed_by: number | null
  }
  'app.saved_filters': {
    id: string
    user_id: string
    list: 'users' | 'deposits' | 'withdrawals' | 'investments' | 'earnings'
    name: string
    values: Record<string, unknown>
  }
  'app.second_factors': {
    user_id: string
    sealed_secret: Buffer
    started_at: Date
    confirmed_at: Date | null
    last_used_step: bigint | null
  }
  'app.sender_nonces': {
    rail: 'bitcoin' | 'usdt' | 'ethereum'
    address: string
    next_nonce: number
    safe_version: '1.3.0' | '1.4.1' | null
    synced_at: Date
  }
  'app.sessions': {
    id: string
    user_id: string
    refresh_hash: Buffer
    created_at: Generated<Date>
    last_used_at: Generated<Date>
    expires_at: Date
    revoked_at: Date | null
    ip: string | null
    user_agent: string | null
    device_hash: Buffer | null
    reauthenticated_at: Generated<Date>
    second_factor: Generated<boolean>
  }
  'app.setting_versions': {
    version: Generated<number>
    large_withdrawal_cents: bigint
    minimum_withdrawal_cents: Generated<bigint>
    address_wait_hours: Generated<number>
    payment_window_minutes: Generated<number>
    large_return_cents: bigint
    turnover_limit_cents: Generated<bigint>
    reporting_limit_cents: Generated<bigint>
    dormant_limit_cents: Generated<bigint>
    identity_limit_cents: bigint | null
    funds_limit_cents: bigint | null
    document_years: Generated<number>
    earnings_second_approval: boolean
    registration_open: Generated<boolean>
    deposits_open: Generated<boolean>
    proposal_id: string
    created_at: Date
  }
  'app.staff_alert_choices': {
    user_id: string
    kind: AlertKind
    bell: boolean
    email: boolean
    only_assigned: Generated<boolean>
  }
  'app.staff_alert_mails': {
    user_id: string
    mailed_at: Date
    newest_alert: string
  }
  'app.staff_alert_reads': {
    alert_id: string
    user_id: string
    read_at: Date
  }
  'app.staff_alerts': {
    id: string
    kind: AlertKind
    subject_id: string | null
    since: Date
    author_id: string | null
    created_at: Date
    closed_at: Date | null
  }
  'app.staff_invitations': {
    id: string
    token_hash: Buffer
    name: string
    email: string
    role: 'admin' | 'finance' | 'support' | 'compliance' | 'auditor'
    invited_by: string | null
    created_at: Date
    expires_at: Date
    accepted_at: Date | null
    withdrawn_at: Date | null
  }
  'app.statistics': {
    id: string
    statistic_id: string
    version: Generated<number>
    current: Generated<boolean>
    change: Generated<'created' | 'changed' | 'retired' | 'restored'>
    mode: 'demo' | 'live'
    position: number
    label: string
    value: string
    kind: 'claim' | 'sample'
    source: string
    evidence: string | null
    as_of: string
    reason: string | null
    created_by: string | null
    created_at: Generated<Date>
  }
  'app.stopping_matches': {
    id: string | null
    user_id: string | null
    user_name: string | null
    list: string | null
    entry: string | null
    listed_name: string | null
    score: number | null
    found_by: number | null
    found_at: Date | null
    decided_at: Date | null
    decided_by: string | null
    decision: string | null
    reason: string | null
  }
  'app.term_acceptances': {
    user_id: string
    kind: Generated<string>
    version: number
    translation_id: string | null
    accepted_at: Date
  }
  'app.uncompared_names': {
    user_id: string | null
    since: Date | null
  }
  'app.users': {
    id: string
    type: Generated<'investor' | 'admin'>
    role: 'admin' | 'finance' | 'support' | 'compliance' | 'auditor' | null
    access_ended_at: Date | null
    holder: Generated<number>
    name: string
    email: string
    phone: string
    country: string
    language: Generated<'en' | 'de' | 'es' | 'ar'>
    password_hash: string
    email_verified_at: Date | null
    pending_email: string | null
    referral_code: string
    referrer_id: string | null
    created_at: Generated<Date>
    frozen_at: Date | null
    frozen_by: string | null
    freeze_reason: string | null
    closed_at: Date | null
    stated_age: number | null
  }
  'app.valid_checks': {
    user_id: string | null
    kind: string | null
    expires_on: string | null
  }
  'app.webhook_deliveries': {
    id: string
    webhook_id: string
    event: string
    subject_id: string | null
    happened_at: Date
    status: Generated<'pending' | 'delivered' | 'failed'>
    body: string | null
    attempts: Generated<number>
    attempted_at: Date | null
    took_ms: number | null
    response_status: number | null
    response: string | null
  }
  'app.webhooks': {
    id: string
    name: string
    url: string
    events: string[]
    proposal_id: string
    proposed_by: string
    approved_at: Date
    secret: Buffer | null
    former_secret: Buffer | null
    former_until: Date | null
    sending_until: Date | null
    failures: Generated<number>
    failing_since: Date | null
    next_attempt_at: Date | null
    stopped_at: Date | null
    removed_at: Date | null
    removed_by: string | null
  }
  'app.withdrawal_approvals': {
    withdrawal_id: string
    admin_id: string
    holder: Generated<number>
    created_at: Generated<Date>
    alone_cents: Generated<bigint>
  }
  'app.withdrawals': {
    id: string
    invoice_id: string
    user_id: string
    amount_cents: bigint
    wallet: string
    address: string
    status: Generated<'pending' | 'approved' | 'paid' | 'declined'>
    hold_id: string
    single_approval_cents: bigint
    approvals_needed: number
    second_approval: 'investor_day' | 'approver_day' | null
    created_at: Generated<Date>
    approved_at: Date | null
    paid_at: Date | null
    paid_by: string | null
    transaction_id: string | null
    decline_reason: string | null
    cancelled_by: string | null
    recovered_cents: Generated<bigint>
    payout_asset: 'BTC' | 'ETH' | 'USDT' | null
    payout_units: bigint | null
    payout_rate_e8: bigint | null
    payout_rate_at: Date | null
    payout_rate_source: string | null
  }
  'app.witness_policy': {
    one: Generated<boolean>
    policy: string
  }
  'app.witnesses': {
    vkey: string
    size: bigint
    asked_at: Date
    state: 'cosigned' | 'unreachable' | 'refused' | 'forked'
    problem: string | null
  }
}
