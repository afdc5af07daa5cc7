import { t } from '#shared/i18n/t.ts'

/** What names people or their records and is not in an archive, with the reason in the words of its README. */
export const leftOut: readonly { why: () => string; tables: readonly string[] }[] = [
  {
    why: () =>
      t(
        'Passwords, codes, keys and links that open your account or your lines in our public proof. We keep them as hashes or sealed. Your own proof secret is on the page Proof of your dashboard.',
      ),
    tables: [
      'app.email_codes',
      'app.former_proof_seals',
      'app.passkey_challenges',
      'app.password_resets',
      'app.proof_secrets',
    ],
  },
  {
    why: () =>
      t(
        'What our staff write to each other and how they decide: notes, assignments, approvals, comparisons with sanctions lists, cases of movements, proposals and prepared answers.',
      ),
    tables: [
      'app.account_notes',
      'app.approval_hours',
      'app.canned_answers',
      'app.monitoring_cases',
      'app.name_matches',
      'app.name_screenings',
      'app.proposals',
      'app.withdrawal_approvals',
    ],
  },
  {
    why: () =>
      t(
        'How the firm works: its plans before and after yours, returns and their files, runs of earnings, files that move coins, proofs, figures, settings, look, staff and the sanctions lists that it imports. What of it concerns you is in your own records.',
      ),
    tables: [
      'app.announcements',
      'app.api_keys',
      'app.brand_logos',
      'app.brand_versions',
      'app.chain_spends',
      'app.earning_run_shares',
      'app.earning_run_skips',
      'app.earning_runs',
      'app.evidence_files',
      'app.firm_profiles',
      'app.list_fetches',
      'app.payout_batches',
      'app.payout_drafts',
      'app.payout_files',
      'app.payout_items',
      'app.payout_payments',
      'app.payout_slots',
      'app.policies',
      'app.policy_translations',
      'app.policies_told',
      'app.reserve_addresses',
      'app.reserve_documents',
      'app.reserve_holdings',
      'app.reserve_proofs',
      'app.reserve_signatures',
      'app.returns',
      'app.sanctioned_wallets',
      'app.list_entries',
      'app.list_imports',
      'app.saved_filters',
      'app.setting_versions',
      'app.staff_alert_choices',
      'app.staff_alert_mails',
      'app.staff_alert_reads',
      'app.staff_alerts',
      'app.staff_invitations',
      'app.statistics',
      'app.webhook_deliveries',
      'app.webhooks',
    ],
  },
  {
    why: () =>
      t(
        'What our programs need to work, such as which requests were already answered. It repeats what is in the archive.',
      ),
    tables: [
      'app.chain_cursors',
      'app.identity_sessions',
      'app.installation',
      'app.machines',
      'app.migrations',
      'app.monitoring_progress',
      'app.proof_keys',
      'app.received_replies',
      'app.reply_mailbox',
      'app.restores',
      'ledger.cosignatures',
      'ledger.earnings_due',
      'ledger.epoch_files',
      'ledger.epoch_parts',
      'ledger.holds',
      'ledger.idempotency_keys',
      'ledger.log',
      'ledger.seal_batches',
    ],
  },
  {
    why: () =>
      t(
        'Emails that we sent: we do not keep them, except for the mailbox that the demonstration shows. The notifications say what they were about.',
      ),
    tables: ['app.mailbox'],
  },
]
