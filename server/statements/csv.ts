import type { Kysely } from 'kysely'
import { type StatementLine as LedgerLine, type StatementQuery, statement } from '#server/ledger/statement.ts'
import { byteOrderMark, csvLine, textCell } from '#server/platform/csv.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { localTimes } from '#server/platform/zones.ts'
import type { StatementLine } from '#shared/contract/entities.ts'
import { formatDecimal } from '#shared/money.ts'
import { accountNames, kindNames } from '#shared/statement.ts'
import { presentLines } from './lines.ts'

/** Postings held in memory at a time. */
const BATCH = 1000

const header = [
  'Date',
  'Time',
  'What',
  'Kind',
  'Number',
  'Account',
  'Amount',
  'Balance after',
  'Currency',
  'Note',
  'Posting',
]

/**
 * A statement as CSV, newest line first, in batches. Cursors into the append-only ledger keep all batches as of the first
 * one without an open transaction.
 */
export async function* statementAsCsv(
  db: Kysely<Schema>,
  userId: string,
  { zone, ...filter }: Omit<StatementQuery, 'cursor' | 'limit'> & { zone: string },
): AsyncGenerator<string> {
  const local = localTimes(zone)
  let cursor: string | undefined
  yield byteOrderMark + csvLine(header)
  do {
    const page = await statement(db, userId, { ...filter, cursor, limit: BATCH })
    const lines = await presentLines(db, page.lines)
    const text = lines.map((line, place) => csvLine(cellsOf(line, page.lines[place]!, local))).join('')
    if (text !== '') yield text
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined)
}

function cellsOf(
  line: StatementLine,
  { at, amount, balance }: LedgerLine,
  local: ReturnType<typeof localTimes>,
): string[] {
  const { day, iso } = local(at)
  return [
    day,
    iso,
    textCell(line.description),
    kindNames[line.kind],
    line.invoiceId ?? '',
    accountNames[line.account],
    formatDecimal(amount, 2),
    formatDecimal(balance, 2),
    'USD',
    textCell(line.note ?? ''),
    line._id,
  ]
}
