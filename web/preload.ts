import type { PageLoader } from './page-loader.ts'
import { type Area, areas, loadPage, pageAt } from './pages.ts'
import { whenIdle } from './when-idle.ts'

/**
 * Loads an area's pages while the browser is idle, so that menu clicks only wait for data. Failures are retried on
 * use.
 */
function preloadArea(name: 'dashboard' | 'admin') {
  const area: Area = areas[name]
  const login = areas.account.pages.filter(({ path }) => path === '/login')
  whenIdle(() => {
    for (const part of [...area.pages, areas.account.layout, ...login]) part.load().catch(() => {})
  })
}

/** Loads a page now. Not while offline: browsers may remember a failed script for the document's lifetime. */
function fetchPage(path: string) {
  if (!navigator.onLine) return
  const page = pageAt(path)
  // A failure is retried when the page opens.
  if (page) loadPage(page).catch(() => {})
}

export const pageLoader: PageLoader = { preloadArea, fetchPage }
