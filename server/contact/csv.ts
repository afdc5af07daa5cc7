import type { CsvColumn } from '#server/queries/table-csv.ts'
import { statusOf } from './activity.ts'
import type { ContactRow } from './queries.ts'

/** The columns of the messages' CSV. */
export const messageColumns: readonly CsvColumn<ContactRow>[] = [
  ['Sent', ({ created_at }, { moment }) => moment(created_at)],
  ['Name', ({ name }, { text }) => text(name)],
  ['Email', ({ email }, { text }) => text(email)],
  ['Subject', ({ subject }, { text }) => text(subject)],
  ['Message', ({ message }, { text }) => text(message)],
  ['Account', ({ user_id }) => user_id ?? ''],
  ['Status', row => statusOf(row)],
  ['Assigned to', ({ assigned_name }, { text }) => text(assigned_name)],
  ['Answered', ({ answered_at }, { moment }) => moment(answered_at)],
  ['Answered by', ({ answered_by_name }, { text }) => text(answered_by_name)],
  ['Id', ({ id }) => id],
]
