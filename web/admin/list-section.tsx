import type { ReactNode } from 'react'
import type { CallData, CallDefinition } from '#shared/contract/define.ts'
import { useList } from '#web/api/read.ts'
import { Section } from '#web/ui/section.tsx'
import { type Column, Table } from '#web/ui/table.tsx'
import { ListBody, pageSize } from './list-body.tsx'
import { type StatusOption, useListFilter } from './list-filter.ts'
import { ListTools } from './list-tools.tsx'

type ListCall = CallDefinition & { list: true }
type RowOf<C extends ListCall> = CallData<C> extends (infer Row)[] ? Row : never

type ListSectionProps<C extends ListCall> = {
  call: C
  title: string
  /** Its name in the page's address, and what is listed: 'deposits'. */
  name: string
  columns: readonly Column<RowOf<C>>[]
  keyOf: (row: RowOf<C>) => string
  statuses: readonly StatusOption[]
  /** The filter's words for all of them. */
  all?: string
  /** The words for a list without a single row. */
  empty: string
  /** Above the table: what may be done beside what its rows offer. */
  lead?: ReactNode
  wide?: boolean
}

/** A list of the contract as a part of a page: its table, searched, filtered and paged by the server. */
export function ListSection<C extends ListCall>(props: ListSectionProps<C>) {
  const { call, title, name, columns, keyOf, statuses, all, empty, lead, wide } = props
  const filter = useListFilter(statuses, name)
  const query = { q: filter.q, status: filter.status, limit: pageSize }
  const list = useList(call, query)
  return (
    <Section
      title={title}
      anchor={name}
      aside={<ListTools of={name} filter={filter} all={all} statuses={statuses} />}
    >
      {lead && <div className="mb-4 text-sm">{lead}</div>}
      <ListBody of={name} list={list} filter={filter} empty={empty}>
        {rows => (
          <Table
            caption={`${title}, the newest first`}
            columns={columns}
            rows={rows}
            keyOf={keyOf}
            wide={wide}
          />
        )}
      </ListBody>
    </Section>
  )
}
