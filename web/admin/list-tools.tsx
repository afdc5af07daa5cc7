import { Search } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Input, Select } from '#web/ui/input.tsx'
import type { ListFilter, StatusOption } from './list-filter.ts'

/** Milliseconds without a key after which a search is sent. */
const searchAfterMs = 250

type ListToolsProps = {
  /** What is listed: 'deposits'. */
  of: string
  filter: ListFilter
  /** What `all` stands for without a filter: 'All statuses'. */
  all?: string
  statuses?: readonly StatusOption[]
}

/** Search and status filter at the head of a list. */
export function ListTools({ of, filter, all = 'All statuses', statuses = [] }: ListToolsProps) {
  return (
    <search className="flex w-full gap-2 sm:w-auto">
      <SearchBox label={`Search ${of}`} q={filter.q} onSearch={q => filter.change({ q })} />
      {statuses.length > 0 && (
        <Select
          aria-label={`Filter ${of}`}
          className="min-w-32 flex-1 text-sm sm:w-auto sm:flex-none"
          value={filter.status}
          onChange={event => filter.change({ status: event.target.value })}
        >
          <option value="">{all}</option>
          {statuses.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </Select>
      )}
    </search>
  )
}

function SearchBox({ label, q, onSearch }: { label: string; q: string; onSearch: (q: string) => void }) {
  const [text, setText] = useState(q)
  // The address may change by itself: a link, the way back, a cleared filter.
  useEffect(() => setText(q), [q])

  // biome-ignore lint/correctness/useExhaustiveDependencies: waits for the text to rest; q and onSearch are of that moment.
  useEffect(() => {
    if (text.trim() === q) return
    const timer = setTimeout(() => onSearch(text.trim()), searchAfterMs)
    return () => clearTimeout(timer)
  }, [text])

  return (
    <div className="relative min-w-36 flex-1 sm:w-60 sm:flex-none">
      <Search
        aria-hidden="true"
        className="pointer-events-none absolute inset-y-0 left-3 my-auto size-4 text-ink-faint"
      />
      <Input
        type="search"
        aria-label={label}
        placeholder="Search"
        maxLength={100}
        autoComplete="off"
        className="pl-9 text-sm"
        value={text}
        onChange={event => setText(event.target.value)}
      />
    </div>
  )
}
