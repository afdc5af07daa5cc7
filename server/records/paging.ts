import type { Expression, SelectQueryBuilder, SqlBool } from 'kysely'
import { sql } from 'kysely'
import { validate as isUuid, parse as uuidBytes, stringify as uuidText } from 'uuid'
import type { ListQuery, Page } from '#shared/contract/define.ts'
import { AppError } from '#shared/errors.ts'

/**
 * Lists are paged by key: ids are UUIDv7, so the newest come first by descending id, and a page starts below the last
 * id of the page before. No offset, and no count where the first page holds everything.
 */

/** A list's rows and its page: one own, or all of them, told by a filter. */
export type Listed<Row> = { rows: Row[]; page: Page }

/** Whose: an investor's own list, or every investor's. */
export type ListFilter = ListQuery & { userId?: string }

/** How one list is read: at most `limit` rows below the id, the newest first; and how many there are in all. */
export type ListReader<Row> = {
  rows: (limit: number, below: string | undefined) => Promise<Row[]>
  count: () => Promise<number>
}

/**
 * One page of a list, in one query, or two where there is more than one page.
 * @throws AppError invalid_input when the cursor is none of ours
 */
export async function listed<Row extends { id: string }>(
  { limit, cursor }: Pick<ListQuery, 'limit' | 'cursor'>,
  reader: ListReader<Row>,
): Promise<Listed<Row>> {
  const below = cursor === undefined ? undefined : idOfCursor(cursor)
  const found = await reader.rows(limit + 1, below)
  const rows = found.slice(0, limit)
  const whole = below === undefined && found.length <= limit
  const total = whole ? found.length : await reader.count()
  const last = rows.at(-1)
  return { rows, page: { total, nextCursor: found.length > limit && last ? cursorOf(last.id) : null } }
}

/** How many rows a query finds that selects nothing yet. */
export async function countOf<DB, TB extends keyof DB>(
  matching: SelectQueryBuilder<DB, TB, object>,
): Promise<number> {
  const counted = matching.select(eb => eb.fn.countAll().as('total')).$castTo<{ total: bigint }>()
  return Number((await counted.executeTakeFirstOrThrow()).total)
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

function cursorOf(id: string): string {
  return Buffer.from(uuidBytes(id)).toString('base64url')
}

function idOfCursor(cursor: string): string {
  try {
    return uuidText(Buffer.from(cursor, 'base64url'))
  } catch (cause) {
    const message = 'Cursor is not valid'
    throw new AppError('invalid_input', message, { fields: { cursor: message }, cause })
  }
}
