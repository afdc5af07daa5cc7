import type { Services } from '#server/context.ts'
import { type StatementLine as LedgerLine, type StatementQuery, statement } from '#server/ledger/statement.ts'
import { byteOrderMark, csvLine, textCell } from '#server/platform/csv.ts'
import { mapInSlices } from '#server/platform/slices.ts'
import { localTimes } from '#server/platform/zones.ts'
import { inBatchTurn } from '#server/queries/file-turns.ts'
import type { StatementLine } from '#shared/contract/entities.ts'
import { formatDecimal } from '#shared/money.ts'
import { accountNames, kindNames } from '#shared/statement.ts'
import { presentLines } from './lines.ts'

/** Postings held in memory at a time: few, as a batch is parsed in one piece. */
const LINES_AT_ONCE = 100

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
  { db, pool }: Pick<Services, 'db' | 'pool'>,
  userId: string,
  { zone, ...filter }: Omit<StatementQuery, 'cursor' | 'limit'> & { zone: string },
): AsyncGenerator<string> {
  const local = localTimes(zone)
  let cursor: string | undefined
  const nextLines = async () => {
    const page = await statement(db, userId, { ...filter, cursor, limit: LINES_AT_ONCE })
    const lines = await presentLines(db, page.lines)
    cursor = page.nextCursor ?? undefined
    return mapInSlices(lines, (line, place) => csvLine(cellsOf(line, page.lines[place]!, local)))
  }
  yield byteOrderMark + csvLine(header)
  do {
    const text = (await inBatchTurn(pool, nextLines)).join('')
    if (text !== '') yield text
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
