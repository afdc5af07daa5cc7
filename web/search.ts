import { useSyncExternalStore } from 'react'
import { useLocation } from 'react-router'
import { signal } from './api/signal.ts'

/** The query of the page's address, where filters are kept: a reload, the way back and a shared link keep them. */

const replaced = signal()

/** The query as it is now, whoever changed it: a navigation, the way back, or `replaceSearch`. */
export function useSearch(): URLSearchParams {
  useLocation()
  return new URLSearchParams(useSyncExternalStore(replaced.on, () => location.search))
}

/**
 * Writes into the address at once, without a navigation: one that is still under way would forget what another filter,
 * or the next key, has changed meanwhile.
 */
export function replaceSearch(change: (params: URLSearchParams) => URLSearchParams) {
  const { pathname, search, hash } = location
  const changed = change(new URLSearchParams(search)).toString()
  history.replaceState(history.state, '', `${pathname}${changed === '' ? '' : `?${changed}`}${hash}`)
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
