import type { Expression, Kysely, SelectQueryBuilder, SqlBool } from 'kysely'
import { sql } from 'kysely'
import { validate as isUuid } from 'uuid'
import { z } from 'zod'
import type { Schema } from '#server/platform/database/schema.ts'
import type { ListQuery, Page } from '#shared/contract/define.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
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

/** How one list is read: at most `limit` rows from a place on, the newest first; and how many there are, by `countOf`. */
export type ListReader<Row> = {
  /** @param value of a sorted list (sorting.ts): what the row with the id `below` is sorted by */
  rows: (limit: number, below: string | undefined, value: string | undefined) => Promise<Row[]>
  count: (mostMs?: number) => Promise<number>
  idOf: (row: Row) => string
  /** What an id of the list looks like; a UUID by default. */
  isId?: (text: string) => boolean
  /** How the list is sorted, where it is not the newest first, and what a value of that looks like. */
  sort?: { by: string; isValue: (text: string) => boolean }
  /** It is narrowed by what no index may lead to: counted only as long as a search is. */
  isNarrowed?: boolean
}

/** SQLSTATE of a statement whose time is over. */
const queryCanceled = '57014'

/**
 * Where a page starts, how many rows came before it, and how many there are in all as the first page has counted; of a
 * sorted list also what it is sorted by, and the value at which the page starts.
 */
type Position = { below: string; before: number; counted: number; by?: string; value?: string }

/**
 * One page of a list, in one query, or two where it is the first of several.
 * @throws AppError invalid_input when the cursor is none of ours
 */
export async function listed<Row extends object>(
  { limit, cursor, q }: Pick<ListQuery, 'limit' | 'cursor' | 'q'>,
  { rows: read, count, idOf, isId = isUuid, sort, isNarrowed = false }: ListReader<Row>,
): Promise<Listed<Row>> {
  const position = cursor === undefined ? undefined : readCursor(cursor, isId, sort)
  const found = await read(limit + 1, position?.below, position?.value)
  const rows = found.slice(0, limit)
  const shown = (position?.before ?? 0) + rows.length
  const last = rows.at(-1)
  if (found.length <= limit || last === undefined) return { rows, page: { total: shown, nextCursor: null } }
  const counted = position?.counted ?? (await count(q || isNarrowed ? searchCountMs : undefined))
  const place = sort && { by: sort.by, value: 'sort_value' in last ? String(last.sort_value) : '' }
  const nextCursor = writeCursor({ below: idOf(last), before: shown, counted, ...place })
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
  const message = t('Status must be one of {choices}', { choices: known.join(', ') })
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

const cursorShape = z.union([
  z.tuple([z.string(), z.int().nonnegative(), z.int().nonnegative()]),
  z.tuple([z.string(), z.int().nonnegative(), z.int().nonnegative(), z.string(), z.string()]),
])

/** Opaque to the caller. */
function writeCursor({ below, before, counted, by, value }: Position): string {
  const parts = by === undefined ? [below, before, counted] : [below, before, counted, by, value]
  return Buffer.from(JSON.stringify(parts)).toString('base64url')
}

function readCursor(
  cursor: string,
  isId: (text: string) => boolean,
  sort: ListReader<unknown>['sort'],
): Position {
  try {
    const [below, before, counted, by, value] = cursorShape.parse(
      JSON.parse(Buffer.from(cursor, 'base64url').toString()),
    )
    const isOfSort = by === sort?.by && (value === undefined || sort?.isValue(value))
    if (isId(below) && isOfSort) return { below, before, counted, ...(by === undefined ? {} : { by, value }) }
  } catch {
    // None of ours, as one with another list's id, or of another order.
  }
  const message = t('Cursor is not valid')
  throw new AppError('invalid_input', message, { fields: { cursor: message } })
}
