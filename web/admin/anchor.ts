import { useEffect } from 'react'
import { useLocation } from 'react-router'

/** Anchor of a record's postings. */
export const postingsAnchor = 'postings'
/** Anchor of the proposals. */
export const proposalsAnchor = 'proposals'

/** Moves the focus to the address's anchor (`#deposits`). */
export function useFocusOnAnchor() {
  const { hash, key } = useLocation()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the same link followed again has a new key.
  useEffect(() => {
    if (hash) document.getElementById(hash.slice(1))?.focus()
  }, [hash, key])
}
