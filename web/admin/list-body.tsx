import type { ReactNode } from 'react'
import type { List } from '#web/api/read.ts'
import { cx } from '#web/ui/cx.ts'
import { LoadMore } from '#web/ui/load-more.tsx'
import { EmptyState, FailedState, Loading } from '#web/ui/states.tsx'
import { focusHome } from './acts/focus-home.ts'
import type { ListFilter } from './list-filter.ts'

/** Rows that a list of the console asks for at a time. */
export const pageSize = 10
/** Versions of one thing that are asked for at a time. */
export const versionsAtOnce = 20

type ListBodyProps<Row> = {
  /** What is listed: 'deposits'. */
  of: string
  list: List<Row>
  filter: ListFilter
  /** The words for a list without a single row. */
  empty: string
  children: (rows: readonly Row[]) => ReactNode
}

/** A list in each of its states: on its way, empty, without a match, failed, on show with the way to more. */
export function ListBody<Row>({ of, list, filter, empty, children }: ListBodyProps<Row>) {
  const { rows, total, totalIsAtLeast, hasMore, more, loadingMore, isError, isPlaceholderData, refetch } =
    list
  if (isError && !rows) return <FailedState onRetry={refetch}>The {of} could not be loaded.</FailedState>
  if (!rows) return <Loading label={`Loading ${of}`} lines={8} />
  if (rows.length === 0) {
    return filter.isSet ? <NoMatch of={of} filter={filter} /> : <EmptyState>{empty}</EmptyState>
  }
  return (
    <div
      {...focusHome}
      aria-busy={isPlaceholderData}
      className={cx('outline-none', isPlaceholderData && 'opacity-60')}
    >
      {children(rows)}
      <LoadMore
        shown={rows.length}
        total={total}
        totalIsAtLeast={totalIsAtLeast}
        hasMore={hasMore}
        loading={loadingMore}
        onMore={more}
      />
    </div>
  )
}

function NoMatch({ of, filter }: { of: string; filter: ListFilter }) {
  return (
    <EmptyState
      action={
        <button type="button" className="prose-link" onClick={filter.clear}>
          Show all {of}
        </button>
      }
    >
      No {of} match this search.
    </EmptyState>
  )
}
