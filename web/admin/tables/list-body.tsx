import type { ReactNode } from 'react'
import { t } from '#shared/i18n/t.ts'
import type { List } from '#web/api/list.ts'
import { ListStates } from '#web/components/list-states.tsx'
import { cx } from '#web/ui/cx.ts'
import { EmptyState } from '#web/ui/states.tsx'
import type { ListFilter } from './list-filter.ts'

/** Rows at a time: of one table among others, and of a table on its own page. */
export const pageSize = 10
export const ownPageSize = 25
/** Versions per page. */
export const versionsAtOnce = 20

type ListBodyProps<Row> = {
  /** What is listed, in the reader's language: t('notes'). */
  of: string
  list: List<Row>
  filter: ListFilter
  /** Text of an empty list. */
  empty: string
  /** Mostly empty: it takes the room of its empty text while it loads, so that what follows stays where it is. */
  few?: boolean
  children: (rows: readonly Row[]) => ReactNode
}

/** A console list in each state of `ListStates`, and without a match. */
export function ListBody<Row>({ of, list, filter, empty, few = false, children }: ListBodyProps<Row>) {
  return (
    <div className={cx(few && 'min-h-27')}>
      <ListStates
        home
        list={list}
        of={t('the {records}', { records: of })}
        lines={few ? 2 : 8}
        empty={filter.isSet ? <NoMatch of={of} filter={filter} /> : <EmptyState>{empty}</EmptyState>}
      >
        {children}
      </ListStates>
    </div>
  )
}

function NoMatch({ of, filter }: { of: string; filter: ListFilter }) {
  return (
    <EmptyState
      action={
        <button type="button" className="prose-link" onClick={filter.clear}>
          {t('Show all {records}', { records: of })}
        </button>
      }
    >
      {t('No {records} match this search.', { records: of })}
    </EmptyState>
  )
}
