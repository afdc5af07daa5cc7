import type { PageLoader } from './page-loader.ts'
import { type Area, areas, loadPage, pageAt } from './pages.ts'
import { whenIdle } from './when-idle.ts'

/**
 * Loads the pages of an area while the browser has nothing else to do, so that a click in the menu does not need the
 * server for more than figures. One that cannot be loaded now is loaded when it is needed.
 */
function preloadArea(name: 'dashboard' | 'admin') {
  const area: Area = areas[name]
  const login = areas.account.pages.filter(({ path }) => path === '/login')
  whenIdle(() => {
    for (const part of [...area.pages, areas.account.layout, ...login]) part.load().catch(() => {})
  })
}

/**
 * Loads a page now; what it renders waits for its turn. Not without a connection: a browser may remember for as long as the
 * document stays that a script could not be fetched.
 */
function fetchPage(path: string) {
  if (!navigator.onLine) return
  const page = pageAt(path)
  // One that cannot be loaded now is loaded when it is needed.
  if (page) loadPage(page).catch(() => {})
}

export const pageLoader: PageLoader = { preloadArea, fetchPage }
