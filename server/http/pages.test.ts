import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { loadFirm, sampleFirm } from '#server/demo/firm.ts'
import { listFirmVersions, updateFirm } from '#shared/contract/firm.ts'
import { newContactMessage, site } from '#shared/contract/site.ts'
import { type Language, languageCodes } from '#shared/i18n/languages.ts'
import type { WebHost } from '#shared/web.ts'
import { openWorld, type World } from '#test/support/world.ts'
import { createApp } from './app.ts'

let world: World
let app: Awaited<ReturnType<typeof createApp>>
let clientFolder: string
/** How the pages handle the next request. */
let page: (request: Request, host: WebHost) => Promise<Response>

beforeAll(async () => {
  world = await openWorld()
  const { services } = world
  await services.db.transaction().execute(tx => loadFirm(tx, services.clock.now()))
  clientFolder = mkdtempSync(join(tmpdir(), 'probity-pages-'))
  mkdirSync(join(clientFolder, 'assets'))
  writeFileSync(join(clientFolder, 'assets/app-1234.js'), 'plain')
  writeFileSync(join(clientFolder, 'assets/app-1234.js.br'), 'brotli')
  writeFileSync(join(clientFolder, 'robots.txt'), 'User-agent: *')
  app = await createApp(services, { pages: { clientFolder, handle: (request, host) => page(request, host) } })
})
afterAll(async () => {
  await app.close()
  rmSync(clientFolder, { recursive: true })
})
beforeEach(() => {
  page = async () => html('page')
})

const html = (text: string, init: ResponseInit = {}) =>
  new Response(text, { ...init, headers: { 'content-type': 'text/html; charset=utf-8', ...init.headers } })

test('allows scripts as files of this origin, and only where a document brings some', async () => {
  page = async (request, host) => {
    if (request.url.endsWith('/login')) host.bringScripts()
    return html('page', { status: 404 })
  }
  for (const [url, scripts] of [
    ['/login', "script-src 'self'; style-src 'self';"],
    ['/nowhere', "script-src 'none'; style-src 'self';"],
  ] as const) {
    const { statusCode, headers } = await app.inject({ url })
    expect(statusCode).toBe(404)
    expect(headers['content-security-policy']).toContain(scripts)
    expect(headers).toMatchObject({
      'cache-control': 'private, no-cache',
      vary: 'accept-encoding, cookie',
      'x-robots-tag': 'noindex',
    })
  }
})

test('refuses an invalid address or Host; no path names another host', async () => {
  const seen: string[] = []
  page = async ({ url }) => {
    seen.push(url)
    return html('page')
  }
  for (const host of ['a b', 'here:99999', '%%', '[::', 'evil:80@x'])
    expect((await app.inject({ url: '/about', headers: { host } })).statusCode).toBe(400)
  await app.inject({ url: '/about?a=1', headers: { host: 'here' } })
  await app.inject({ url: 'http://here//elsewhere.example/about' })
  const { publicUrl } = world.services.config
  expect(seen).toEqual([`${publicUrl}/about?a=1`, `${publicUrl}//elsewhere.example/about`])
})

test('hashed files stay in the cache for good, compressed where the browser takes that', async () => {
  const plain = await app.inject({ url: '/assets/app-1234.js' })
  expect([plain.body, plain.headers['cache-control']]).toEqual([
    'plain',
    'public, max-age=31536000, immutable',
  ])
  const small = await app.inject({ url: '/assets/app-1234.js', headers: { 'accept-encoding': 'gzip, br' } })
  expect([small.body, small.headers['content-encoding']]).toEqual(['brotli', 'br'])
  const other = await app.inject({ url: '/robots.txt' })
  expect(other.headers['cache-control']).toBe('public, max-age=3600')
})

test('a page of one visitor is compressed if the browser accepts it', async () => {
  page = async () => html('page '.repeat(1000))
  const plain = await app.inject({ url: '/login' })
  expect(plain.headers).not.toHaveProperty('content-encoding')
  for (const [encoding, decompress] of [
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ] as const) {
    const { headers, rawPayload } = await app.inject({
      url: '/login',
      headers: { 'accept-encoding': encoding },
    })
    expect(headers).toMatchObject({ 'content-encoding': encoding, vary: 'accept-encoding, cookie' })
    expect(rawPayload.length).toBeLessThan(500)
    expect(decompress(rawPayload).toString()).toBe(plain.body)
  }
})

