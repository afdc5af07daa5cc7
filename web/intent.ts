import { useEffect } from 'react'
import { usePageLoader } from './page-loader.ts'

/** Milliseconds a pointer must rest on a link; passing over the menu means nothing. */
const restMs = 40

/**
 * Prefetches a page when a pointer rests on its link, the link has the focus, or a finger touches it.
 * @param load returns the area's reads by path; must be a stable function
 */
export function useIntent(load: () => Promise<{ readPage: (path: string) => void }>) {
  const { fetchPage } = usePageLoader()
  useEffect(() => {
    let resting: ReturnType<typeof setTimeout> | undefined
    const meant = ({ target }: Event) => {
      const link = target instanceof Element ? target.closest('a') : null
      if (!link || link.origin !== location.origin || link.pathname === location.pathname) return
      fetchPage(link.pathname)
      // A failed prefetch is retried when the page opens.
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
