import { formatRate } from '#server/prices/reading.ts'
import type { CsvColumn } from '#server/queries/table-csv.ts'
import { assetDecimals, formatDecimal } from '#shared/money.ts'
import type { WithdrawalRow } from './queries.ts'

/** Columns of the withdrawals' CSV file. */
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
  [
    'Pays',
    ({ payout_asset: asset, payout_units: units }) =>
      asset === null ? '' : formatDecimal(units!, assetDecimals[asset]),
  ],
  ['Pays in', ({ payout_asset }) => payout_asset ?? ''],
  ['Rate', ({ payout_rate_e8: rate }, { text }) => text(rate === null ? null : formatRate(rate))],
  ['Rate of', ({ payout_rate_at }, { moment }) => moment(payout_rate_at)],
  ['Rate from', ({ payout_rate_source }, { text }) => text(payout_rate_source)],
  ['Payout batch', ({ batch }) => batch?.number ?? ''],
  ['Transaction id', ({ transaction_id }, { text }) => text(transaction_id)],
  ['Decline reason', ({ decline_reason }, { text }) => text(decline_reason)],
  ['Cancelled by the investor', ({ cancelled_by }) => (cancelled_by === null ? '' : 'yes')],
  ['Id', ({ id }) => id],
]
