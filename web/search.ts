import { useCallback, useSyncExternalStore } from 'react'
import { useLocation } from 'react-router'
import { signal } from './api/signal.ts'

/** Filters live in the address's query: reload, Back and shared links keep them. */

type Query = { key: string; pathname: string; search: string }
type Change = (params: URLSearchParams) => URLSearchParams

/** Query of the history entry written last. */
let written: Query | undefined
const replaced = signal()

/**
 * The current query and a function to change it. It writes at once, without a navigation, because a pending
 * navigation would lose changes made meanwhile.
 */
export function useSearch(): [params: URLSearchParams, replace: (change: Change) => void] {
  const { key, pathname, search } = useLocation()
  const last = useSyncExternalStore(replaced.on, () => written)
  const replace = useCallback((change: Change) => replaceSearch(key, change), [key])
  return [
    new URLSearchParams(last?.key === key && last.pathname === pathname ? last.search : search),
    replace,
  ]
}

/** @param key of the current page's history entry */
function replaceSearch(key: string, change: Change) {
  // The address already belongs to another page that is about to show.
  if ((history.state?.key ?? 'default') !== key) return
  const { pathname, search, hash } = location
  const changed = change(new URLSearchParams(search)).toString()
  written = { key, pathname, search: changed === '' ? '' : `?${changed}` }
  history.replaceState(history.state, '', `${pathname}${written.search}${hash}`)
  replaced.emit()
}

/** The query after changes; empty values are removed. */
export function withChanges(params: URLSearchParams, changes: Record<string, string>): URLSearchParams {
  const changed = new URLSearchParams(params)
  for (const [key, value] of Object.entries(changes)) {
    if (value === '') changed.delete(key)
    else changed.set(key, value)
  }
  return changed
}
