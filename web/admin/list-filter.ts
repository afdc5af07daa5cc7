import { useSearch } from '#web/search.ts'

/** What a list may be filtered by, and its words. */
export type StatusOption = readonly [value: string, label: string]

/** What a list of the console is searched and filtered by; kept in the page's address. */
export type ListFilter = {
  q: string
  status: string
  /** A search or a status is set. */
  isSet: boolean
  change: (next: { q?: string; status?: string }) => void
  clear: () => void
}

type Keys = { q: string; status: string }

/** Where a list's filter stands in the address: `?deposits=pending&deposits-q=ada`, or `?status=…&q=…` of a page's only list. */
export function filterKeys(list: string | undefined): Keys {
  return list === undefined ? { q: 'q', status: 'status' } : { q: `${list}-q`, status: list }
}

/** The address's parameters after a change; what is empty is not written. */
export function withFilter(params: URLSearchParams, keys: Keys, next: { q?: string; status?: string }) {
  const changed = new URLSearchParams(params)
  for (const part of ['q', 'status'] as const) {
    const value = next[part]
    if (value === undefined) continue
    if (value === '') changed.delete(keys[part])
    else changed.set(keys[part], value)
  }
  return changed
}

/**
 * Search and status filter of a list, in the address.
 * @param statuses what may be filtered by; anything else in the address counts as nothing.
 */
export function useListFilter(statuses: readonly StatusOption[], list?: string): ListFilter {
  const [params, replaceSearch] = useSearch()
  const keys = filterKeys(list)
  const q = params.get(keys.q) ?? ''
  const asked = params.get(keys.status) ?? ''
  const status = statuses.some(([value]) => value === asked) ? asked : ''
  const change = (next: { q?: string; status?: string }) =>
    replaceSearch(current => withFilter(current, keys, next))
  return { q, status, isSet: q !== '' || status !== '', change, clear: () => change({ q: '', status: '' }) }
}
