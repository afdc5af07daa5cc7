import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import type { InjectOptions } from 'fastify'
import { beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { loadFirm } from '#server/demo/firm.ts'
import { checkBooks } from '#server/ledger/invariants.ts'
import { sealBooks } from '#server/ledger/sealer.ts'
import { openDatabase, openPool } from '#server/platform/database/pool.ts'
import { writeLog } from '#server/proof/epochs.ts'
import type { CallDefinition } from '#shared/contract/define.ts'
import { listFirmVersions, newStatistic, updateFirm } from '#shared/contract/firm.ts'
import { listPlans, updatePlan } from '#shared/contract/plans.ts'
import { proofOverview } from '#shared/contract/proof.ts'
import { site } from '#shared/contract/site.ts'
import type { CommonDocumentOf, WebHandler, WebHost } from '#shared/web.ts'
import { atEnd } from '#test/support/clean-up.ts'
import { until } from '#test/support/processes.ts'
import { openWorld, type World } from '#test/support/world.ts'
import { createApp } from './app.ts'
import { MOST_DOCUMENTS } from './document-cache.ts'

/** Documents that are shared by all visitors, with pages that count their renderings. */

let world: World
let app: Awaited<ReturnType<typeof createApp>>
/** Renders a document's text. */
let page: (request: Request, host: WebHost) => Promise<string | Response>
/** The requests that documents were rendered from. */
let made: Request[]

const clientFolder = mkdtempSync(join(tmpdir(), 'probity-documents-'))
atEnd(() => rmSync(clientFolder, { recursive: true }))

const handle: WebHandler = async (request, host) => {
  made.push(request)
  const answer = await page(request, host)
  return answer instanceof Response ? answer : html(answer)
}
const html = (text: string, init: ResponseInit = {}) =>
  new Response(text, { ...init, headers: { 'content-type': 'text/html; charset=utf-8', ...init.headers } })

/** Of a query only `sent` counts, of the cookies only `overlay=seen`. */
const commonDocument: CommonDocumentOf = ({ pathname, searchParams }, cookies) => {
  const address = searchParams.has('sent') ? `${pathname}?sent=1` : pathname
  return { address, cookie: cookies.includes('overlay=seen') ? 'overlay=seen' : '' }
}

beforeAll(async () => {
  world = await openWorld()
  await world.database.db.transaction().execute(tx => loadFirm(tx, world.clock.now()))
})
beforeEach(async () => {
  made = []
  page = async () => 'page'
  app = await createApp(world.services, { pages: { clientFolder, handle, commonDocument } })
  onTestFinished(() => app.close())
})

const get = (url: string, headers: InjectOptions['headers'] = {}) => app.inject({ url, headers })
const seen = { cookie: 'overlay=seen' }

test('renders a document once and sends ready bytes in the requested encoding', async () => {
  page = async () => 'many words, '.repeat(500)
  const plain = await get('/about', seen)
  const [small, smallest] = [
    await get('/about', { ...seen, 'accept-encoding': 'gzip' }),
    await get('/about', { ...seen, 'accept-encoding': 'gzip, deflate, br, zstd' }),
  ]
  expect(made).toHaveLength(1)
  expect(plain.headers).toMatchObject({
    'cache-control': 'private, no-cache',
    vary: 'accept-encoding, cookie',
    'content-type': 'text/html; charset=utf-8',
    'content-length': '6000',
  })
  expect(plain.headers['content-encoding']).toBeUndefined()
  expect([small.headers['content-encoding'], smallest.headers['content-encoding']]).toEqual(['gzip', 'br'])
  expect(gunzipSync(small.rawPayload).toString()).toBe(plain.body)
  expect(brotliDecompressSync(smallest.rawPayload).toString()).toBe(plain.body)
  expect(smallest.headers['content-length']).toBe(String(smallest.rawPayload.length))
  const etags = [plain, small, smallest].map(({ headers }) => String(headers.etag))
  expect(new Set(etags).size).toBe(3)
  for (const etag of etags) expect(etag).toMatch(/^"[\w-]+"$/)
})

test('a client with the current version gets no content; HEAD gets only the length', async () => {
  const first = await get('/about', { 'accept-encoding': 'br' })
  const again = await get('/about', { 'accept-encoding': 'br', 'if-none-match': String(first.headers.etag) })
  expect([again.statusCode, again.body, again.headers['content-length']]).toEqual([304, '', undefined])
  expect(again.headers).toMatchObject({ etag: first.headers.etag, vary: 'accept-encoding, cookie' })
  const other = await get('/about', { 'if-none-match': String(first.headers.etag) })
  expect([other.statusCode, other.body]).toEqual([200, 'page'])
  const head = await app.inject({ method: 'HEAD', url: '/about' })
  expect([head.statusCode, head.body, head.headers['content-length']]).toEqual([200, '', '4'])
  expect(made).toHaveLength(1)
})

test('concurrent requests share one rendering', async () => {
  const { promise, resolve } = Promise.withResolvers<string>()
  page = () => promise
  const asked = Array.from({ length: 10 }, () => get('/'))
  await until(() => made.length > 0)
  resolve('together')
  expect((await Promise.all(asked)).map(({ body }) => body)).toEqual(Array(10).fill('together'))
  expect(made).toHaveLength(1)
})

test('a document contains nothing of the visitor: no host, query or cookies', async () => {
  page = async request => `${request.url} ${request.headers.get('cookie')}`
  const { publicUrl } = world.services.config
  const first = await get('/about?utm=1', { ...seen, host: 'evil.example' })
  expect(first.body).toBe(`${publicUrl}/about overlay=seen`)
  await get('/about?utm=2&fbclid=x', { cookie: 'overlay=seen; session=of-somebody', host: 'other.example' })
  await get('/about', { ...seen, 'x-forwarded-host': 'evil.example', 'user-agent': 'mine' })
  expect(made).toHaveLength(1)
  expect((await get('/about?sent=%3Cscript%3E', seen)).body).toBe(`${publicUrl}/about?sent=1 overlay=seen`)
  expect([...made[0]!.headers.keys()]).toEqual(['cookie'])
})

test('a document that is made by a posted form is never kept', async () => {
  page = async request => request.url
  for (const payload of ['subject=a', 'subject=b']) {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    await app.inject({ method: 'POST', url: '/contact', headers, payload })
  }
  expect(made).toHaveLength(2)
})

const changes: [string, () => Promise<unknown>][] = [
  [
    'the firm',
    () => world.owner(`UPDATE app.firm_profiles SET profile = profile || '{"onlineSince": 2005}'`),
  ],
  ['a figure', () => world.owner(`UPDATE app.statistics SET value = '21k' WHERE position = 0`)],
  ['a plan', () => world.owner(`UPDATE app.plan_versions SET note = 'Another' WHERE position = 0`)],
  ['the check of the books', () => checkBooks(world.services.pool, world.services.log)],
  ['the open epoch of the public proof', beginEpoch],
  ['the latest epoch of the public proof', () => writeLog(world.services, { closeNow: true })],
]
async function beginEpoch() {
  await world.fund(await world.person('Ann'), 100_00n)
  await sealBooks(world.services)
  await writeLog(world.services)
}

test.each(changes)('when %s changes in any process, documents are rendered again', async (_what, change) => {
  page = async (_request, host) =>
    JSON.stringify([
      await host.call(site, {}),
      await host.call(listPlans, {}),
      await host.call(proofOverview, {}),
    ])
  const before = await get('/about')
  expect((await get('/about')).body).toBe(before.body)
  expect(made).toHaveLength(1)
  await change()
  await until(async () => (await get('/about')).body !== before.body)
  expect(made).toHaveLength(2)
})

/** Through the app itself, which answers after the notification of the change. */
async function change(call: CallDefinition, payload: object, id = '') {
  const { statusCode, body } = await app.inject({
    method: call.method,
    url: `/api${call.path.replace(':id', id)}`,
    headers: { authorization: `Bearer ${world.tokenOf(world.admin)}` },
    payload,
  })
  expect(statusCode, body).toBe(200)
}

async function renamePlan(name: string) {
  const [plan] = (await world.call(listPlans, null)).data
  const { _id: id, percentage, minimum, maximum, duration, durationDays, note } = plan!
  await change(updatePlan, { name, percentage, minimum, maximum, duration, durationDays, note }, id)
}

async function renameFirm(productName: string) {
  const [latest] = (await world.call(listFirmVersions, world.admin)).data
  const { version, profile } = latest!
  await change(updateFirm, { ...profile, productName, version, reason: 'Renamed' })
}

async function addFigure(label: string) {
  const figure = { label, value: '212', source: 'Annual report', evidence: 'Page 4', asOf: '2026-06-30' }
  await change(newStatistic, { ...figure, reason: 'Asked for' })
}

test.each([
  ['a plan', renamePlan],
  ["the firm's profile", renameFirm],
  ['a figure', addFigure],
])('%s that was changed is on the page as soon as the change is answered', async (_what, rename) => {
  page = async (_request, host) => JSON.stringify([await host.call(site, {}), await host.call(listPlans, {})])
  await get('/about')
  for (const name of ['First light', 'Second wind', 'Third time']) {
    await rename(name)
    expect((await get('/about')).body).toContain(name)
  }
})

test('a change discards renders in progress, and later requests do not wait for them', async () => {
  const [first, second] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()]
  page = () => first.promise
  const asked = get('/')
  await until(() => made.length === 1)
  await renamePlan('Fourth estate')
  page = () => second.promise
  const askedAfter = get('/')
  await until(() => made.length === 2)
  await renamePlan('Fifth column')
  page = async () => 'newest'
  first.resolve('old')
  second.resolve('newer')
  expect([(await asked).body, (await askedAfter).body, (await get('/')).body]).toEqual([
    'old',
    'newer',
    'newest',
  ])
})

