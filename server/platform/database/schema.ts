import type { Generated } from 'kysely'
import type { DepositMethod, PayoutWallet } from '#shared/coins.ts'
import type { DepositFlag, FaultKind, UserType, VersionChange } from '#shared/contract/entities.ts'
import type { ProposalContent } from '#shared/contract/proposals.ts'
import type { EvidenceType } from '#shared/evidence.ts'
import type { MoneyNotice, NotificationKind } from '#shared/notifications.ts'
import type { Role } from '#shared/roles.ts'

/**
 * The tables as Kysely sees them; db/migrations/ is what decides. `bigint` columns are PostgreSQL bigints,
 * money in minor units; timestamps are `Date`s. The ledger's tables are readable here and written by
 * server/ledger alone, through the database's functions.
 */
export type Schema = {
  'app.users': {
    id: string
    type: Generated<UserType>
    role: Role | null
    access_ended_at: Date | null
    /** Which person has the account: the first, or the one whom it was given to as the second. */
    holder: Generated<number>
    name: string
    email: string
    phone: string
    country: string
    password_hash: string
    email_verified_at: Date | null
    pending_email: string | null
    referral_code: string
    referrer_id: string | null
    created_at: Generated<Date>
    /** These three together, or none. */
    frozen_at: Date | null
    frozen_by: string | null
    freeze_reason: string | null
  }
  'app.account_notes': { id: string; user_id: string; author_id: string; note: string; created_at: Date }
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
    proven_at: Generated<Date>
    second_factor: Generated<boolean>
  }
  'app.second_factors': {
    user_id: string
    sealed_secret: Buffer
    begun_at: Date
    confirmed_at: Date | null
    last_step: bigint | null
  }
  'app.recovery_codes': {
    user_id: string
    code_hash: Buffer
    sealed_code: Buffer
    used_at: Date | null
  }
  'app.installation': { only_one: Generated<boolean>; mode: 'demo' | 'live'; since: Generated<Date> }
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
  'app.passkey_challenges': {
    challenge_hash: Buffer
    purpose: 'add' | 'login' | 'proof'
    user_id: string | null
    expires_at: Date
  }
  'app.email_codes': {
    user_id: string
    email: string
    code_hash: Buffer
    sent_at: Date
    expires_at: Date
    tries: Generated<number>
  }
  'app.password_resets': {
    token_hash: Buffer
    user_id: string
    created_at: Generated<Date>
    expires_at: Date
    used_at: Date | null
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
    /** What made this version. */
    change: Generated<VersionChange>
    reason: string | null
    created_by: string | null
    created_at: Generated<Date>
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
    declined_at: Date | null
    decline_reason: string | null
    /** Of what was free again: what made good first what networks took back of its owner's deposits. */
    made_good_cents: Generated<bigint>
    close_reason: string | null
    /** Before this moment nothing accrues on it that earnings do not cover, paid or waiting. */
    covered_until: Generated<Date>
  }
  'app.deposits': {
    id: string
    invoice_id: string
    user_id: string
    investment_id: string | null
    amount_cents: bigint
    method: 'bitcoin' | 'usdt' | 'ethereum'
    status: Generated<'pending' | 'paid' | 'unpaid' | 'declined'>
    asset: 'BTC' | 'USDT' | 'ETH'
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
    arrival: 'short' | 'over' | 'late' | null
    received_units: bigint | null
    credited_cents: bigint | null
    /** Of a late one. */
    credited_rate_e8: bigint | null
    credited_rate_source: string | null
    arrived_at: Date | null
    transaction_id: string | null
    looked_at: Date | null
    looked_by: string | null
    seen_units: Generated<bigint>
    open_units: Generated<bigint>
    open_block: number | null
    /** Of a late one, what of it was credited at rates of its arrival; null: all. */
    late_units: bigint | null
    late_cents: bigint | null
    by_hand_units: Generated<bigint>
    by_hand_posting: string | null
    shortfall_cents: Generated<bigint>
    flags: Generated<DepositFlag[]>
    /** What its network has taken back after it was credited, and has not shown again. */
    taken_back_units: Generated<bigint>
    wrong_transfers: Generated<number>
    /** What somebody of the firm has agreed to credit it with, by hand or as its network shows. */
    reviewed_cents: Generated<bigint>
    /** What is open is not assessed by itself before then. */
    assess_after: Date | null
  }
  'app.payment_addresses': {
    account: string
    /** 0 receives payments, 1 takes the change of payouts. */
    branch: 0 | 1
    address_index: number
    method: DepositMethod
    address: string
    user_id: string | null
    deposit_id: string | null
    used_at: Date | null
    created_at: Date
  }
  'app.chain_cursors': {
    method: DepositMethod
    height: number
    hash: string
    tip_height: number
    /** How many a payment needs to count. */
    confirmations: number
    looked_at: Date
    /** When all blocks were last read; null before the first time. */
    read_at: Date | null
    fault: string | null
    fault_since: Date | null
    /** Of what is not done while the fault lasts; says nothing where there is none. */
    fault_kind: Generated<FaultKind>
    /** That could not be credited or taken back at the last look. */
    failed_deposits: Generated<number>
    /** Withdrawals whose payouts could not be assessed at the last look. */
    failed_payouts: Generated<string[]>
    stopped: Generated<boolean>
  }
  /** Of networks that could not be looked at even once. */
  'app.chain_first_faults': { method: DepositMethod; fault: string; fault_since: Date }
  'app.chain_blocks': { method: DepositMethod; height: number; hash: string; time: Date }
  'app.chain_transfers': {
    id: Generated<bigint>
    method: DepositMethod
    transaction_id: string
    position: number
    /** As `addressKey` writes it. */
    address: string
    token: 'BTC' | 'ETH' | 'USDT' | 'USDC'
    units: bigint
    senders: string[]
    seen_at: Date
    /** These three together, or none: in no block. */
    block_height: number | null
    block_hash: string | null
    block_time: Date | null
    gone_at: Date | null
    set_aside: 'dust' | 'wrong_asset' | 'own' | null
    spent_by: string | null
    spent_height: number | null
    /** These six together, or none: not credited. */
    credited_by: string | null
    credited_cents: bigint | null
    exchanged_units: bigint | null
    rate_e8: bigint | null
    rate_source: string | null
    late: boolean | null
    by_hand_units: Generated<bigint>
    /** Whether its address was shown to an investor. */
    receiving: Generated<boolean>
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
    approvals_needed: number
    created_at: Generated<Date>
    approved_at: Date | null
    paid_at: Date | null
    transaction_id: string | null
    decline_reason: string | null
    /** Of what was free again: what made good first what networks took back of its owner's deposits. */
    made_good_cents: Generated<bigint>
    /** What it is paid in its coin: these five together, or none. */
    payout_asset: 'BTC' | 'ETH' | 'USDT' | null
    payout_units: bigint | null
    payout_rate_e8: bigint | null
    payout_rate_at: Date | null
    payout_rate_source: string | null
  }
  'app.payout_batches': {
    id: string
    number: string
    method: DepositMethod
    wallet: PayoutWallet
    asset: 'BTC' | 'ETH' | 'USDT'
    network: string
    status: Generated<'open' | 'seen' | 'paid' | 'cancelled'>
    payer: string | null
    units: bigint
    fee_rate: number | null
    fee_units: bigint | null
    change_address: string | null
    change_units: bigint | null
    file_name: string
    file_type: 'application/octet-stream' | 'application/json'
    file: Buffer
    file_sha256: Buffer
    made_by: string
    created_at: Date
    holder_id: string
    exported_at: Date | null
    seen_at: Date | null
    paid_at: Date | null
    /** These three together, or none. */
    cancelled_at: Date | null
    cancelled_by: string | null
    cancel_reason: string | null
    /** TRON: no transaction of its file is taken into a block after this. */
    expires_at: Date | null
    /** What was known of the network when it was made; these two together, or none (Bitcoin). */
    chain_time: Date | null
    last_transfer: bigint | null
  }
  'app.payout_items': {
    batch_id: string
    position: number
    withdrawal_id: string
    address: string
    units: bigint
    state: Generated<'open' | 'paid' | 'released'>
    transaction_id: string | null
    transfer_position: number | null
    /** The last that was seen for it, also where it was dropped since. */
    seen_transaction: string | null
    /** These five together, or none. */
    fault: 'amount' | 'gone' | 'cancelled' | 'again' | null
    fault_transaction: string | null
    fault_token: string | null
    fault_units: bigint | null
    fault_at: Date | null
    /** Ethereum: which transaction of its payer it is. */
    payer: string | null
    nonce: number | null
    /** Somebody has looked at the fault: these three together, or none. */
    looked_at: Date | null
    looked_by: string | null
    looked_reason: string | null
  }
  'app.payer_nonces': {
    method: DepositMethod
    /** As `addressKey` writes it. */
    address: string
    next_nonce: number
    /** Every one below it is used, as deep as a payment counts. */
    settled_nonce: number
    read_at: Date
  }
  'app.payout_inputs': { batch_id: string; outpoint: string; units: bigint; reserved: Generated<boolean> }
  'app.bitcoin_transactions': { transaction_id: string; raw: Buffer }
  'app.coverage_readings': {
    method: DepositMethod
    token: 'BTC' | 'ETH' | 'USDT' | 'USDC'
    at: Date
    units: bigint
    addresses: number
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
  'app.withdrawal_approvals': {
    withdrawal_id: string
    admin_id: string
    /** Which person had the account. */
    holder: Generated<number>
    created_at: Generated<Date>
  }
  'app.returns': {
    id: string
    amount_cents: bigint
    spent_cents: Generated<bigint>
    source: string
    /** YYYY-MM-DD */
    realised_on: string
    evidence: string
    evidence_kind: 'link' | 'transaction' | 'file'
    evidence_file: string | null
    recorded_by: string
    created_at: Generated<Date>
  }
  'app.evidence_files': {
    id: string
    name: string
    type: EvidenceType
    content: Buffer
    sha256: Buffer
    uploaded_by: string
    created_at: Date
  }
  'app.earnings': {
    id: string
    user_id: string
    investment_id: string
    amount_cents: bigint
    note: string | null
    status: 'pending' | 'paid' | 'declined'
    created_by: string
    approved_by: string | null
    created_at: Generated<Date>
    paid_at: Date | null
    decline_reason: string | null
    /** Of what was free again: what made good first what networks took back of its owner's deposits. */
    made_good_cents: Generated<bigint>
  }
  'app.earning_sources': { earning_id: string; return_id: string; amount_cents: bigint }
  'app.notifications': {
    id: string
    user_id: string
    kind: NotificationKind
    subject_id: string
    created_at: Date
    read_at: Date | null
  }
  'app.muted_letters': { user_id: string; kind: MoneyNotice }
  'app.contact_messages': {
    id: string
    name: string
    email: string
    subject: string
    message: string
    created_at: Generated<Date>
    answered_at: Date | null
    answered_by: string | null
  }
  'app.contact_entries': {
    id: string
    message_id: string
    kind: 'reply' | 'note' | 'reopened'
    text: string
    created_by: string
    created_at: Date
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
  'app.price_history': { symbol: string; source: string; usd_e8: bigint; sample: boolean; at: Date }
  'app.price_readings': { symbol: string; source: string; usd_e8: bigint; sample: boolean; at: Date }
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
  'app.firm_profiles': {
    mode: 'demo' | 'live'
    version: number
    profile: Record<string, unknown>
    reason: string | null
    created_by: string | null
    created_at: Generated<Date>
  }
  'app.statistics': {
    id: string
    statistic_id: string
    version: Generated<number>
    current: Generated<boolean>
    change: Generated<VersionChange>
    mode: 'demo' | 'live'
    position: number
    label: string
    value: string
    kind: 'claim' | 'sample'
    source: string
    evidence: string | null
    /** YYYY-MM-DD */
    as_of: string
    reason: string | null
    created_by: string | null
    created_at: Generated<Date>
  }
  'app.staff_invitations': {
    id: string
    token_hash: Buffer
    name: string
    email: string
    role: Role
    invited_by: string | null
    created_at: Date
    expires_at: Date
    accepted_at: Date | null
    withdrawn_at: Date | null
  }
  'app.proposals': {
    id: string
    kind: ProposalContent['kind']
    user_id: string | null
    /** As the kind says (features/accounts/proposals.ts). */
    content: Record<string, unknown>
    reason: string
    status: Generated<'pending' | 'approved' | 'rejected' | 'withdrawn' | 'expired'>
    proposed_by: string
    created_at: Date
    decided_by: string | null
    decided_at: Date | null
    decision_reason: string | null
  }
  'app.setting_versions': {
    version: Generated<number>
    large_withdrawal_cents: bigint
    earnings_second_approval: boolean
    proposal_id: string
    created_at: Date
  }
  'app.mailbox': {
    id: string
    recipient: string
    subject: string
    text: string
    html: string
    created_at: Generated<Date>
  }
}
