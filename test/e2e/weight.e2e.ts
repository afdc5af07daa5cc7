import { type APIRequestContext, expect, type Page, test } from '@playwright/test'

/** What the pages weigh on the wire, at a first visit. Bytes do not depend on the machine, so they have limits here. */

const publicPageBytes = 120_000

type Loaded = { url: string; type: string; bytes: number }

/** Everything that a page loads, with headers, as it was sent. */
async function load(page: Page, path: string): Promise<Loaded[]> {
  const finished: Promise<Loaded>[] = []
  page.on('requestfinished', request => {
    const loaded = request.sizes().then(({ responseHeadersSize, responseBodySize }) => {
      return {
        url: request.url(),
        type: request.resourceType(),
        bytes: responseHeadersSize + responseBodySize,
      }
    })
    finished.push(loaded)
  })
  await page.goto(path, { waitUntil: 'networkidle' })
  return Promise.all(finished)
}

const total = (loaded: Loaded[]) => loaded.reduce((sum, { bytes }) => sum + bytes, 0)

for (const path of ['/', '/about', '/investment-plans', '/services', '/contact', '/proof', '/no/such/page']) {
  test(`[P-15] ${path} is no script, two fonts and at most 120 kB`, async ({ page }) => {
    const loaded = await load(page, path)
    expect(loaded.filter(({ type }) => type === 'script')).toEqual([])
    expect(loaded.filter(({ type }) => type === 'font')).toHaveLength(2)
    expect(total(loaded)).toBeLessThanOrEqual(publicPageBytes)
  })
}

/** Bytes of the scripts that a document names, compressed by gzip as they are served. */
async function scriptBytes(request: APIRequestContext, path: string): Promise<number> {
  const html = await (await request.get(path)).text()
  const files = new Set([...html.matchAll(/\/assets\/[\w.-]+\.js/g)].map(([file]) => file))
  expect(files.size).toBeGreaterThan(1)
  const sizes = [...files].map(async file => {
    const answer = await request.get(file, { headers: { 'Accept-Encoding': 'gzip' } })
    expect(answer.headers()['content-encoding'] ?? 'small').toMatch(/gzip|small/)
    return Number(answer.headers()['content-length'])
  })
  return (await Promise.all(sizes)).reduce((sum, bytes) => sum + bytes, 0)
}

for (const [path, most] of [
  ['/login', 120_000],
  ['/register', 120_000],
  ['/verify/ada@example.com', 120_000],
  ['/dashboard/home', 126_000],
] as const) {
  test(`${path} needs at most ${most / 1000} kB of script`, async ({ request }) => {
    expect(await scriptBytes(request, path)).toBeLessThanOrEqual(most)
  })
}
