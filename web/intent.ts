import { useEffect } from 'react'
import { usePageLoader } from './page-loader.ts'

/** Milliseconds for which a pointer has to rest on a link: one that passes over the menu means none of it. */
const restMs = 40

/**
 * Fetches what a page needs as soon as somebody seems to mean a link to it: a pointer rests on it, it has the focus, or a
 * finger has come down on it. So a click has less to wait for.
 * @param load the reads of the area's pages, by their paths; it stays the same function
 */
export function useIntent(load: () => Promise<{ readPage: (path: string) => void }>) {
  const { fetchPage } = usePageLoader()
  useEffect(() => {
    let resting: ReturnType<typeof setTimeout> | undefined
    const meant = ({ target }: Event) => {
      const link = target instanceof Element ? target.closest('a') : null
      if (!link || link.origin !== location.origin || link.pathname === location.pathname) return
      fetchPage(link.pathname)
      // What cannot be fetched now is fetched when it is needed.
      load().then(
        ({ readPage }) => readPage(link.pathname),
        () => {},
      )
    }
    const pointed = (event: Event) => {
      clearTimeout(resting)
      resting = setTimeout(meant, restMs, event)
    }
    const listeners = [
      ['pointerover', pointed],
      ['focusin', meant],
      ['touchstart', meant],
    ] as const
    for (const [name, listener] of listeners) addEventListener(name, listener, { passive: true })
    return () => {
      clearTimeout(resting)
      for (const [name, listener] of listeners) removeEventListener(name, listener)
    }
  }, [load, fetchPage])
}
