import type { CsvColumn } from '#server/queries/table-csv.ts'
import { formatDecimal } from '#shared/money.ts'
import { accruedUnpaid, type InvestmentRow } from './queries.ts'

/** The columns of the investments CSV. */
export function investmentColumns(now: Date): readonly CsvColumn<InvestmentRow>[] {
  return [
    ['Number', ({ invoice_id }) => invoice_id],
    ['Requested', ({ created_at }, { moment }) => moment(created_at)],
    ['User', ({ user_name }, { text }) => text(user_name)],
    ['User id', ({ user_id }) => user_id],
    ['Plan', ({ plan_name }, { text }) => text(plan_name)],
    ['Target percent', ({ percentage_bp }) => formatDecimal(BigInt(percentage_bp), 2)],
    ['Duration', ({ duration }, { text }) => text(duration)],
    ['Amount', ({ amount_cents }, { usd }) => usd(amount_cents)],
    ['Currency', () => 'USD'],
    ['Payment method', ({ method }) => method],
    ['Status', ({ status }) => status],
    ['Earned', ({ earned_cents }, { usd }) => usd(earned_cents)],
    ['Accrued and unpaid', (row, { usd }) => usd(accruedUnpaid(row, now))],
    ['Approved', ({ approved_at }, { moment }) => moment(approved_at)],
    ['Ending date', ({ ending_at }, { moment }) => moment(ending_at)],
    ['Closed', ({ closed_at }, { moment }) => moment(closed_at)],
    ['Decline reason', ({ decline_reason }, { text }) => text(decline_reason)],
    ['Cancelled by the investor', ({ cancelled_by }) => (cancelled_by === null ? '' : 'yes')],
    ['Close reason', ({ close_reason }, { text }) => text(close_reason)],
    ['Id', ({ id }) => id],
  ]
}
