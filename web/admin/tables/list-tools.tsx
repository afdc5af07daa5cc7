import { Columns3, Download, Search, SlidersHorizontal } from 'lucide-react'
import { type ComponentProps, type ReactNode, useState } from 'react'
import type { CallDefinition, CallInput } from '#shared/contract/define.ts'
import { t } from '#shared/i18n/t.ts'
import { longestSearch } from '#shared/limits.ts'
import { useDownload } from '#web/api/download.ts'
import { zone } from '#web/components/days.ts'
import { IconButton } from '#web/ui/button.tsx'
import { cx } from '#web/ui/cx.ts'
import { Select } from '#web/ui/input.tsx'
import { DebouncedInput } from './debounced-input.tsx'
import type { ListFilter, StatusOption } from './list-filter.ts'

type ListToolsProps = {
  /** What is listed, in the reader's language: t('entries'). */
  of: string
  filter: ListFilter
  /** Label of the unfiltered status, if not 'All statuses'. */
  all?: string
  statuses?: readonly StatusOption[]
  /** More tools. */
  children?: ReactNode
}

/** Search and status filter of a list. */
export function ListTools({ of, filter, all, statuses = [], children }: ListToolsProps) {
  return (
    <search className="flex w-full flex-wrap gap-2 sm:w-auto">
      <SearchBox
        label={t('Search {records}', { records: of })}
        q={filter.q}
        onSearch={q => filter.change({ q })}
        // Wraps on phones.
        className={cx(children !== undefined && statuses.length > 0 && 'basis-full sm:basis-auto')}
      />
      {statuses.length > 0 && (
        <Select
          aria-label={t('Filter {records}', { records: of })}
          className="min-w-32 flex-1 text-sm sm:w-auto sm:flex-none"
          value={filter.status}
          onChange={event => filter.change({ status: event.target.value })}
        >
          <option value="">{all ?? t('All statuses')}</option>
          {statuses.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </Select>
      )}
      {children}
    </search>
  )
}

type SearchBoxProps = { label: string; q: string; onSearch: (q: string) => void; className: string }

function SearchBox({ label, q, onSearch, className }: SearchBoxProps) {
  return (
    <div className={cx('relative min-w-36 flex-1 sm:w-60 sm:flex-none', className)}>
      <Search
        aria-hidden="true"
        className="pointer-events-none absolute inset-y-0 start-3 my-auto size-4 text-ink-faint"
      />
      <DebouncedInput
        type="search"
        aria-label={label}
        placeholder={t('Search')}
        maxLength={longestSearch}
        className="ps-9 text-sm"
        value={q}
        read={trimmed}
        onValue={onSearch}
      />
    </div>
  )
}

function trimmed(text: string): string {
  return text.trim()
}

/** The open panel. */
export type OpenPanel = 'filters' | 'columns' | undefined

export function usePanels() {
  const [open, setOpen] = useState<OpenPanel>()
  const toggle = (panel: OpenPanel) => setOpen(current => (current === panel ? undefined : panel))
  return { open, toggle }
}

type PanelButtonsProps = {
  of: string
  panels: ReturnType<typeof usePanels>
  /** Number of filters set; undefined without filters. */
  filters?: number
  /** True if columns differ from the default; undefined without a choice. */
  columns?: boolean
}

/** Buttons for the filter and column panels. */
export function PanelButtons({ of, panels: { open, toggle }, filters, columns }: PanelButtonsProps) {
  return (
    <>
      {filters !== undefined && (
        <ToolButton
          label={
            filters === 0
              ? t('Filter and sort {records}', { records: of })
              : t('Filter and sort {records}: {count, number} set', { records: of, count: filters })
          }
          aria-expanded={open === 'filters'}
          isSet={filters > 0}
          onClick={() => toggle('filters')}
        >
          <SlidersHorizontal aria-hidden="true" />
        </ToolButton>
      )}
      {columns !== undefined && (
        <ToolButton
          label={t('Columns of {records}', { records: of })}
          aria-expanded={open === 'columns'}
          isSet={columns}
          onClick={() => toggle('columns')}
        >
          <Columns3 aria-hidden="true" />
        </ToolButton>
      )}
    </>
  )
}

function ToolButton({ isSet, className, ...rest }: ComponentProps<typeof IconButton> & { isSet?: boolean }) {
  return (
    <IconButton
      className={cx('border border-edge bg-surface', isSet && 'bg-accent-soft text-accent', className)}
      {...rest}
    />
  )
}

type FileCall = CallDefinition & { file: string }

/** Exports every filtered row in the current order. */
export function ExportButton({ of, call, filter }: { of: string; call: FileCall; filter: ListFilter }) {
  const { run, pending } = useDownload(call)
  const query = { ...filter.query, zone: zone() }
  return (
    <ToolButton
      label={t('Export {records} as CSV', { records: of })}
      aria-disabled={pending || undefined}
      aria-busy={pending || undefined}
      className={cx(pending && 'opacity-60')}
      onClick={() => run({ query } as unknown as CallInput<FileCall>)}
    >
      <Download aria-hidden="true" />
    </ToolButton>
  )
}
