import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { loadFirm } from '#server/demo/firm.ts'
import type { WebHandler } from '#shared/web.ts'
import { atEnd } from '#test/support/clean-up.ts'
import { until } from '#test/support/processes.ts'
import { openWorld, type World } from '#test/support/world.ts'
import { createApp } from './app.ts'

/** Many requests for pages at once: they wait for each other, and nothing else waits for them. */

const form = { 'content-type': 'application/x-www-form-urlencoded' }

let world: World
let app: Awaited<ReturnType<typeof createApp>>
let rendered: number
let page: (request: Request) => Promise<string>

const handle: WebHandler = async request => {
  rendered++
  return new Response(await page(request), { headers: { 'content-type': 'text/html; charset=utf-8' } })
}

beforeAll(async () => {
  world = await openWorld()
  await world.database.db.transaction().execute(tx => loadFirm(tx, world.clock.now()))
  const clientFolder = mkdtempSync(join(tmpdir(), 'probity-turns-'))
  const commonDocument = ({ pathname }: URL) => ({ address: pathname, cookie: '' })
  app = await createApp(world.services, { pages: { clientFolder, handle, commonDocument } })
  await app.listen({ port: 0, host: '127.0.0.1' })
  atEnd(async () => {
    await app.close()
    rmSync(clientFolder, { recursive: true })
  })
})
beforeEach(() => {
  rendered = 0
  page = async () => 'page'
})

async function open(): Promise<Socket> {
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  await once(socket, 'connect')
  return socket
}
const ask = (socket: Socket, path: string) => {
  socket.write(`GET ${path} HTTP/1.1\r\nhost: here\r\n\r\n`)
  return once(socket, 'data').then(([chunk]) => String(chunk))
}

test('a call is answered before hundreds of pages that were requested earlier', async () => {
  const sockets = await Promise.all(Array.from({ length: 250 }, open))
  const other = await open()
  await ask(other, '/about')
  let answered = 0
  const pages = sockets.map(async socket => {
    const answer = await ask(socket, '/about')
    answered++
    return answer
  })
  expect(await ask(other, '/api/health')).toMatch(/^HTTP\/1.1 200/)
  expect(answered).toBeLessThan(100)
  for (const answer of await Promise.all(pages)) expect(answer).toMatch(/^HTTP\/1.1 200/)
  for (const socket of [...sockets, other]) socket.destroy()
})

test('more pages than can wait are refused in words, and nothing else is', async () => {
  await app.inject({ url: '/about' })
  const pages = Array.from({ length: 2_200 }, () => app.inject({ url: '/about' }))
  const call = app.inject({ url: '/api/health' })
  const answers = await Promise.all(pages)
  expect((await call).statusCode).toBe(200)
  const refused = answers.filter(({ statusCode }) => statusCode === 503)
  expect(answers.length - refused.length).toBeGreaterThanOrEqual(2_000)
  expect(refused.length).toBeGreaterThan(100)
  expect(refused[0]!.headers['retry-after']).toBe('10')
  expect(refused[0]!.json()).toMatchObject({
    code: 'not_ready',
    message: 'The server has too many requests right now. Please try again in a few seconds.',
  })
})

test('few pages are rendered at once, few wait for it, and the others are refused', async () => {
  const { promise, resolve } = Promise.withResolvers<string>()
  page = () => promise
  const post = () => app.inject({ method: 'POST', url: '/contact', headers: form, payload: 'name=Vera' })
  const accepted = Array.from({ length: 22 }, post)
  await until(() => rendered === 2)
  await until(async () => (await Promise.race([post(), accepted[0]!])).statusCode === 503)
  expect(rendered).toBe(2)
  resolve('page')
  const answers = await Promise.all(accepted)
  expect(answers.map(({ statusCode }) => statusCode)).toEqual(Array(22).fill(200))
  expect((await post()).statusCode).toBe(200)
})

test('forms that wait hold up no page that everybody shares', async () => {
  const { promise, resolve } = Promise.withResolvers<string>()
  page = ({ method }) => (method === 'POST' ? promise : Promise.resolve('page'))
  const post = () => app.inject({ method: 'POST', url: '/contact', headers: form, payload: 'name=Vera' })
  const posts = Array.from({ length: 40 }, post)
  expect((await Promise.race(posts)).statusCode).toBe(503)
  expect((await app.inject({ url: '/services' })).statusCode).toBe(200)
  resolve('page')
  await Promise.all(posts)
})

test('any number of probes at the same time ask the database once', async () => {
  await app.inject({ url: '/api/ready' })
  const query = vi.spyOn(world.services.pool, 'query')
  const answers = await Promise.all(Array.from({ length: 50 }, () => app.inject({ url: '/api/ready' })))
  expect(answers.every(({ statusCode }) => statusCode === 200)).toBe(true)
  expect(query.mock.calls.length).toBe(1)
})

test.each(['/api/openapi.json', '/api/docs', '/api/docs/static/swagger-ui-bundle.js'])(
  '%s is kept compressed, and not sent to who has it',
  async url => {
    const plain = await app.inject({ url })
    const small = await app.inject({ url, headers: { 'accept-encoding': 'gzip, br' } })
    expect(small.headers).toMatchObject({
      'content-encoding': 'br',
      vary: 'accept-encoding',
      'cache-control': 'private, no-cache',
    })
    expect(small.rawPayload.length).toBeLessThan(plain.rawPayload.length * 0.6)
    const etag = String(small.headers.etag)
    const again = await app.inject({ url, headers: { 'accept-encoding': 'gzip, br', 'if-none-match': etag } })
    expect([again.statusCode, again.body]).toEqual([304, ''])
  },
)
