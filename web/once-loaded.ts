import { useEffect } from 'react'

/**
 * Runs what a page is readable without, from a module that loads after the page; stops it when the page is left.
 * @param load must be stable
 */
export function useOnceLoaded(load: () => Promise<() => () => void>) {
  useEffect(() => {
    const started = load().then(start => start())
    started.catch(reportError)
    return () =>
      void started.then(
        stop => stop(),
        () => {},
      )
  }, [load])
}
