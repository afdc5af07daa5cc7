import { useSyncExternalStore } from 'react'

const never = () => () => {}

/** False on the server and until the page's script runs: what needs the script waits for it. */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  )
}

/** Event of the window: the page's script runs, and its buttons do what they say. */
export const hydratedEvent = 'hydrated'
