import type { CsvColumn } from '#server/records/table-csv.ts'
import type { WithdrawalRow } from '#server/records/withdrawals.ts'

/** The columns of the withdrawals' file. */
export const withdrawalColumns: readonly CsvColumn<WithdrawalRow>[] = [
  ['Number', ({ invoice_id }) => invoice_id],
  ['Requested', ({ created_at }, { moment }) => moment(created_at)],
  ['User', ({ user_name }, { text }) => text(user_name)],
  ['User id', ({ user_id }) => user_id],
  ['Amount', ({ amount_cents }, { usd }) => usd(amount_cents)],
  ['Currency', () => 'USD'],
  ['Status', ({ status }) => status],
  ['Wallet', ({ wallet }, { text }) => text(wallet)],
  ['Wallet address', ({ address }, { text }) => text(address)],
  ['Approvals', ({ approvals }) => String(approvals)],
  ['Approvals needed', ({ approvals_needed }) => String(approvals_needed)],
  ['Approved', ({ approved_at }, { moment }) => moment(approved_at)],
  ['Paid', ({ paid_at }, { moment }) => moment(paid_at)],
  ['Transaction id', ({ transaction_id }, { text }) => text(transaction_id)],
  ['Decline reason', ({ decline_reason }, { text }) => text(decline_reason)],
  ['Id', ({ id }) => id],
]
