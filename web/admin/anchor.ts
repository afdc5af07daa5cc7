import { useEffect } from 'react'
import { useLocation } from 'react-router'

/** Where the postings of a record stand on its page. */
export const postingsAnchor = 'postings'
/** Where what needs two admins stands on its page. */
export const proposalsAnchor = 'proposals'

/** A link to a part of a page (`#deposits`) takes the keyboard there too. */
export function useFocusOnAnchor() {
  const { hash, key } = useLocation()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the same link followed again has a new key.
  useEffect(() => {
    if (hash) document.getElementById(hash.slice(1))?.focus()
  }, [hash, key])
}
