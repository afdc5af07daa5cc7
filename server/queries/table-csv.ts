import { Readable } from 'node:stream'
import type { CompiledQuery } from 'kysely'
import type pg from 'pg'
import { audit } from '#server/audit/log.ts'
import type { FileAnswer, SignedInContext } from '#server/context.ts'
import { byteOrderMark, csvLine, textCell } from '#server/platform/csv.ts'
import { batchesOf } from '#server/platform/database/batches.ts'
import { localTimes } from '#server/platform/zones.ts'
import type { PeriodFilter } from '#shared/contract/tables.ts'
import { AppError } from '#shared/errors.ts'
import { formatDecimal } from '#shared/money.ts'

/** Rows that are in memory at a time. */
const BATCH = 1000
/** Longest time that a file takes: meanwhile the database keeps a connection and everything that was true at its moment. */
const LONGEST_MS = 600_000

/** The cells of a file: texts are guarded against being formulas, everything else is written as machines read it. */
export type Cells = {
  text: (text: string | null) => string
  /** Plain decimals of USD cents. */
  usd: (cents: bigint) => string
  /** A moment in the reader's zone, to the millisecond; a Date or ISO 8601. */
  moment: (at: Date | string | null) => string
}

/** One column of a file: its name, and what stands in it. */
export type CsvColumn<Item> = readonly [header: string, cell: (item: Item, cells: Cells) => string]

type TableFile<Row, Item> = {
  /** What is listed, as the file is named: 'deposits'. */
  name: string
  filter: PeriodFilter & object
  rows: CompiledQuery<Row>
  /** What a batch of rows is made into before it is written. */
  items: (rows: Row[]) => Promise<Item[]> | Item[]
  columns: readonly CsvColumn<Item>[]
}

/**
 * A list of the console as CSV: every row that its filter leaves, in its order, batch by batch as it is sent. That it leaves the
 * product is told in the audit log, with the filter.
 * @param longestMs after which a file that is still being sent is broken off, in milliseconds
 * @throws AppError rate_limited while as many are being sent as may take a connection
 */
export async function tableAsCsv<Row, Item>(
  ctx: SignedInContext,
  { name, filter, rows, items, columns }: TableFile<Row, Item>,
  longestMs = LONGEST_MS,
): Promise<FileAnswer> {
  const { services } = ctx
  const zone = filter.zone ?? 'UTC'
  const { day } = localTimes(zone)(services.clock.now())
  const sent = takeTurn(services.pool)
  try {
    await services.db
      .transaction()
      .execute(tx => audit(tx, ctx, { action: 'list.exported', details: { list: name, ...filter } }))
  } catch (error) {
    sent()
    throw error
  }
  const cells = cellsIn(zone)
  async function* lines() {
    yield byteOrderMark + csvLine(columns.map(([header]) => textCell(header)))
    for await (const batch of batchesOf(services.pool, rows, BATCH)) {
      const written = await items(batch)
      yield written.map(item => csvLine(columns.map(([, cell]) => cell(item, cells)))).join('')
    }
  }
  const content = Readable.from(lines(), { highWaterMark: 1 }).once('close', sent)
  breakOffAfter(longestMs, content)
  return { name: `${name}-${day}.csv`, content }
}

/** However slowly it is read. */
function breakOffAfter(ms: number, content: Readable): void {
  const limit = setTimeout(() => content.destroy(new Error(`The file was not taken within ${ms} ms`)), ms)
  content.once('close', () => clearTimeout(limit))
}

/** How many files each pool is busy with. */
const underWay = new WeakMap<pg.Pool, number>()

/**
 * A file takes a connection for as long as its reader takes: at most a quarter of them, so that the rest of the product has its own.
 * @returns to be called when it is sent
 */
function takeTurn(pool: pg.Pool): () => void {
  const others = underWay.get(pool) ?? 0
  if (others >= Math.max(2, Math.floor(pool.options.max / 4))) {
    throw new AppError('rate_limited', 'Other files are being made. Please try again in a minute.', {
      retryAfterSeconds: 60,
    })
  }
  underWay.set(pool, others + 1)
  return () => void underWay.set(pool, underWay.get(pool)! - 1)
}

function cellsIn(zone: string): Cells {
  const local = localTimes(zone)
  return {
    text: text => textCell(text ?? ''),
    usd: cents => formatDecimal(cents, 2),
    moment: at => (at === null ? '' : local(new Date(at)).iso),
  }
}
