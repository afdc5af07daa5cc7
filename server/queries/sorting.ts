import { type Expression, type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely'

/**
 * A list that is sorted by a column is paged by key, too: a page starts behind the value and the id of the last row before
 * it. Both go in the same direction, so that an index on (column, id) is read forwards or backwards from there on.
 */

/** What a list can be sorted by. Never null: of what has no value, one that stands for that. */
export type SortColumn = { value: Expression<unknown>; type: keyof typeof isOfType }
export type SortColumns = Readonly<Record<string, SortColumn>>

/** How one list is sorted, for `listed` and for its rows. */
export type Sorting = {
  /** As it was asked for: 'amount', '-amount'; undefined for the newest first. */
  by: string | undefined
  column: SortColumn | undefined
  /** Of the ids, and of the values where there are any. */
  direction: 'asc' | 'desc'
  id: Expression<unknown>
}

/** @param by one of the columns' names, '-' before it for the largest first; undefined for the newest first */
export function sortingOf(by: string | undefined, columns: SortColumns, id: Expression<unknown>): Sorting {
  if (by === undefined) return { by, column: undefined, direction: 'desc', id }
  const isDescending = by.startsWith('-')
  const column = columns[isDescending ? by.slice(1) : by]
  if (column === undefined) throw new Error(`there is no column ${by} to sort by`)
  return { by, column, direction: isDescending ? 'desc' : 'asc', id }
}

/** What `listed` must know of it. */
export function sortOf({ by, column }: Sorting) {
  return by === undefined || column === undefined ? undefined : { by, isValue: isOfType[column.type] }
}

/** The rows behind a place of the list; of all of it, where there is none. */
export function behind(
  { column, direction, id }: Sorting,
  below: string | undefined,
  value: string | undefined,
): RawBuilder<SqlBool> {
  if (below === undefined) return sql`true`
  const side = sql.raw(direction === 'desc' ? '<' : '>')
  if (column === undefined) return sql`${id} ${side} ${below}`
  return sql`(${column.value}, ${id}) ${side} (${value}::${sql.raw(column.type)}, ${below})`
}

/** What stands behind ORDER BY. */
export function orderOf({ column, direction, id }: Sorting): RawBuilder<unknown> {
  const way = sql.raw(direction)
  return column === undefined ? sql`${id} ${way}` : sql`${column.value} ${way}, ${id} ${way}`
}

/** What a row is sorted by, as text that says it exactly. */
function sortValueOf({ column }: Sorting): RawBuilder<string | null> {
  return column === undefined ? sql`NULL::text` : sql`${column.value}::text`
}

type Sorted<DB, TB extends keyof DB, O> = SelectQueryBuilder<DB, TB, O & { sort_value: string | null }>

/** All rows of a query in the list's order, each with its `sort_value`. */
export function inOrder<DB, TB extends keyof DB, O>(
  query: SelectQueryBuilder<DB, TB, O>,
  sorting: Sorting,
): Sorted<DB, TB, O> {
  const sorted = query.select(sortValueOf(sorting).as('sort_value')).orderBy(orderOf(sorting))
  return sorted as unknown as Sorted<DB, TB, O>
}

/** One page of them: at most `limit` rows behind a place. */
export function pageOf<DB, TB extends keyof DB, O>(
  query: SelectQueryBuilder<DB, TB, O>,
  sorting: Sorting,
  limit: number,
  below: string | undefined,
  value: string | undefined,
): Sorted<DB, TB, O> {
  return inOrder(query, sorting)
    .where(behind(sorting, below, value))
    .limit(limit)
}

/** Whether a text is a value of the type, so that the database takes it as one: cursors come from outside. */
const isOfType = {
  bigint: (text: string) => /^-?\d{1,18}$/.test(text),
  text: (text: string) => !text.includes('\0') && text.isWellFormed(),
  date: isDay,
  timestamptz: (text: string) => {
    const [day = '', time = ''] = text.split(' ')
    const isTime = /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,6})?\+00$/.test(time)
    return text === 'infinity' || (isTime && isDay(day))
  },
}

function isDay(text: string): boolean {
  // The 30th of February is parsed as one of March.
  const date = new Date(`${text}T00:00:00Z`)
  return (
    /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
  )
}
