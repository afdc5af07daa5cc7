import type { Area, AreaPage } from './area.ts'
import { loadPage, pageAt } from './pages.ts'
import { paths } from './paths.ts'
import { whenIdle } from './when-idle.ts'

/** Milliseconds a pointer must rest on a link; passing over the menu means nothing. */
const restMs = 40

/**
 * Makes the next page open at once: loads the scripts of the area's pages while the browser is idle, unless it saves
 * data, and a page's first reads when someone is about to open it. It loads after the first page itself.
 * @returns stops it
 */
export function startPrefetch(area: Area): () => void {
  const { pages, reads } = area
  if (!reads) return () => {}
  if (!savesData()) {
    whenIdle(() => {
      for (const page of pages) fetchPage({ area, page })
      // A session may end without the server.
      fetchPage(pageAt(paths.login))
    })
  }
  return onIntent(path => {
    fetchPage(pageAt(path))
    // A failed prefetch is retried when the page opens.
    reads().then(
      ({ readPage }) => readPage(path),
      () => {},
    )
  })
}

/** Whether the person asked the browser for that (https://wicg.github.io/savedata/), which not every browser can tell. */
function savesData(): boolean {
  const { connection } = navigator as { connection?: { saveData?: boolean } }
  return connection?.saveData === true
}

/** Not while offline: browsers may remember a failed script for the document's lifetime. */
function fetchPage(page: AreaPage | undefined) {
  // A failure is retried when the page opens.
  if (page && navigator.onLine) loadPage(page).catch(() => {})
}

/**
 * Calls back with the path of another page when a pointer rests on its link, the link has the focus, or a finger
 * touches it.
 * @returns stops listening
 */
function onIntent(prefetch: (path: string) => void): () => void {
  let resting: ReturnType<typeof setTimeout> | undefined
  const wanted = (target: EventTarget | null) => {
    const link = target instanceof Element ? target.closest('a') : null
    if (!link || link.origin !== location.origin || link.pathname === location.pathname) return
    prefetch(link.pathname)
  }
  const meant = ({ target }: Event) => wanted(target)
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
  // Somebody may have been quicker than this module.
  for (const target of [document.querySelector('a:hover'), document.activeElement]) wanted(target)
  return () => {
    clearTimeout(resting)
    for (const [name, listener] of listeners) removeEventListener(name, listener)
  }
}
