import { Search } from 'lucide-react'
import { type KeyboardEvent, type MouseEvent, useEffect, useId, useState } from 'react'
import { Link } from 'react-router'
import { search } from '#shared/contract/search.ts'
import { t } from '#shared/i18n/t.ts'
import { longestSearch, shortestSearch } from '#shared/limits.ts'
import { DebouncedInput } from '#web/admin/tables/debounced-input.tsx'
import { wordsOf } from '#web/api/errors.ts'
import { useRead } from '#web/api/read.ts'
import { Usd } from '#web/components/amounts.tsx'
import type { WorkspaceEntry } from '#web/components/workspace.tsx'
import { cx } from '#web/ui/cx.ts'
import { Dialog } from '#web/ui/dialog.tsx'
import { FailedState } from '#web/ui/states.tsx'
import { groupsOf, pagesFor, type Result, type ResultGroup } from './results.ts'

type SearchDialogProps = { pages: readonly WorkspaceEntry[]; onClose: () => void }

/** The console's search: a combobox whose options are links (WAI-ARIA APG, editable combobox with a list). */
export default function SearchDialog({ pages, onClose }: SearchDialogProps) {
  return (
    <Dialog open wide onClose={onClose} title={t('Search')}>
      <SearchBox pages={pages} onClose={onClose} />
    </Dialog>
  )
}

function SearchBox({ pages, onClose }: SearchDialogProps) {
  const id = useId()
  const [q, setQ] = useState('')
  const { groups, state, failure, retry } = useResults(pages, q)
  const links = groups.flatMap(linksOf)
  const keys = useKeys({ id, q, setQ, count: links.length, isCurrent: state === 'current' })
  return (
    <div className="grid min-h-[60dvh] content-start gap-3 sm:min-h-96">
      <div className="relative">
        <Search
          aria-hidden="true"
          className="pointer-events-none absolute inset-y-0 start-3 my-auto size-4 text-ink-faint"
        />
        <DebouncedInput
          type="search"
          role="combobox"
          data-takes-focus=""
          aria-label={t('Search')}
          aria-autocomplete="list"
          aria-expanded={links.length > 0}
          aria-controls={links.length > 0 ? id : undefined}
          aria-activedescendant={links.length > 0 ? optionId(id, keys.active) : undefined}
          placeholder={t('Name, number, hash or address')}
          maxLength={longestSearch}
          spellCheck={false}
          className="ps-9"
          value={q}
          read={text => text.trim()}
          onValue={setQ}
          onKeyDown={keys.onKeyDown}
        />
      </div>
      <p role="status" className="text-ink-faint text-sm">
        {statusWords(state, q, groups)}
      </p>
      {failure !== undefined && <FailedState onRetry={retry}>{failure}</FailedState>}
      {links.length > 0 && (
        <div
          id={id}
          role="listbox"
          aria-label={t('Results')}
          aria-busy={state === 'searching'}
          className="grid gap-4"
        >
          {groups.map((group, place) => (
            <Group
              key={group.title}
              id={id}
              group={group}
              first={groups.slice(0, place).flatMap(linksOf).length}
              active={keys.active}
              onFollow={onClose}
            />
          ))}
        </div>
      )}
    </div>
  )
}

/** `current`: the results are those of the text. */
type State = 'idle' | 'searching' | 'current' | 'failed'

function useResults(pages: readonly WorkspaceEntry[], q: string) {
  const isAsked = q.length >= shortestSearch
  const read = useRead(search, { query: { q } }, { enabled: isAsked, keep: true, quiet: true })
  const hasFailed = isAsked && read.isError
  const isCurrent = isAsked && read.isSuccess && !read.isPlaceholderData
  const state: State = !isAsked ? 'idle' : hasFailed ? 'failed' : isCurrent ? 'current' : 'searching'
  const found = isAsked && !hasFailed && read.data ? groupsOf(read.data, q) : []
  return {
    groups: isAsked ? [...pagesFor(pages, q), ...found] : [],
    state,
    failure: hasFailed ? wordsOf(read.error) : undefined,
    retry: () => void read.refetch(),
  }
}

