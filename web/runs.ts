import { useSyncExternalStore } from 'react'

const never = () => () => {}

/**
 * False in the document, which is the same for every address, and while React takes it over; then true. Until then a page
 * shows nothing of its own address.
 */
export function useRuns(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  )
}