test('a rendering begun before a change never replaces a later one', async () => {
  const { promise, resolve } = Promise.withResolvers<string>()
  page = () => promise
  const asked = get('/')
  await until(() => made.length === 1)
  await renamePlan('Sixth sense')
  page = async () => 'new'
  await get('/')
  resolve('old')
  expect((await asked).body).toBe('old')
  await get('/')
  expect(made).toHaveLength(2)
})

test('a document with a time limit is rendered again after it', async () => {
  page = async (_request, host) => {
    host.validUntil(new Date(world.clock.now().getTime() + 120_000))
    host.validUntil(new Date(world.clock.now().getTime() + 60_000))
    return 'page'
  }
  await get('/')
  await get('/')
  expect(made).toHaveLength(1)
  world.clock.pass({ minutes: 1 })
  await get('/')
  expect(made).toHaveLength(2)
})

test('a failure rejects all waiting callers and is not cached', async () => {
  page = async () => html('failed', { status: 500 })
  const failed = await get('/about')
  expect([failed.statusCode, failed.headers.etag]).toEqual([500, undefined])
  page = async () => {
    throw new Error('no page')
  }
  expect((await get('/about')).statusCode).toBe(500)
  page = async () => 'page'
  expect([(await get('/about')).statusCode, (await get('/about')).body]).toEqual([200, 'page'])
  expect(made).toHaveLength(3)
})

