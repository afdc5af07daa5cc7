import {
  type CompiledQuery,
  type Expression,
  type Kysely,
  type SelectQueryBuilder,
  type SqlBool,
  type StringReference,
  sql,
} from 'kysely'
import { validate as isUuid } from 'uuid'
import type { Services } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import type { ListQuery, Page } from '#shared/contract/define.ts'
import type { AmountFilter, PeriodFilter } from '#shared/contract/tables.ts'
import { inPeriod, ofAmount, onDays, orderOfPeriod } from './filters.ts'
import { countOf, listed, matches, statusFilter } from './paging.ts'
import { inOrder, pageOf, type SortColumn, sortingOf, sortOf } from './sorting.ts'

/** A column by its name in the query, or what is computed instead. */
type Column<DB, TB extends keyof DB> = NoInfer<StringReference<DB, TB>> | Expression<unknown>

/** Rows are told apart by their id, or by their version. */
type ListRow = { id?: string | bigint; version?: number }

/** What a list is: declared once, it is read page by page, or as a whole for its file. */
type ListDefinition<DB, TB extends keyof DB, Row extends ListRow, Item, Name extends string> = {
  /** All rows, without columns. PostgreSQL drops unused left joins when it only counts. */
  from: (db: Kysely<Schema>, now: Date) => SelectQueryBuilder<DB, TB, object>
  columns: (query: SelectQueryBuilder<DB, TB, object>, now: Date) => SelectQueryBuilder<DB, TB, Row>
  /** The same columns for all rows, where what reads a page fast reads many rows slowly. */
  columnsOfAll?: (query: SelectQueryBuilder<DB, TB, object>, now: Date) => SelectQueryBuilder<DB, TB, Row>
  present: (rows: Row[], at: { db: Kysely<Schema>; now: Date }) => Item[] | Promise<Item[]>
  /** Unsorted, the highest come first. */
  id: Column<DB, TB>
  idType?: keyof typeof isIdOf
  status?: {
    known: readonly string[]
    column?: Column<DB, TB> | ((now: Date) => Expression<unknown>)
    /** Statuses that are more than a value of the column. */
    special?: Readonly<Record<string, (now: Date) => Expression<SqlBool>>>
    /** Statuses that no index leads to. */
    unindexed?: readonly string[]
  }
  /** Filters for one value: of a column, or by a condition. */
  exactly?: Readonly<Record<Name, Column<DB, TB> | ((value: string) => Expression<SqlBool>)>>
  /** The moment that a period is about, and the order of a list that is narrowed to one. */
  period?: { moment: Column<DB, TB>; sort: string }
  /** The order of a list that is asked for in none, if it is not that of the ids. */
  order?: string
  /** The day that a period is about. */
  day?: Column<DB, TB>
  cents?: Column<DB, TB>
  search?: {
    texts: readonly Column<DB, TB>[]
    ids?: readonly Column<DB, TB>[]
    /** Rows found by what belongs to them. */
    related?: (q: string) => Expression<SqlBool>
  }
  sorts?: Readonly<Record<string, { value: Column<DB, TB>; type: SortColumn['type'] }>>
}

type Sources = Pick<Services, 'db' | 'clock'>

/** All that a list can be asked for, but for its pages. */
type Filter<Name extends string> = Pick<ListQuery, 'q' | 'status'> &
  PeriodFilter &
  AmountFilter & { sort?: string } & { [name in Name]?: string }

const isIdOf = {
  uuid: isUuid,
  bigint: (text: string) => /^\d{1,18}$/.test(text),
  version: (text: string) => /^\d{1,9}$/.test(text),
}

const ranges = ['from', 'to', 'amountFrom', 'amountTo'] as const

/** Each investor's own list has its index. */
const ownersFilter = 'userId'

export function defineList<
  DB,
  TB extends keyof DB,
  Row extends ListRow,
  Item,
  const Name extends string = never,
