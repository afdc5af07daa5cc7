import { useEffect } from 'react'
import { usePlace } from '#web/place.ts'

/** Runs `left` when the page is left or shows another record (`?id=`). Must be stable. */
export function useLeaving(left: () => void) {
  const place = usePlace()
  // biome-ignore lint/correctness/useExhaustiveDependencies: of one page, of one record.
  useEffect(() => left, [place])
}
