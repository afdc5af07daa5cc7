import type { ReactNode } from 'react'
import { Link } from 'react-router'
import type { CallData, CallDefinition } from '#shared/contract/define.ts'
import type { FilteredList } from '#shared/contract/filters.ts'
import { t } from '#shared/i18n/t.ts'
import { useFocusOnAnchor } from '#web/admin/anchor.ts'
import { type Bulk, BulkBar, type BulkRow, ChosenRows, nobodyChosen, useBulk } from '#web/admin/bulk/bulk.tsx'
import { BulkDialog } from '#web/admin/bulk/bulk-dialog.tsx'
import { useList } from '#web/api/list.ts'
import { PageHead, Section } from '#web/ui/section.tsx'
import { Table } from '#web/ui/table.tsx'
import { type ListColumn, useColumnChoice } from './columns.ts'
import { ListBody, ownPageSize, pageSize } from './list-body.tsx'
import {
  type FilterField,
  type ListFilter,
  type SortOption,
  type StatusOption,
  searchOf,
  useListFilter,
} from './list-filter.ts'
import { type ListName, listName } from './list-names.ts'
import { ColumnPanel, FilterPanel } from './list-panels.tsx'
import { ExportButton, ListTools, PanelButtons, usePanels } from './list-tools.tsx'
import { SavedFilters } from './saved-filters.tsx'
import { captionOf, sortHeaders } from './sort-header.tsx'

type ListCall = CallDefinition & { list: true }
type RowOf<C extends ListCall> = CallData<C> extends (infer Row)[] ? Row : never

type ListProps<C extends ListCall> = {
  call: C
  /** Call that exports the list. */
  file: CallDefinition & { file: 'text/csv' }
  /** As the other texts, in the reader's language. */
  title: string
  /** Name in the address, and of `listName`: 'deposits'. */
  name: ListName
  columns: readonly ListColumn<RowOf<C>>[]
  keyOf: (row: RowOf<C>) => string
  statuses: readonly StatusOption[]
  fields: readonly FilterField[]
  sorts: readonly SortOption[]
  /** Label of the unfiltered status. */
  all?: string
  /** Text of an empty list. */
  empty: string
  /** Shown above the table. */
  lead?: ReactNode
  wide?: boolean
  /** Bulk action. */
  bulk?: RowOf<C> extends BulkRow ? Bulk<RowOf<C>> : never
}

/**
 * A table among others that the server searches, filters, sorts, pages and exports.
 * @param props.path the table's own page, to which it leads with its filter
 */
export function ListSection<C extends ListCall>({ path, ...props }: ListProps<C> & { path?: string }) {
  const { name } = props
  const records = listName(name)
  const filter = useListFilter(props, name)
  const { tools, table } = useParts(props, filter, pageSize)
  return (
    <Section title={props.title} anchor={name} aside={tools}>
      {table}
      {path !== undefined && (
        <Link className="prose-link" to={`${path}${searchOf(filter)}`}>
          {filter.isSet ? t('All matching {records}', { records }) : t('All {records}', { records })}
        </Link>
      )}
    </Section>
  )
}

/** A list that also has a page of its own. */
export type PagedList<C extends ListCall> = ListProps<C> & { name: FilteredList }

/** The same table on its own page, with the user's saved filters. */
export function ListPage<C extends ListCall>({ purpose, ...props }: PagedList<C> & { purpose: string }) {
  const { name, title } = props
  const filter = useListFilter(props)
  const { tools, table } = useParts(props, filter, ownPageSize)
  useFocusOnAnchor()
  return (
    <section id={name} tabIndex={-1} aria-label={title}>
      <PageHead title={title} lead={purpose} aside={tools} />
      <SavedFilters list={name} filter={filter} />
      {table}
    </section>
  )
}

/** Search, filters and tools of a table, and the table with its panels. */
function useParts<C extends ListCall>(props: ListProps<C>, filter: ListFilter, limit: number) {
  const { call, file, title, name, columns, keyOf, statuses, fields, sorts, all, empty, lead, wide } = props
  const of = listName(name)
  const list = useList(call, { ...filter.query, limit })
  const choice = useColumnChoice(name, columns)
  const panels = usePanels()
  const bulk = useBulk(name, props.bulk as Bulk<BulkRow> | undefined, list.rows as BulkRow[] | undefined)
  const tools = (
    <ListTools of={of} filter={filter} all={all} statuses={statuses}>
      <PanelButtons of={of} panels={panels} filters={filter.fieldsSet} columns={choice.isOwn} />
      <ExportButton of={of} call={file} filter={filter} />
    </ListTools>
  )
  const table = (
    <>
      {lead && <div className="mb-4 text-sm">{lead}</div>}
      {panels.open === 'filters' && <FilterPanel of={of} filter={filter} fields={fields} sorts={sorts} />}
      {panels.open === 'columns' && <ColumnPanel of={of} columns={columns} choice={choice} />}
      <ListBody of={of} list={list} filter={filter} empty={empty}>
        {rows => (
          <ChosenRows value={bulk?.chosen ?? nobodyChosen}>
            {bulk && (
              <BulkBar bulk={bulk} matching={list.hasMore ? { call, query: filter.query } : undefined} />
            )}
            <Table
              caption={captionOf(title, filter.sort, sorts)}
              columns={choice.visible}
              rows={rows}
              keyOf={keyOf}
              wide={wide || choice.visible.length > 7}
              headOf={sortHeaders({ by: filter.sort, onSort: sort => filter.change({ sort }) }) as never}
              lead={bulk?.lead as never}
            />
          </ChosenRows>
        )}
      </ListBody>
      {/* Outside the list, which may become empty while the result is still shown. */}
      {bulk?.asked && <BulkDialog list={name} bulk={bulk.bulk} asked={bulk.asked} onClose={bulk.close} />}
    </>
  )
  return { tools, table }
}
