/** What React Router keeps about its pages: where the script of each is, and what that imports. */
type Manifest = { routes: Record<string, { module: string; imports?: string[] }> }

/** Pages whose scripts are here already, or on their way. */
const asked = new Set<string>()

/**
 * Fetches the scripts of an area's pages while the browser has nothing else to do, so that a click in the menu does not
 * need the server for more than figures. Without its script React Router would load the page anew, and with the server out of
 * reach that leaves the browser's error page. One that cannot be fetched now is fetched when it is needed.
 * @param area a folder of this one
 */
export function preloadPages(area: 'dashboard' | 'admin') {
  const { routes } = (globalThis as unknown as { __reactRouterManifest: Manifest }).__reactRouterManifest
  const pages = Object.entries(routes).filter(([id]) => id.startsWith(`${area}/`) || id === 'account/login')
  whenIdle(() => {
    for (const href of pages.flatMap(([, { module, imports = [] }]) => [module, ...imports])) {
      if (asked.has(href)) continue
      asked.add(href)
      const link = document.createElement('link')
      link.rel = 'modulepreload'
      link.href = href
      document.head.append(link)
    }
  })
}

export function whenIdle(work: () => void) {
  // Not in Safari.
  if ('requestIdleCallback' in globalThis) requestIdleCallback(work)
  else setTimeout(work)
}
