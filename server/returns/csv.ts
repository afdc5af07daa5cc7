import type { CsvColumn } from '#server/queries/table-csv.ts'
import { leftOf, type ReturnRow } from './queries.ts'

/** The columns of the recorded returns CSV. */
export const returnColumns: readonly CsvColumn<ReturnRow>[] = [
  ['Realised', ({ realised_on }) => realised_on],
  ['Status', ({ status }) => status],
  ['Source', ({ source }, { text }) => text(source)],
  ['Amount', ({ amount_cents }, { usd }) => usd(amount_cents)],
  ['Paid out', ({ spent_cents }, { usd }) => usd(spent_cents)],
  ['Left to pay out', (row, { usd }) => usd(leftOf(row))],
  ['Currency', () => 'USD'],
  ['Evidence', ({ evidence }, { text }) => text(evidence)],
  ['SHA-256 of the file', ({ file_sha256 }) => file_sha256?.toString('hex') ?? ''],
  ['Recorded by', ({ recorded_by_name }, { text }) => text(recorded_by_name)],
  ['Approved by', ({ approved_by_name }, { text }) => text(approved_by_name)],
  ['Void proposed by', ({ void_proposed_by_name }, { text }) => text(void_proposed_by_name)],
  ['Voided by', ({ voided_by_name }, { text }) => text(voided_by_name)],
  ['Reason', ({ decline_reason, void_reason }, { text }) => text(decline_reason ?? void_reason)],
  ['Recorded', ({ created_at }, { moment }) => moment(created_at)],
  ['Id', ({ id }) => id],
]
