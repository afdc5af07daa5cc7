/** What React Router keeps about its pages: where the script of each is, and what that imports. */
type Manifest = { routes: Record<string, { module: string; imports?: string[] }> }

function routes(): Manifest['routes'] {
  return (globalThis as unknown as { __reactRouterManifest: Manifest }).__reactRouterManifest.routes
}

/** Scripts that are here already, or on their way. */
const asked = new Set<string>()

/**
 * Fetches the scripts of an area's pages while the browser has nothing else to do, so that a click in the menu does not
 * need the server for more than figures. Without its script React Router would load the page anew, and with the server out of
 * reach that leaves the browser's error page. One that cannot be fetched now is fetched when it is needed.
 * @param area a folder of this one
 */
export function preloadPages(area: 'dashboard' | 'admin') {
  const pages = Object.keys(routes()).filter(id => id.startsWith(`${area}/`) || id === 'account/login')
  whenIdle(() => {
    for (const id of pages) fetchScripts(id)
  })
}

/**
 * Fetches and runs the script of a page now; what it renders waits for its turn.
 * @param path of a page of the signed-in areas, which are called after their files
 */
export function fetchPage(path: string) {
  const id = path.slice(1)
  const page = routes()[id]
  if (!page) return
  fetchScripts(id)
  // One that cannot be fetched now is fetched when it is needed.
  import(/* @vite-ignore */ page.module).catch(() => {})
}

function fetchScripts(id: string) {
  const { module, imports = [] } = routes()[id]!
  for (const href of [module, ...imports]) {
    if (asked.has(href)) continue
    asked.add(href)
    const link = document.createElement('link')
    link.rel = 'modulepreload'
    link.href = href
    document.head.append(link)
  }
}

export function whenIdle(work: () => void) {
  // Not in Safari.
  if ('requestIdleCallback' in globalThis) requestIdleCallback(work)
  else setTimeout(work)
}
