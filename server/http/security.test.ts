import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { InjectOptions } from 'fastify'
import { beforeAll, describe, expect, test } from 'vitest'
import { loadFirm } from '#server/demo/firm.ts'
import { site } from '#shared/contract/site.ts'
import type { CommonDocumentOf, WebHandler } from '#shared/web.ts'
import { atEnd } from '#test/support/clean-up.ts'
import { openWorld, type World } from '#test/support/world.ts'
import { createApp } from './app.ts'

/** Every kind of answer, and its headers. */

let world: World
let app: Awaited<ReturnType<typeof createApp>>

const handle: WebHandler = async (request, host) => {
  const { pathname } = new URL(request.url)
  if (pathname === '/error') throw new Error('no page')
  const { firm } = await host.call(site, {})
  if (pathname === '/login') host.bringScripts()
  const headers = new Headers({ 'content-type': 'text/html; charset=utf-8' })
  if (!request.headers.has('cookie')) headers.set('set-cookie', 'overlay=seen')
  return new Response(firm.productName, {
    status: ['/about', '/login', '/contact', '/'].includes(pathname) ? 200 : 404,
    headers,
  })
}
const commonDocument: CommonDocumentOf = ({ pathname }, cookie) => ({ address: pathname, cookie })

beforeAll(async () => {
  world = await openWorld({ publicUrl: 'https://invest.example.com' })
  await world.database.db.transaction().execute(tx => loadFirm(tx, world.clock.now()))
  const clientFolder = mkdtempSync(join(tmpdir(), 'probity-security-'))
  mkdirSync(join(clientFolder, 'assets'))
  writeFileSync(join(clientFolder, 'assets/icon-1234.svg'), '<svg/>')
  writeFileSync(join(clientFolder, 'assets/card-1234.png'), 'picture')
  writeFileSync(join(clientFolder, 'robots.txt'), 'User-agent: *')
  app = await createApp(world.services, { pages: { clientFolder, handle, commonDocument } })
  await app.listen({ port: 0, host: '127.0.0.1' })
  atEnd(async () => {
    await app.close()
    rmSync(clientFolder, { recursive: true })
  })
})

type Policy = 'closed' | 'file' | 'plain page' | 'page with scripts' | 'documentation'
type Kind = [what: string, status: number, policy: Policy, request: InjectOptions]

const seen = { cookie: 'overlay=seen' }
const form = { 'content-type': 'application/x-www-form-urlencoded' }
const kinds: Kind[] = [
  ['a public page', 200, 'plain page', { url: '/about' }],
  ['its head', 200, 'plain page', { url: '/about', method: 'HEAD' }],
  ['a page with scripts', 200, 'page with scripts', { url: '/login' }],
  [
    'a form that was sent',
    200,
    'plain page',
    { url: '/contact', method: 'POST', headers: form, payload: '' },
  ],
  ['a page that is not there', 404, 'plain page', { url: '/nowhere' }],
  ['a page that failed', 500, 'closed', { url: '/error' }],
  ['a page refused in advance', 503, 'closed', { url: '/', headers: { 'sec-purpose': 'prefetch' } }],
  ['a hashed file', 200, 'file', { url: '/assets/icon-1234.svg' }],
  ['another file', 200, 'file', { url: '/robots.txt' }],
  ['a part of a file', 206, 'file', { url: '/robots.txt', headers: { range: 'bytes=0-3' } }],
  ['a file that is not there', 404, 'plain page', { url: '/assets/none.js', headers: seen }],
  ['a folder of files', 404, 'plain page', { url: '/assets/', headers: seen }],
  ['the history of the code', 404, 'plain page', { url: '/.git/config', headers: seen }],
  ['the answer of a call', 200, 'closed', { url: '/api/health' }],
  ['a refusal', 401, 'closed', { url: '/api/auth/me' }],
  ['an unknown call', 404, 'closed', { url: '/api/nothing' }],
  ['a wrong method', 405, 'closed', { url: '/api/auth/me', method: 'DELETE' }],
  ['a wrong method of a page', 404, 'closed', { url: '/about', method: 'DELETE' }],
  [
    'too large a form',
    413,
    'closed',
    { url: '/', method: 'POST', headers: form, payload: 'x'.repeat(99_999) },
  ],
  ['an address that cannot be decoded', 400, 'closed', { url: '/%' }],
  ['a Host that is none', 400, 'closed', { url: '/about', headers: { host: 'a b' } }],
  ['the contract', 200, 'closed', { url: '/api/openapi.json' }],
  ['its documentation', 200, 'documentation', { url: '/api/docs/' }],
]