>(list: ListDefinition<DB, TB, Row, Item, Name>) {
  const { idType = 'uuid', status: statuses, search, exactly = {} as NonNullable<typeof list.exactly> } = list
  const names = Object.keys(exactly) as Name[]
  const sorts = Object.fromEntries(
    Object.entries(list.sorts ?? {}).map(([name, { value, type }]) => [name, { value: asSql(value), type }]),
  )

  function chosen({ db, clock }: Sources, filter: Filter<Name>) {
    const now = clock.now()
    const conditions = [
      ...statusCondition(filter.status, now),
      ...names.flatMap(name => (filter[name] === undefined ? [] : [isExactly(name, filter[name])])),
      ...(list.period ? [inPeriod(asSql(list.period.moment), filter)] : []),
      ...(list.day ? [onDays(asSql(list.day), filter)] : []),
      ...(list.cents ? [ofAmount(asSql(list.cents), filter)] : []),
      ...found(filter.q),
    ]
    const matching = conditions.reduce((query, is) => query.where(is), list.from(db, now))
    const by = (list.period ? orderOfPeriod(filter, list.period.sort) : filter.sort) ?? list.order
    return { now, matching, sorting: sortingOf(by, sorts, asSql(list.id)) }
  }

  function statusCondition(status: string | undefined, now: Date): Expression<SqlBool>[] {
    if (statuses === undefined) return []
    const chosen = statusFilter(status, statuses.known)
    if (chosen === undefined) return []
    const special = statuses.special?.[chosen]
    if (special) return [special(now)]
    const { column } = statuses
    return [isEqual(typeof column === 'function' ? column(now) : column!, chosen)]
  }

  function isExactly(name: Name, value: string): Expression<SqlBool> {
    const column = exactly[name]
    return typeof column === 'function' ? column(value) : isEqual(column, value)
  }

  function found(q: string | undefined): Expression<SqlBool>[] {
    if (!search || !q) return []
    const own = matches(q, search.texts.map(asSql<string>), (search.ids ?? []).map(asSql<string>))
    return [search.related ? sql<SqlBool>`(${own} OR ${search.related(q)})` : own]
  }

  return {
    /**
     * One page, the highest id first unless sorted or declared otherwise.
     * @throws AppError invalid_input for an unknown status, a turned range or a foreign cursor
     */
    async page(
      sources: Sources,
      filter: Filter<Name> & Pick<ListQuery, 'limit' | 'cursor'>,
    ): Promise<{ data: Item[]; page: Page }> {
      const { now, matching, sorting } = chosen(sources, filter)
      const read = list.columns(matching, now)
      const { rows, page } = await listed<Row & { sort_value: string | null }>(
        { limit: filter.limit, cursor: filter.cursor, q: search && filter.q },
        {
          rows: (...place) => pageOf(read, sorting, ...place).execute() as never,
          count: mostMs => countOf(sources.db, matching, mostMs),
          idOf: row => String(idType === 'version' ? row.version : row.id),
          isId: isIdOf[idType],
          sort: sortOf(sorting),
          isNarrowed:
            [...ranges, ...names].some(name => name !== ownersFilter && filter[name] !== undefined) ||
            (statuses?.unindexed ?? []).includes(filter.status ?? ''),
        },
      )
      return { data: await list.present(rows, { db: sources.db, now }), page }
    },

    /** Every matching row, for reading row by row. */
    all(sources: Sources, filter: Filter<Name>): CompiledQuery<Row> {
      const { now, matching, sorting } = chosen(sources, filter)
      return inOrder((list.columnsOfAll ?? list.columns)(matching, now), sorting).compile()
    },
  }
}

function asSql<Value>(column: string | Expression<unknown>): Expression<Value> {
  return (typeof column === 'string' ? sql.ref(column) : column) as Expression<Value>
}

function isEqual(column: string | Expression<unknown>, value: string): Expression<SqlBool> {
  return sql<SqlBool>`${asSql(column)} = ${value}`
}
