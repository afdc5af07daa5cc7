import type { ReactNode } from 'react'
import { NavigationType, useNavigationType } from 'react-router'
import { t } from '#shared/i18n/t.ts'
import type { List } from '#web/api/list.ts'
import { usePainted } from '#web/painted.ts'
import { capital } from '#web/ui/capital.ts'
import { cx } from '#web/ui/cx.ts'
import { focusHome } from '#web/ui/focus-home.ts'
import { LoadMore } from '#web/ui/load-more.tsx'
import { FailedState, Loading } from '#web/ui/states.tsx'

type ListStatesProps<Row> = {
  list: List<Row>
  /** What it lists, in the reader's language: t('your deposits'). */
  of: string
  /** Lines of the loading placeholder. */
  lines?: number
  /** What the count counts, if not the rows: 'postings'. */
  unit?: string
  /** Shown for an empty list. */
  empty: ReactNode
  /** Receives the focus after an action removed its own button. */
  home?: boolean
  children: (rows: Row[]) => ReactNode
}

/** More rows than a screen shows. */
const atFirst = 20

/** A list that is loading, failed, empty or shown. Rows stay visible if a refresh fails. */
export function ListStates<Row>({ home, ...state }: ListStatesProps<Row>) {
  if (!home) return <State {...state} />
  return (
    <div {...focusHome} className="outline-none">
      <State {...state} />
    </div>
  )
}

function State<Row>({ list, of, lines = 3, unit, empty, children }: Omit<ListStatesProps<Row>, 'home'>) {
  const { rows, total, totalIsAtLeast, hasMore, more, loadingMore, isError, isPlaceholderData, refetch } =
    list
  if (isError && !rows) {
    return (
      <FailedState onRetry={refetch}>{capital(t('{list} could not be loaded.', { list: of }))}</FailedState>
    )
  }
  if (!rows) return <Loading label={t('Loading {list}', { list: of })} lines={lines} />
  if (rows.length === 0) return empty
  return (
    <div aria-busy={isPlaceholderData} className={cx(isPlaceholderData && 'opacity-60')}>
      <Rows rows={rows}>{children}</Rows>
      <LoadMore
        shown={rows.length}
        total={total}
        totalIsAtLeast={totalIsAtLeast}
        unit={unit}
        hasMore={hasMore}
        loading={loadingMore}
        onMore={more}
      />
    </div>
  )
}

type RowsProps<Row> = { rows: Row[]; children: (rows: Row[]) => ReactNode }

/**
 * Shows the visible rows first, and all after the paint. Back needs the full height at once, to restore the scroll
 * position.
 */
function Rows<Row>({ rows, children }: RowsProps<Row>) {
  const isReturn = useNavigationType() === NavigationType.Pop
  const isPainted = usePainted()
  return children(isReturn || isPainted ? rows : rows.slice(0, atFirst))
}
