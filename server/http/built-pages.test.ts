import { beforeAll, expect, test } from 'vitest'
import { loadFirm, sampleFirm } from '#server/demo/firm.ts'
import { newReturn } from '#shared/contract/returns.ts'
import { site } from '#shared/contract/site.ts'
import { currentPages } from '#test/support/built-pages.ts'
import { atEnd } from '#test/support/clean-up.ts'
import { openWorld, type World } from '#test/support/world.ts'
import { figuresOnPage } from '#verifier/site-figures.mjs'
import { createApp } from './app.ts'

/** The built pages of a live firm, whose figures are measured from its ledger. */

let world: World
let app: Awaited<ReturnType<typeof createApp>>
beforeAll(async () => {
  world = await openWorld({ mode: 'live', firm: sampleFirm, publicUrl: 'https://invest.example.com' })
  await world.database.db.transaction().execute(tx => loadFirm(tx, world.clock.now()))
  app = await createApp(world.services, { pages: await currentPages() })
  atEnd(() => app.close())
})

const home = async () => {
  const { body, headers } = await app.inject({ url: '/', headers: { cookie: '__Host-overlay=seen' } })
  return { text: body.replaceAll('<!-- -->', ''), etag: headers.etag }
}

test('[P-04, D1] figures of the home page are at most a minute old, cached pages included', async () => {
  const before = await home()
  expect(before.text).toContain('Realised returns recorded')
  world.clock.pass({ minutes: 0.5 })
  const body = { amount: 1_250.5, source: 'Rent', realisedAt: '2026-03-01', evidence: 'BANK-2026-1' }
  await world.call(newReturn, world.admin, { body })
  expect((await home()).etag).toBe(before.etag)
  world.clock.pass({ minutes: 0.5 })
  const after = await home()
  expect(after.text).toContain('$1,250.50')
  expect(after.etag).not.toBe(before.etag)
})

test('the home page marks the figures of the API, so that strangers can compare them', async () => {
  const { data } = await world.call(site, null)
  const { body } = await app.inject({ url: '/' })
  const marked = figuresOnPage(body)
  expect(marked.length).toBeGreaterThan(3)
  expect(marked).toEqual(
    data.statistics.map(({ label, value, kind }) => ({
      place: 'home page',
      label,
      value,
      kind,
      asOf: expect.stringMatching(/^2\d{3}-\d\d-\d\dT.*Z$/),
    })),
  )
})

test('[O-02] under https the cookie of the overlay is bound to this host and to https', async () => {
  const cookie = (answer: { headers: Record<string, unknown> }) => String(answer.headers['set-cookie'])
  const set = cookie(await app.inject({ url: '/' }))
  expect(set).toBe('__Host-overlay=seen; Path=/; HttpOnly; SameSite=Lax; Secure')
  const headers = { cookie: `other=1; ${set.split(';')[0]}` }
  expect((await app.inject({ url: '/', headers })).headers).not.toHaveProperty('set-cookie')
  // A neighbouring host can set this one for ours.
  const foreign = { cookie: 'overlay=seen' }
  expect((await app.inject({ url: '/', headers: foreign })).headers).toHaveProperty('set-cookie')
  const config = { ...world.services.config, publicUrl: 'http://localhost:3000' }
  const plain = await createApp({ ...world.services, config }, { pages: await currentPages() })
  atEnd(() => plain.close())
  expect(cookie(await plain.inject({ url: '/' }))).toBe('overlay=seen; Path=/; HttpOnly; SameSite=Lax')
})

test('[P-18] a chosen theme is a cookie of this host, and its own document', async () => {
  const choose = (theme: string, referer?: string) =>
    app.inject({
      method: 'POST',
      url: '/theme',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...(referer && { referer }) },
      payload: `theme=${theme}`,
    })
  const chosen = await choose('dark', 'https://invest.example.com/about?sent=1')
  expect([chosen.statusCode, chosen.headers.location]).toEqual([303, '/about?sent=1'])
  expect(String(chosen.headers['set-cookie'])).toBe(
    '__Host-theme=dark; Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax; Secure',
  )
  const seen = '__Host-overlay=seen'
  const themeOf = async (cookie: string) =>
    (await app.inject({ url: '/about', headers: { cookie } })).body.match(/data-theme="(\w+)"/)?.[1]
  expect(await themeOf(`${seen}; __Host-theme=dark`)).toBe('dark')
  expect(await themeOf(`${seen}; __Host-theme=light; a=b`)).toBe('light')
  expect(await themeOf(`${seen}; __Host-theme="><b>`)).toBeUndefined()
  expect(await themeOf(`${seen}; theme=dark`)).toBeUndefined()
  expect(String((await choose('evil')).headers['set-cookie'])).toContain('Max-Age=0')
  for (const referer of [undefined, 'https://evil.example//evil.example/x', 'nonsense'])
    expect((await choose('light', referer)).headers.location).toBe('/')
  expect((await app.inject({ url: '/theme' })).statusCode).toBe(404)
})

test('a public page is the same for every Host, query and header', async () => {
  const plain = await home()
  const own = await app.inject({
    url: '/?utm_source=evil&sent=1',
    headers: {
      cookie: '__Host-overlay=seen; other=1',
      host: 'evil.example',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'http',
      'user-agent': 'evil',
      'accept-language': 'de',
    },
  })
  expect(own.headers.etag).toBe(plain.etag)
  expect(own.body).not.toContain('evil')
  expect(own.body).toContain('https://invest.example.com/')
})