test('a missing page is cached too, without a version', async () => {
  page = async () => html('nothing', { status: 404 })
  const { statusCode, headers } = await get('/nowhere')
  await get('/nowhere')
  expect([statusCode, headers.etag, made.length]).toEqual([404, undefined, 1])
})

test('there are never more than a few: the oldest gives way', async () => {
  for (let n = 0; n <= MOST_DOCUMENTS; n++) await get(`/page-${n}`)
  await get(`/page-${MOST_DOCUMENTS}`)
  await get('/page-1')
  expect(made).toHaveLength(MOST_DOCUMENTS + 1)
  await get('/page-0')
  expect(made).toHaveLength(MOST_DOCUMENTS + 2)
})

test('the policy of a document with scripts is kept with it', async () => {
  page = async (_request, host) => {
    host.bringScripts()
    return 'page'
  }
  for (const _ of [1, 2]) {
    expect((await get('/login')).headers['content-security-policy']).toContain("script-src 'self'")
  }
  expect(made).toHaveLength(1)
})

test('a prefetched page does not count as seen', async () => {
  page = async request =>
    request.headers.has('cookie')
      ? html('without overlay')
      : html('with overlay', { headers: { 'set-cookie': 'overlay=seen; Path=/' } })
  for (const purpose of ['prefetch', 'prefetch;prerender', 'prefetch;anonymous-client-ip']) {
    const refused = await get('/', { 'sec-purpose': purpose })
    expect([refused.statusCode, refused.body]).toEqual([503, ''])
    expect(refused.headers['set-cookie']).toBeUndefined()
    expect(refused.headers['cache-control']).toBe('no-store')
    expect((await get('/', { ...seen, 'sec-purpose': purpose })).body).toBe('without overlay')
  }
  const come = await get('/')
  expect([come.body, come.headers['set-cookie']]).toEqual(['with overlay', ['overlay=seen; Path=/']])
})

test('without change notifications every document is rendered again', async () => {
  const { appUrl } = world.database
  const pool = openPool({ url: appUrl, as: 'app', name: 'probity uninformed', max: 4 })
  const services = { ...world.services, pool, db: openDatabase(pool) }
  const uninformed = await createApp(services, { pages: { clientFolder, handle, commonDocument } })
  onTestFinished(async () => {
    await uninformed.close()
    await pool.end()
  })
  /** True if a second request renders the document again. */
  const isMadeAnew = async () => {
    await uninformed.inject({ url: '/' })
    const before = made.length
    await uninformed.inject({ url: '/' })
    return made.length > before
  }
  expect(await isMadeAnew()).toBe(false)
  pool.options.connectionString = 'postgres://nobody@127.0.0.1:1/nowhere'
  await world.owner(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'probity notifications'`,
  )
  await until(isMadeAnew)
  page = async () => 'changed meanwhile'
  pool.options.connectionString = appUrl
  await until(async () => !(await isMadeAnew()))
  expect((await uninformed.inject({ url: '/' })).body).toBe('changed meanwhile')
})
