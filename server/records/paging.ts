import type { Expression, Kysely, SelectQueryBuilder, SqlBool } from 'kysely'
import { sql } from 'kysely'
import { validate as isUuid } from 'uuid'
import { z } from 'zod'
import type { Schema } from '#server/platform/database/schema.ts'
import type { ListQuery, Page } from '#shared/contract/define.ts'
import { AppError } from '#shared/errors.ts'
import { countedRows } from '#shared/limits.ts'

/**
 * Lists are paged by key: the newest come first by descending id, and a page starts below the last id of the page before.
 * No offset, and no counting that could cost much more than the page: rows are counted up to `countedRows`, once for all
 * pages of a list, and not at all where the first page holds everything. What a search finds is known only after the whole
 * table was read, so it is counted as long as that takes `searchCountMs`.
 */
const searchCountMs = 500

/** A list's rows and its page: one own, or all of them, told by a filter. */
export type Listed<Row> = { rows: Row[]; page: Page }

/** Whose: an investor's own list, or every investor's. */
export type ListFilter = ListQuery & { userId?: string }

/** How one list is read: at most `limit` rows below the id, the newest first; and how many there are, by `countOf`. */
export type ListReader<Row> = {
  rows: (limit: number, below: string | undefined) => Promise<Row[]>
  count: (mostMs?: number) => Promise<number>
  /** What an id of the list looks like; a UUID by default. */
  isId?: (text: string) => boolean
}

/** SQLSTATE of a statement whose time is over. */
const queryCanceled = '57014'

/** Where a page starts, how many rows came before it, and how many there are in all as the first page has counted. */
type Position = { below: string; before: number; counted: number }

/**
 * One page of a list, in one query, or two where it is the first of several.
 * @throws AppError invalid_input when the cursor is none of ours
 */
export async function listed<Row extends { id: string | bigint }>(
  { limit, cursor, q }: Pick<ListQuery, 'limit' | 'cursor' | 'q'>,
  { rows: read, count, isId = isUuid }: ListReader<Row>,
): Promise<Listed<Row>> {
  const position = cursor === undefined ? undefined : readCursor(cursor, isId)
  const found = await read(limit + 1, position?.below)
  const rows = found.slice(0, limit)
  const shown = (position?.before ?? 0) + rows.length
  const last = rows.at(-1)
  if (found.length <= limit || last === undefined) return { rows, page: { total: shown, nextCursor: null } }
  const counted = position?.counted ?? (await count(q ? searchCountMs : undefined))
  const nextCursor = writeCursor({ below: String(last.id), before: shown, counted })
  return { rows, page: { ...totalOf(counted, shown + 1), nextCursor } }
}

/** Counting took too long. */
const notCounted = 0

/** @param known how many there are at least, by what is on show */
function totalOf(counted: number, known: number): Pick<Page, 'total' | 'totalIsAtLeast'> {
  if (counted === notCounted) return { total: known, totalIsAtLeast: true }
  if (counted > countedRows) return { total: Math.max(countedRows, known), totalIsAtLeast: true }
  return { total: Math.max(counted, known) }
}

/**
 * How many rows a query finds that selects nothing yet: counted up to `countedRows`, one more where there are more.
 * @param mostMs gives up after so many milliseconds
 * @returns 0 where it gave up
 */
export async function countOf<DB, TB extends keyof DB>(
  db: Kysely<Schema>,
  matching: SelectQueryBuilder<DB, TB, object>,
  mostMs?: number,
): Promise<number> {
  const some = matching.select(sql`1`.as('one')).limit(countedRows + 1)
  const count = async (on: Kysely<Schema>) => {
    const { rows } = await sql<{ total: bigint }>`SELECT count(*) AS total FROM (${some}) AS counted`.execute(
      on,
    )
    return Number(rows[0]!.total)
  }
  if (mostMs === undefined) return count(db)
  try {
    return await db.transaction().execute(async tx => {
      await sql`SELECT set_config('statement_timeout', ${String(mostMs)}, true)`.execute(tx)
      return count(tx)
    })
  } catch (error) {
    if ((error as { code?: unknown }).code === queryCanceled) return notCounted
    throw error
  }
}

/**
 * The status filter of a list, checked against what its rows can be.
 * @throws AppError invalid_input naming the values that exist
 */
export function statusFilter<Status extends string>(
  status: string | undefined,
  known: readonly Status[],
): Status | undefined {
  if (status === undefined || status === '') return undefined
  const match = known.find(candidate => candidate === status)
  if (match !== undefined) return match
  const message = `Status must be one of ${known.join(', ')}`
  throw new AppError('invalid_input', message, { fields: { status: message } })
}

/**
 * True where one of the texts contains what is searched for, in any case, or where that is one of the ids; always true
 * where nothing is searched for.
 */
export function matches(
  q: string | undefined,
  texts: readonly Expression<string | null>[],
  ids: readonly Expression<string>[],
): Expression<SqlBool> {
  if (q === undefined || q === '') return sql<SqlBool>`true`
  const pattern = `%${q.replace(/[\\%_]/g, '\\$&')}%`
  const found = texts.map(text => sql`${text} ILIKE ${pattern}`)
  const named = isUuid(q) ? ids.map(id => sql`${id} = ${q}::uuid`) : []
  return sql<SqlBool>`(${sql.join([...named, ...found], sql` OR `)})`
}

const cursorShape = z.tuple([z.string(), z.int().nonnegative(), z.int().nonnegative()])

/** Opaque to the caller. */
function writeCursor({ below, before, counted }: Position): string {
  return Buffer.from(JSON.stringify([below, before, counted])).toString('base64url')
}

function readCursor(cursor: string, isId: (text: string) => boolean): Position {
  try {
    const [below, before, counted] = cursorShape.parse(
      JSON.parse(Buffer.from(cursor, 'base64url').toString()),
    )
    if (isId(below)) return { below, before, counted }
  } catch {
    // None of ours, as one with another list's id.
  }
  const message = 'Cursor is not valid'
  throw new AppError('invalid_input', message, { fields: { cursor: message } })
}
