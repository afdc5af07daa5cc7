import { useEffect } from 'react'

/**
 * Runs what a page is readable without, from a module that loads after the page; stops it when the page is left.
 * @param load must be stable
 */
export function useOnceLoaded(load: () => Promise<() => () => void>) {
  useEffect(() => {
    let isGone = false
    let stop: (() => void) | undefined
    load().then(start => {
      if (!isGone) stop = start()
    }, reportError)
    return () => {
      isGone = true
      stop?.()
    }
  }, [load])
}
