import { Readable } from 'node:stream'
import type { CompiledQuery } from 'kysely'
import { audit } from '#server/audit/log.ts'
import type { FileAnswer, Services, SignedInContext, Tx } from '#server/context.ts'
import { byteOrderMark, csvLine, textCell } from '#server/platform/csv.ts'
import { batchesOf } from '#server/platform/database/batches.ts'
import { readerOf } from '#server/platform/database/replica.ts'
import { inLanguage } from '#server/platform/language.ts'
import { mapInSlices } from '#server/platform/slices.ts'
import { localTimes } from '#server/platform/zones.ts'
import type { PeriodFilter } from '#shared/contract/tables.ts'
import { sourceLanguage } from '#shared/i18n/languages.ts'
import { formatDecimal } from '#shared/money.ts'
import { inBatchTurn, takeConnection } from './file-turns.ts'

/** Rows held in memory at a time: few, as a batch is parsed in one piece. */
export const ROWS_AT_ONCE = 100
/** Time limit of an export: it holds a database connection and a snapshot. */
const LONGEST_MS = 600_000

/** The cells of a file: texts are guarded against formulas, all else is written for machines. */
export type Cells = {
  text: (text: string | null) => string
  /** Plain decimals of USD cents. */
  usd: (cents: bigint) => string
  /** A moment in the reader's zone, to the millisecond; a Date or ISO 8601. */
  moment: (at: Date | string | null) => string
}

/** One column of a file: its name and its cells. */
export type CsvColumn<Item> = readonly [header: string, cell: (item: Item, cells: Cells) => string]

type TableFile<Row, Item> = {
  /** The list's name, which is also the file's: 'deposits'. */
  name: string
  filter: PeriodFilter & object
  rows: CompiledQuery<Row>
  /** Prepares a batch of rows for writing. */
  items: (rows: Row[]) => Promise<Item[]> | Item[]
  columns: readonly CsvColumn<Item>[]
}

/**
 * A console list as CSV: every row that its filter leaves, in order, in batches while it is sent. The audit log records
 * the export with its filter.
 * @param longestMs time limit of the transfer, in milliseconds
 * @throws AppError not_ready if too many exports hold connections
 */
export async function tableAsCsv<Row, Item>(
  ctx: SignedInContext,
  { name, filter, rows, items, columns }: TableFile<Row, Item>,
  longestMs = LONGEST_MS,
): Promise<FileAnswer> {
  const zone = filter.zone ?? 'UTC'
  const { day } = localTimes(zone)(ctx.services.clock.now())
  const cells = cellsIn(zone)
  async function* lines() {
    yield byteOrderMark + csvLine(columns.map(([header]) => textCell(header)))
    // Programs and archives read a file, too, so its words are the same in every language.
    const write = (batch: Row[]) =>
      inLanguage(sourceLanguage, async () =>
        mapInSlices(await items(batch), item => csvLine(columns.map(([, cell]) => cell(item, cells)))),
      )
    yield* linesOfRows(ctx.services, [rows], write)
  }
  const content = await exported(ctx, { list: name, ...filter }, lines, longestMs)
  return { name: `${name}-${day}.csv`, content }
}

/** The rows of queries in one snapshot as lines of a file. Each batch is read and written in its turn. */
export async function* linesOfRows<Row>(
  services: Pick<Services, 'db' | 'pool'>,
  queries: Iterable<CompiledQuery<Row>>,
  write: (rows: Row[]) => Promise<string[]>,
): AsyncGenerator<string> {
  const reader = await readerOf(services)
  const batches = batchesOf(reader.pool, queries, ROWS_AT_ONCE)
  const nextLines = async () => {
    const { value: batch, done } = await batches.next()
    return done ? undefined : await write(batch)
  }
  try {
    for (;;) {
      const written = await inBatchTurn(services.pool, nextLines)
      if (written === undefined) return
      yield written.join('')
    }
  } finally {
    await batches.return(undefined)
  }
}

/**
 * Sends lines as they are read, after an audit line with these details.
 * @throws AppError not_ready if too many exports hold connections
 */
export function exported(
  ctx: SignedInContext,
  details: { list: string },
  lines: () => AsyncIterable<string>,
  longestMs = LONGEST_MS,
): Promise<Readable> {
  return streamed(ctx, tx => audit(tx, ctx, { action: 'list.exported', details }), lines, longestMs)
}

/**
 * Sends parts of a file as they are made, after what must be recorded first.
 * @throws AppError not_ready if too many exports hold connections; what `begin` throws
 */
export async function streamed(
  { services: { db, pool } }: SignedInContext,
  begin: (tx: Tx) => Promise<void>,
  parts: () => AsyncIterable<string | Uint8Array>,
  longestMs = LONGEST_MS,
): Promise<Readable> {
  const sent = await takeConnection(pool)
  try {
    await db.transaction().execute(begin)
  } catch (error) {
    sent()
    throw error
  }
  const content = Readable.from(parts(), { highWaterMark: 1 }).once('close', sent)
  breakOffAfter(longestMs, content)
  return content
}

/** However slowly it is read. */
function breakOffAfter(ms: number, content: Readable): void {
  const limit = setTimeout(
    () => content.destroy(new Error(`The download did not finish within ${ms} ms`)),
    ms,
  )
  content.once('close', () => clearTimeout(limit))
}

function cellsIn(zone: string): Cells {
  const local = localTimes(zone)
  return {
    text: text => textCell(text ?? ''),
    usd: cents => formatDecimal(cents, 2),
    moment: at => (at === null ? '' : local(new Date(at)).iso),
  }
}
