import { useEffect } from 'react'
import { useLocation } from 'react-router'

/** Does something once the page is left, or shows another record (`?id=`); the same function at every rendering. */
export function useLeaving(left: () => void) {
  const { pathname, search } = useLocation()
  const id = new URLSearchParams(search).get('id')
  // biome-ignore lint/correctness/useExhaustiveDependencies: of one page, of one record.
  useEffect(() => left, [pathname, id])
}
