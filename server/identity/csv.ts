import type { CsvColumn } from '#server/queries/table-csv.ts'
import type { CheckRow } from './queries.ts'

/** The columns of the CSV of identity checks; nothing of what was sent. */
export const checkColumns: readonly CsvColumn<CheckRow>[] = [
  ['Sent', ({ submitted_at }, { moment }) => moment(submitted_at)],
  ['Status', ({ status }) => status],
  ['Kind', ({ kind }) => kind],
  ['User', ({ user_name }, { text }) => text(user_name)],
  ['User id', ({ user_id }) => user_id],
  ['Decided', ({ decided_at }, { moment }) => moment(decided_at)],
  ['Decided by', ({ decided_by_name }, { text }) => text(decided_by_name)],
  ['Reason', ({ reason }, { text }) => text(reason)],
  ['Counts until', ({ expires_on }) => expires_on ?? ''],
  ['Documents deleted', ({ erased_at }, { moment }) => moment(erased_at)],
  ['Id', ({ id }) => id],
]
