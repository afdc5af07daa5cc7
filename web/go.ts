import { useEffect, useLayoutEffect } from 'react'
import { type NavigateFunction, type NavigateOptions, type To, useLocation, useNavigate } from 'react-router'

let navigate: NavigateFunction | undefined
const waiting = new Set<() => void>()

/**
 * Leads to another page, or back in the history; a place without a path is on the page that is on show. A function and no
 * hook: what calls it need not follow the address. What it promises is kept once that place is on show.
 */
export function go(to: To | number, options?: NavigateOptions): Promise<void> {
  const shown = new Promise<void>(resolve => waiting.add(resolve))
  if (typeof to === 'number') void navigate?.(to)
  else void navigate?.(to, options)
  return shown
}

/** For the frame of all pages: makes `go` go, and tells who waits that another place is on show. */
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