function linksOf({ results, all }: ResultGroup): Result[] {
  return all === undefined ? results : [...results, all]
}

function statusWords(state: State, q: string, groups: readonly ResultGroup[]): string {
  if (state === 'searching') return t('Searching…')
  if (state === 'failed') return t('The search failed.')
  if (state === 'idle') {
    return t('Find people by name or email, records by number, and payments by transaction or address.')
  }
  const count = groups.flatMap(({ results }) => results).length
  if (count === 0) return t('Nothing found for “{search}”.', { search: q })
  if (groups.some(({ all }) => all !== undefined))
    return t('{count, plural, other {The first # results}}', { count })
  return t('{count, plural, one {# result} other {# results}}', { count })
}

function optionId(list: string, place: number): string {
  return `${list}-${place}`
}

type KeysOf = { id: string; q: string; setQ: (q: string) => void; count: number; isCurrent: boolean }

/** Arrows move through the results while the focus stays in the field; Enter follows the active one. */
function useKeys({ id, q, setQ, count, isCurrent }: KeysOf) {
  const [place, setPlace] = useState({ q, at: 0 })
  const [follows, setFollows] = useState(false)
  const active = place.q === q ? Math.min(place.at, Math.max(count - 1, 0)) : 0

  function follow() {
    document.getElementById(optionId(id, active))?.click()
  }

  // Enter came before the results, as after a paste: follow the first one once they are there.
  useEffect(() => {
    if (!follows || !isCurrent) return
    setFollows(false)
    document.getElementById(optionId(id, 0))?.click()
  }, [follows, isCurrent, id])

  function move(by: number) {
    const at = (active + by + count) % count
    setPlace({ q, at })
    document.getElementById(optionId(id, at))?.scrollIntoView({ block: 'nearest' })
  }

  function onKeyDown(event: KeyboardEvent<HTMLInputElement>) {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Enter') {
      event.preventDefault()
      const typed = event.currentTarget.value.trim()
      if (typed === q && isCurrent) follow()
      else if (typed.length >= shortestSearch) {
        setQ(typed)
        setFollows(true)
      }
      return
    }
    setFollows(false)
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (by === undefined || count === 0) return
    event.preventDefault()
    move(by)
  }

  return { active, onKeyDown }
}

type GroupProps = {
  /** Of the list. */
  id: string
  group: ResultGroup
  /** Place of its first result in the whole list. */
  first: number
  active: number
  onFollow: () => void
}

function Group({ id, group, first, active, onFollow }: GroupProps) {
  const heading = useId()
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would group fields.
    <div role="group" aria-labelledby={heading}>
      <div id={heading} role="presentation" className="mb-1 font-medium text-ink-faint text-sm">
        {group.title}
      </div>
      {linksOf(group).map((result, place) => (
        <Option
          key={result.to}
          id={optionId(id, first + place)}
          result={result}
          isActive={first + place === active}
          onFollow={onFollow}
        />
      ))}
    </div>
  )
}

type OptionProps = { id: string; result: Result; isActive: boolean; onFollow: () => void }

function Option({ id, result: { to, title, detail, amount }, isActive, onFollow }: OptionProps) {
  function followed({ metaKey, ctrlKey, shiftKey }: MouseEvent) {
    // Otherwise it opens in another tab or window.
    if (!metaKey && !ctrlKey && !shiftKey) onFollow()
  }
  return (
    <Link
      id={id}
      role="option"
      aria-selected={isActive}
      tabIndex={-1}
      to={to}
      onClick={followed}
      className={cx(
        'flex min-h-11 flex-wrap items-center gap-x-4 rounded-sm px-3 py-1.5',
        isActive ? 'bg-accent-soft text-accent' : 'hover:bg-sunken',
      )}
    >
      <span className="font-medium" dir="auto">
        {title}
      </span>
      {detail !== undefined && (
        <span className="text-ink-soft text-sm" dir="auto">
          {detail}
        </span>
      )}
      {amount !== undefined && (
        <span className="ms-auto tabular-nums">
          <Usd value={amount} />
        </span>
      )}
    </Link>
  )
}
