import { useCallback, useSyncExternalStore } from 'react'
import { useLocation } from 'react-router'
import { signal } from './api/signal.ts'

/** The query of the page's address, where filters are kept: a reload, the way back and a shared link keep them. */

type Query = { key: string; pathname: string; search: string }
type Change = (params: URLSearchParams) => URLSearchParams

/** Of the entry of the history that was written to last. */
let written: Query | undefined
const replaced = signal()

/**
 * The query of the page that is on show, whoever changed it (a navigation, the way back, a filter), and a way to change it.
 * It is written into the address at once, without a navigation: one that is still under way would forget what another
 * filter, or the next key, has changed meanwhile.
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

/** @param key of the entry of the history that the page on show is at */
function replaceSearch(key: string, change: Change) {
  // The address is that of another page already, which is about to be shown.
  if ((history.state?.key ?? 'default') !== key) return
  const { pathname, search, hash } = location
  const changed = change(new URLSearchParams(search)).toString()
  written = { key, pathname, search: changed === '' ? '' : `?${changed}` }
  history.replaceState(history.state, '', `${pathname}${written.search}${hash}`)
  replaced.emit()
}

/** The query after a change; what is empty is not written, and everything else stays. */
export function withChanges(params: URLSearchParams, changes: Record<string, string>): URLSearchParams {
  const changed = new URLSearchParams(params)
  for (const [key, value] of Object.entries(changes)) {
    if (value === '') changed.delete(key)
    else changed.set(key, value)
  }
  return changed
}