test.each(['/../package.json', '/assets/..%2f..%2fpackage.json', '/assets/%2e%2e/%2e%2e/etc/passwd'])(
  '%s leads nowhere outside the folder of files',
  async url => {
    const { body } = await app.inject({ url })
    expect(body).not.toContain('"probity"')
    expect(body).not.toContain('root:')
  },
)

test('a page calls the API as its visitor: refusals come with their fields', async () => {
  page = async (_request, host) => {
    const { firm } = await host.call(site, {})
    const refusal = await host
      .call(newContactMessage, { body: { name: '', email: 'x', subject: 's', message: 'm' } })
      .catch((error: unknown) => error)
    return html(JSON.stringify({ firm: firm.productName, ...(refusal as object) }))
  }
  const { body } = await app.inject({ url: '/contact' })
  expect(JSON.parse(body)).toMatchObject({
    firm: 'Probity',
    name: 'AppError',
    code: 'invalid_input',
    fields: { name: 'Name is required', email: 'Enter a valid email address' },
  })
})

test('[X-04] what is known of the firm is as new in a language that nobody visits', async () => {
  const known = async (visited: Language) => {
    page = async (_request, host) => {
      await host.call(site, {}, visited)
      return html(languageCodes.map(language => host.knownSite(language).firm.legalName).join())
    }
    return (await app.inject({ url: '/about' })).body
  }
  const before = await known('es')
  const [version] = (await world.call(listFirmVersions, world.admin)).data
  const body = { ...sampleFirm, legalName: 'Renamed Ltd', version: version!.version, reason: 'Renamed' }
  expect(await world.call(updateFirm, world.admin, { body })).toMatchObject({ status: 200 })
  expect(before).not.toContain('Renamed')
  expect(await known('de')).toBe(languageCodes.map(() => 'Renamed Ltd').join())
})

test('[P-11] the limit of messages is that of the visitor’s own address', async () => {
  const body = { name: 'Vera', email: 'vera@example.com', subject: 'Hello', message: 'Good day' }
  page = async (_request, host) => {
    const refusal = await host.call(newContactMessage, { body }).catch((error: { code: string }) => error)
    return html('code' in refusal ? String(refusal.code) : 'thanks')
  }
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const post = (remoteAddress: string) =>
    app.inject({ method: 'POST', url: '/contact', remoteAddress, headers, payload: 'name=Vera' })
  const answers: string[] = []
  for (let tries = 0; tries < 25; tries++) answers.push((await post('192.0.2.1')).body)
  expect(answers.at(-1)).toBe('rate_limited')
  expect((await post('192.0.2.2')).body).toBe('thanks')
})

test('a form that is posted reaches its page as it was sent', async () => {
  page = async request => html(`${request.method} ${(await request.formData()).get('subject')}`)
  const { body } = await app.inject({
    method: 'POST',
    url: '/contact?from=home',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: 'subject=Caf%C3%A9+%26+co',
  })
  expect(body).toBe('POST Café & co')
})

test('HEAD is answered without a body, other methods are refused', async () => {
  page = async ({ method }) => html(`made for ${method}`)
  const head = await app.inject({ method: 'HEAD', url: '/about' })
  expect([head.statusCode, head.body, head.headers['content-length']]).toEqual([200, '', '12'])
  for (const method of ['PUT', 'DELETE', 'PATCH'] as const) {
    const { statusCode, body } = await app.inject({ method, url: '/about' })
    expect([statusCode, JSON.parse(body).code]).toEqual([404, 'not_found'])
  }
})

test('a form that is too large is refused before it reaches a page', async () => {
  const { statusCode } = await app.inject({
    method: 'POST',
    url: '/contact',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: `message=${'x'.repeat(100_000)}`,
  })
  expect(statusCode).toBe(413)
})