test('a page that runs in the browser is the same for every visitor', async () => {
  for (const [url, same] of [
    ['/login', '/login?next=evil'],
    ['/register', '/register?ref=evil'],
    ['/verify/someone@example.com', '/verify/evil@example.com'],
    ['/reset-password?token=some', '/reset-password?token=evil'],
    ['/invitation?token=some', '/invitation?token=evil'],
    ['/dashboard/home', '/dashboard/home?q=evil'],
    ['/admin/home', '/admin/home?users-q=evil'],
  ]) {
    const plain = await app.inject({ url, headers: { cookie: '__Host-overlay=seen' } })
    const other = await app.inject({
      url: same,
      headers: {
        cookie: '__Host-overlay=seen; other=1',
        authorization: `Bearer ${world.tokenOf(world.admin)}`,
        host: 'evil.example',
        'user-agent': 'evil',
        'accept-language': 'de',
      },
      remoteAddress: '203.0.113.7',
    })
    expect(other.statusCode, url).toBe(200)
    expect(other.body, url).toBe(plain.body)
    expect(other.headers.etag, url).toBe(plain.headers.etag)
    expect(other.headers.etag, url).toBeDefined()
  }
})

const headers = { 'content-type': 'application/x-www-form-urlencoded' }

test('any number of forms posted to a page without one are refused, and delay nobody', async () => {
  world.clock.pass({ minutes: 2 })
  const post = () => app.inject({ method: 'POST', url: '/', headers, payload: 'a=b' })
  const posts = Promise.all(Array.from({ length: 100 }, post))
  expect((await app.inject({ url: '/' })).statusCode).toBe(200)
  expect(new Set((await posts).map(({ statusCode }) => statusCode))).toEqual(new Set([405]))
})

test('[X-04] an overload is told in a page of the site, without script', async () => {
  const message = { name: 'Vera', email: 'vera@example.org', message: 'Who checks them?' }
  const post = (_: unknown, index: number) =>
    app.inject({
      method: 'POST',
      url: '/contact',
      headers,
      payload: new URLSearchParams({ ...message, emailSubject: `Books ${index}` }).toString(),
      remoteAddress: `203.0.113.${index}`,
    })
  const blocker = await world.database.owner.connect()
  await blocker.query('BEGIN; LOCK TABLE app.contact_messages')
  // Those that the lock does not refuse wait for it, so the first answer is a refusal.
  const posts = Array.from({ length: 40 }, post)
  const refused = await Promise.race(posts)
  await blocker.query('ROLLBACK')
  blocker.release()
  expect(new Set((await Promise.all(posts)).map(({ statusCode }) => statusCode))).toEqual(new Set([303, 503]))
  expect(refused.statusCode).toBe(503)
  expect(refused.headers).toMatchObject({
    'retry-after': '10',
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': expect.stringContaining("script-src 'none'"),
  })
  expect(refused.body).toContain('This page is not available right now')
  expect(refused.body).toContain('rel="stylesheet"')
  expect(refused.body).not.toMatch(/<script|start-overlay/)
  const call = await app.inject({ method: 'POST', url: '/api/health' })
  expect(call.json()).toMatchObject({ code: 'method_not_allowed' })
})

test('a page without forms answers 405 with the allowed methods', async () => {
  for (const url of ['/about', '/login', '/robots.txt', '/dashboard/home']) {
    const answer = await app.inject({ method: 'POST', url, headers, payload: 'a=b' })
    expect([answer.statusCode, answer.headers.allow], url).toEqual([405, 'GET, HEAD'])
    expect(answer.body).toContain('This page does not accept forms')
    expect(answer.body).not.toContain('start-overlay')
    expect(answer.headers['set-cookie']).toBeUndefined()
  }
})

test.each([
  ['/de/about', '', 'de'],
  ['/login', '__Host-language=es', 'es'],
  ['/about', '__Host-language=es', 'en'],
  ['/login', '__Host-language=xx', 'en'],
])('[X-04] the page that refuses %s with the cookie “%s” is in “%s”', async (url, cookie, language) => {
  const answer = await app.inject({ method: 'POST', url, headers: { ...headers, cookie }, payload: 'a=b' })
  expect(answer.statusCode).toBe(405)
  expect(answer.body).toContain(`<html lang="${language}"`)
})

test('a page installs the product in its own language', async () => {
  const { body } = await app.inject({ url: '/de/about' })
  expect(body).toContain('<link rel="manifest" href="/de/manifest.webmanifest"/>')
  const german = await app.inject({ url: '/de/manifest.webmanifest' })
  expect(german.headers['content-type']).toContain('application/manifest+json')
  expect(german.json()).toMatchObject({
    lang: 'de',
    dir: 'ltr',
    id: '/',
    shortcuts: [{ name: 'Einzahlung' }, {}, {}, {}],
  })
  expect((await app.inject({ url: '/ar/manifest.webmanifest' })).json()).toMatchObject({
    lang: 'ar',
    dir: 'rtl',
  })
  expect((await app.inject({ url: '/manifest.webmanifest' })).json()).toMatchObject({
    lang: 'en',
    shortcuts: [{ name: 'Deposit' }, { name: 'Withdraw Funds' }, { name: 'Statement' }, { name: 'Messages' }],
  })
  expect((await app.inject({ url: '/de/robots.txt' })).statusCode).toBe(404)
})
