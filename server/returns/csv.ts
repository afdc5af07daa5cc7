import type { CsvColumn } from '#server/queries/table-csv.ts'
import type { ReturnRow } from './queries.ts'

/** The columns of the recorded returns CSV. */
export const returnColumns: readonly CsvColumn<ReturnRow>[] = [
  ['Realised', ({ realised_on }) => realised_on],
  ['Source', ({ source }, { text }) => text(source)],
  ['Amount', ({ amount_cents }, { usd }) => usd(amount_cents)],
  ['Paid out', ({ spent_cents }, { usd }) => usd(spent_cents)],
  ['Left to pay out', ({ amount_cents, spent_cents }, { usd }) => usd(amount_cents - spent_cents)],
  ['Currency', () => 'USD'],
  ['Evidence', ({ evidence }, { text }) => text(evidence)],
  ['SHA-256 of the file', ({ file_sha256 }) => file_sha256?.toString('hex') ?? ''],
  ['Recorded by', ({ recorded_by_name }, { text }) => text(recorded_by_name)],
  ['Recorded', ({ created_at }, { moment }) => moment(created_at)],
  ['Id', ({ id }) => id],
]
