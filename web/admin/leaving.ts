import { useEffect } from 'react'
import { useLocation } from 'react-router'

/** Runs `left` when the page is left or shows another record (`?id=`). Must be stable. */
export function useLeaving(left: () => void) {
  const { pathname, search } = useLocation()
  const id = new URLSearchParams(search).get('id')
  // biome-ignore lint/correctness/useExhaustiveDependencies: of one page, of one record.
  useEffect(() => left, [pathname, id])
}
