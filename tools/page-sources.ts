import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The module of each page in web/pages.ts and web/console-pages.ts, below web/, by the page's path: documents name its files
 * before it is loaded. The browser knows only the files, so that no page carries the names of all.
 */
export function pageSources(root: string): Record<string, string> {
  return { ...sourcesIn(root, 'pages.ts'), ...sourcesIn(root, 'console-pages.ts') }
}

function sourcesIn(root: string, file: string): Record<string, string> {
  const pages = readFileSync(join(root, 'web', file), 'utf8')
  const named = pages.matchAll(/\bpage\(\s*'([^']+)',\s*\(\) =>\s*import\('\.\/([^']+)'\)/g)
  return Object.fromEntries([...named].map(([, path, source]) => [path, source]))
}
