import { useEffect, useState } from 'react'

/** Debounce time in milliseconds. */
const debounceMs = 250

/** A text once typing has paused. */
export function useDebounced<T extends string | undefined>(text: T): T {
  const [debounced, setDebounced] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(text), debounceMs)
    return () => clearTimeout(timer)
  }, [text])
  return debounced
}
