import type { CsvColumn } from '#server/queries/table-csv.ts'
import { publisherOf } from '#shared/sanctions.ts'
import type { MatchRow } from './queries.ts'

/** The columns of the matches CSV. */
export const matchColumns: readonly CsvColumn<MatchRow>[] = [
  ['Found', ({ found_at }, { moment }) => moment(found_at)],
  ['Status', ({ status }) => status],
  ['Listed now', ({ in_force }) => (in_force ? 'yes' : 'no')],
  ['User', ({ user_name }, { text }) => text(user_name)],
  ['User id', ({ user_id }) => user_id],
  ['List', ({ list }, { text }) => text(publisherOf(list))],
  ['Entry', ({ entry }, { text }) => text(entry)],
  ['Kind', ({ kind }) => kind],
  ['Listed name', ({ listed_name }, { text }) => text(listed_name)],
  ['Likeness', ({ score }) => String(score)],
  ['Decided', ({ decided_at }, { moment }) => moment(decided_at)],
  ['Decided by', ({ decided_by_name }, { text }) => text(decided_by_name)],
  ['Reason', ({ reason }, { text }) => text(reason)],
  ['Id', ({ id }) => id],
]
