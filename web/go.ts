import { useEffect, useLayoutEffect } from 'react'
import { type NavigateFunction, type NavigateOptions, type To, useLocation, useNavigate } from 'react-router'

let navigate: NavigateFunction | undefined
const waiting = new Set<() => void>()

/**
 * Navigates to another page, or through the history. Not a hook, so callers need not follow the address.
 * @returns resolves once the new place shows
 */
export function go(to: To | number, options?: NavigateOptions): Promise<void> {
  const shown = new Promise<void>(resolve => waiting.add(resolve))
  // Both forms of the router's function, with and without options, take these.
  void navigate?.(to as To, options)
  return shown
}

/** Connects `go` to the router and resolves its promises once another place shows. */
export function useGoSupport() {
  const { key } = useLocation()
  const current = useNavigate()
  useLayoutEffect(() => {
    navigate = current
  }, [current])
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever the place is another one.
  useEffect(() => {
    for (const arrived of waiting) arrived()
    waiting.clear()
  }, [key])
}
