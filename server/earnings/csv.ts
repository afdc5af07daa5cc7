import type { CsvColumn } from '#server/queries/table-csv.ts'
import { type EarningRow, presentEarning } from './queries.ts'

/** The columns of the earnings CSV. */
export const earningColumns: readonly CsvColumn<EarningRow>[] = [
  ['Added', ({ created_at }, { moment }) => moment(created_at)],
  ['User', ({ user_name }, { text }) => text(user_name)],
  ['User id', ({ user_id }) => user_id],
  ['Amount', ({ amount_cents }, { usd }) => usd(amount_cents)],
  ['Currency', () => 'USD'],
  ['Plan', ({ plan_name }, { text }) => text(plan_name)],
  ['Investment', ({ investment_invoice }) => investment_invoice],
  ['Status', ({ status }) => status],
  ['Source', (row, { text }) => text(presentEarning(row).source)],
  ['Note', ({ note }, { text }) => text(note)],
  ['Paid', ({ paid_at }, { moment }) => moment(paid_at)],
  ['Decline reason', ({ decline_reason }, { text }) => text(decline_reason)],
  ['Id', ({ id }) => id],
]