const policies: Record<Policy, RegExp> = {
  closed: /^default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
  file: /^default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; style-src 'unsafe-inline'$/,
  'plain page':
    /^default-src 'none'; script-src 'none'; style-src 'self'; connect-src 'self'; img-src 'self' data:; font-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; upgrade-insecure-requests$/,
  'page with scripts':
    /^default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; connect-src 'self'; img-src 'self' data:; font-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; upgrade-insecure-requests$/,
  documentation:
    /^default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
}

/** On every answer. */
const everywhere = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'permissions-policy': expect.stringMatching(/camera=\(\).*geolocation=\(\).*microphone=\(\).*payment=\(\)/),
  // No part of an address, which may contain an email address or a token, goes to another origin.
  'referrer-policy': 'same-origin',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

describe.each(kinds)('%s', (_what, status, policy, request) => {
  test(`answers ${status} with every header and the policy of: ${policy}`, async () => {
    const { statusCode, headers } = await app.inject(request)
    expect(statusCode).toBe(status)
    expect(headers).toMatchObject(everywhere)
    expect(headers['content-security-policy']).toMatch(policies[policy])
    expect(headers).not.toHaveProperty('x-powered-by')
    expect(headers).not.toHaveProperty('server')
  })
})

test('other sites may show the picture of a link, and nothing else', async () => {
  const { headers } = await app.inject({ url: '/assets/card-1234.png' })
  expect(headers).toMatchObject({ ...everywhere, 'cross-origin-resource-policy': 'cross-origin' })
})

test('a 304 has the same headers as the first answer', async () => {
  for (const url of ['/about', '/assets/icon-1234.svg']) {
    const first = await app.inject({ url, headers: seen })
    const again = await app.inject({ url, headers: { ...seen, 'if-none-match': String(first.headers.etag) } })
    expect(again.statusCode).toBe(304)
    expect(again.headers).toMatchObject(everywhere)
    expect(again.headers['content-security-policy']).toBe(first.headers['content-security-policy'])
  }
})

test.each([
  ['no HTTP at all', 'Good day\r\n\r\n', 400, 'invalid_input'],
  [
    'headers without end',
    `GET / HTTP/1.1\r\nhost: here\r\nx: ${'x'.repeat(20_000)}`,
    431,
    'headers_too_large',
  ],
  ['an address without end', `GET /api/deposit/get-all?q=${'x'.repeat(20_000)}`, 431, 'headers_too_large'],
])('%s is refused with the same headers', async (_what, bytes, status, code) => {
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  await once(socket, 'connect')
  socket.on('error', () => {})
  socket.write(bytes)
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n')
  const [line, ...lines] = head.split('\r\n')
  expect(line).toContain(` ${status} `)
  const headers = Object.fromEntries(lines.map(header => header.split(/: (.*)/)))
  expect(headers).toMatchObject({ ...everywhere, 'cache-control': 'no-store' })
  expect(headers['content-security-policy']).toMatch(policies.closed)
  expect(JSON.parse(body)).toMatchObject({ status: 'error', code })
})

test('no answer of a call is kept anywhere, refusals included', async () => {
  for (const url of ['/api/health', '/api/auth/me', '/api/nothing', '/%']) {
    expect((await app.inject({ url })).headers['cache-control']).toBe('no-store')
  }
})

test('without TLS, no header makes browsers require it', async () => {
  const own = await createApp({
    ...world.services,
    config: { ...world.services.config, publicUrl: 'http://127.0.0.1:3000' },
  })
  const { headers } = await own.inject({ url: '/api/health' })
  await own.close()
  expect(headers).not.toHaveProperty('strict-transport-security')
  expect(headers['content-security-policy']).not.toContain('upgrade-insecure-requests')
})
