import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type APIRequestContext, expect, type Page, test } from '@playwright/test'
import { type Language, languageCodes, languages } from '#shared/i18n/languages.ts'

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

for (const path of [
  '/',
  '/about',
  '/investment-plans',
  '/services',
  '/contact',
  '/proof',
  '/faq',
  '/terms',
  '/no/such/page',
]) {
  test(`[P-15] ${path} is no script, two fonts and at most 120 kB`, async ({ page }) => {
    const loaded = await load(page, path)
    expect(loaded.filter(({ type }) => type === 'script')).toEqual([])
    expect(loaded.filter(({ type }) => type === 'font')).toHaveLength(2)
    expect(total(loaded)).toBeLessThanOrEqual(publicPageBytes)
  })
}

/** The scripts that a document names, in a language. */
async function scriptsOf(
  request: APIRequestContext,
  path: string,
  language: Language = 'en',
): Promise<string[]> {
  const html = await (await request.get(path, { headers: { Cookie: `language=${language}` } })).text()
  const files = new Set([...html.matchAll(/\/assets\/[\w.-]+\.js/g)].map(([file]) => file))
  expect(files.size).toBeGreaterThan(1)
  return [...files]
}

/** Bytes of scripts, compressed by gzip as they are served. */
async function bytesOf(request: APIRequestContext, files: readonly string[]): Promise<number> {
  const sizes = files.map(async file => {
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
  ['/dashboard/home', 120_000],
] as const) {
  for (const language of languageCodes) {
    test(`${path} needs at most ${most / 1000} kB of script in ${languages[language].name}`, async ({
      request,
    }) => {
      const files = await scriptsOf(request, path, language)
      expect(await bytesOf(request, files)).toBeLessThanOrEqual(most)
    })
  }
}

test('scripts have the words of one language', async ({ request }) => {
  const wordsOf = async (language: Language) => {
    const files = await scriptsOf(request, '/login', language)
    return (await Promise.all(files.map(async file => (await request.get(file)).text()))).join('\n')
  }
  const [german, spanish] = [await wordsOf('de'), await wordsOf('es')]
  expect(german).toContain('Passwort')
  expect(german).not.toContain('Contraseña')
  expect(spanish).toContain('Contraseña')
  expect(spanish).not.toContain('Passwort')
})

test("the script of the investor's check is at most 30 kB, and no document names it", async ({ request }) => {
  const built = readdirSync(join(import.meta.dirname, '../../build/client/assets'))
  const workers = built.filter(name => /^worker-[\w-]+\.js$/.test(name)).map(name => `/assets/${name}`)
  expect(workers).toHaveLength(1)
  expect(await bytesOf(request, workers)).toBeLessThanOrEqual(30_000)
  // It imports nothing, so that is all of it.
  expect(await (await request.get(workers[0]!)).text()).not.toMatch(/\bimport\b|\bimportScripts\b/)
  for (const path of ['/login', '/dashboard/home', '/admin/home'])
    expect(await scriptsOf(request, path)).not.toContain(workers[0])
})
