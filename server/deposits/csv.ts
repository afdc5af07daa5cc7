import type { CsvColumn } from '#server/queries/table-csv.ts'
import { assetDecimals, formatDecimal } from '#shared/money.ts'
import type { DepositRow } from './deposit-row.ts'
import { presentDeposit } from './queries.ts'

/** The columns of the deposits CSV. */
export function depositColumns(now: Date): readonly CsvColumn<DepositRow>[] {
  return [
    ['Number', ({ invoice_id }) => invoice_id],
    ['Requested', ({ created_at }, { moment }) => moment(created_at)],
    ['User', ({ user_name }, { text }) => text(user_name)],
    ['User id', ({ user_id }) => user_id],
    ['Amount', ({ amount_cents }, { usd }) => usd(amount_cents)],
    ['Currency', () => 'USD'],
    ['Payment method', ({ method }) => method],
    ['Amount requested', ({ crypto_units, asset }) => formatDecimal(crypto_units, assetDecimals[asset])],
    ['Asset', ({ asset }) => asset],
    ['Payment address', ({ address }, { text }) => text(address)],
    ['Status', ({ status }) => status],
    ['Payment', (row, { text }) => text(presentDeposit(row, now).label)],
    ['Credited', ({ credited_cents }, { usd }) => (credited_cents === null ? '' : usd(credited_cents))],
    ['Transaction', ({ transaction_id }) => transaction_id ?? ''],
    ['Investment', ({ investment_invoice }) => investment_invoice ?? ''],
    ['Arrived', ({ arrived_at }, { moment }) => moment(arrived_at)],
    ['Deviation', ({ deviation }) => deviation ?? ''],
    [
      'Amount received',
      ({ received_units, asset }) =>
        received_units === null ? '' : formatDecimal(received_units, assetDecimals[asset]),
    ],
    ['Settled', ({ settled_at }, { moment }) => moment(settled_at)],
    ['Decline reason', ({ decline_reason }, { text }) => text(decline_reason)],
    ['Cancelled by the investor', ({ cancelled_by }) => (cancelled_by === null ? '' : 'yes')],
    ['Id', ({ id }) => id],
  ]
}
