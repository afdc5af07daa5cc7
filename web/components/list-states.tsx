import type { ReactNode } from 'react'
import type { List } from '#web/api/read.ts'
import { cx } from '#web/ui/cx.ts'
import { focusHome } from '#web/ui/focus-home.ts'
import { LoadMore } from '#web/ui/load-more.tsx'
import { FailedState, Loading } from '#web/ui/states.tsx'

type ListStatesProps<Row> = {
  list: List<Row>
  /** What it lists: 'your deposits'. */
  of: string
  /** Lines of the loading placeholder. */
  lines?: number
  /** Shown for an empty list. */
  empty: ReactNode
  /** Receives the focus after an action removed its own button. */
  home?: boolean
  children: (rows: Row[]) => ReactNode
}

/** A list that is loading, failed, empty or shown. Rows stay visible if a refresh fails. */
export function ListStates<Row>({ home, ...state }: ListStatesProps<Row>) {
  if (!home) return <State {...state} />
  return (
    <div {...focusHome} className="outline-none">
      <State {...state} />
    </div>
  )
}

function State<Row>({ list, of, lines = 3, empty, children }: Omit<ListStatesProps<Row>, 'home'>) {
  const { rows, total, totalIsAtLeast, hasMore, more, loadingMore, isError, isPlaceholderData, refetch } =
    list
  if (isError && !rows) {
    return (
      <FailedState
        onRetry={refetch}
      >{`${of[0]?.toUpperCase()}${of.slice(1)} could not be loaded.`}</FailedState>
    )
  }
  if (!rows) return <Loading label={`Loading ${of}`} lines={lines} />
  if (rows.length === 0) return empty
  return (
    <div aria-busy={isPlaceholderData} className={cx(isPlaceholderData && 'opacity-60')}>
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
