import type { ReactNode } from 'react'
import type { List } from '#web/api/read.ts'
import { ListStates } from '#web/components/list-states.tsx'
import { EmptyState } from '#web/ui/states.tsx'
import type { ListFilter } from './list-filter.ts'

/** Rows at a time: of one table among others, and of a table on its own page. */
export const pageSize = 10
export const ownPageSize = 25
/** Versions per page. */
export const versionsAtOnce = 20

type ListBodyProps<Row> = {
  /** What is listed: 'deposits'. */
  of: string
  list: List<Row>
  filter: ListFilter
  /** Text of an empty list. */
  empty: string
  children: (rows: readonly Row[]) => ReactNode
}

/** A console list in each state of `ListStates`, and without a match. */
export function ListBody<Row>({ of, list, filter, empty, children }: ListBodyProps<Row>) {
  return (
    <ListStates
      home
      list={list}
      of={`the ${of}`}
      lines={8}
      empty={filter.isSet ? <NoMatch of={of} filter={filter} /> : <EmptyState>{empty}</EmptyState>}
    >
      {children}
    </ListStates>
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
