import { type Figure, figure } from './figure.ts'
import type { Visit } from './visit.ts'

/** Maximum size, in bytes as gzip. */
const loginBytes = 60_000
const dashboardBytes = 120_000
/** How long no further script must arrive before all count as loaded, in milliseconds. */
const quietMs = 2000

/**
 * Scripts needed before a page works, at a first visit: those that its document names, as gzip; and everything that it
 * loads, for comparison. Bytes do not depend on the machine.
 */
export async function measureScripts(
  visit: () => Promise<Visit>,
  signedIn: () => Promise<Visit>,
): Promise<Figure[]> {
  const sizeOf = async (what: string, path: string, { page, context, origin }: Visit) => {
    await page.addInitScript(() => {
      // Scripts fetched while idle belong to later pages.
      Object.assign(globalThis, { requestIdleCallback: () => 0 })
    })
    const scripts = new Set<string>()
    page.on('request', request => request.resourceType() === 'script' && scripts.add(request.url()))
    await page.goto(path)
    await page.getByRole('heading', { level: 1 }).waitFor()
    let known = 0
    while (known < scripts.size) {
      known = scripts.size
      await page.waitForTimeout(quietMs)
    }
    if (!page.url().startsWith(`${origin}${path}`)) throw new Error(`${path} led to ${page.url()}`)
    await context.close()
    const document = await (await fetch(`${origin}${path}`)).text()
    const named = [...scripts].filter(url => document.includes(`"${new URL(url).pathname}"`))
    const inAll = await kilobytes([...scripts])
    return {
      what: `${what} (${inAll.toFixed(2)} kB with what the page then loads)`,
      unit: 'kB' as const,
      rounds: [await kilobytes(named)],
    }
  }
  const most = (bytes: number) => ({ what: 'at most', unit: 'kB' as const, rounds: [bytes / 1000] })
  const login = await sizeOf('script of /login', '/login', await visit())
  const home = await sizeOf('script of /dashboard/home', '/dashboard/home', await signedIn())
  return [
    figure('loginScript', { atMost: 1 }, login, most(loginBytes)),
    figure('dashboardScript', { atMost: 1 }, home, most(dashboardBytes)),
  ]
}

async function kilobytes(urls: string[]): Promise<number> {
  const sizes = await Promise.all(urls.map(gzipBytes))
  return sizes.reduce((sum, size) => sum + size, 0) / 1000
}

async function gzipBytes(url: string): Promise<number> {
  const { headers, ok } = await fetch(url, { method: 'HEAD', headers: { 'accept-encoding': 'gzip' } })
  const length = headers.get('content-length')
  if (!ok || length === null) throw new Error(`${url} has no length`)
  return Number(length)
}
