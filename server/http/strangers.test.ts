import { type AddressInfo, connect } from 'node:net'
import { beforeAll, expect, test } from 'vitest'
import { loadFirm } from '#server/demo/firm.ts'
import { createLogger } from '#server/platform/logger.ts'
import { allCalls } from '#shared/contract/index.ts'
import { currentPages } from '#test/support/built-pages.ts'
import { atEnd } from '#test/support/clean-up.ts'
import { openWorld } from '#test/support/world.ts'
import { createApp } from './app.ts'

/** Anything that someone without an account can send, as bytes: refused in words, and no error of ours. */

const lines: string[] = []
let port: number
let token: string

beforeAll(async () => {
  const world = await openWorld({ rateLimit: false })
  const log = createLogger('debug', { write: line => void lines.push(line) })
  const services = { ...world.services, log }
  await services.db.transaction().execute(tx => loadFirm(tx, services.clock.now()))
  const app = await createApp(services, { pages: await currentPages() })
  token = world.tokenOf(world.admin)
  await app.listen({ port: 0, host: '127.0.0.1' })
  port = (app.server.address() as AddressInfo).port
  atEnd(() => app.close())
})

/** A request as bytes, one per character; the server closes the connection after its answer. */
function request(line: string, headers: readonly string[] = ['Host: here'], body = ''): string {
  const length = body === '' ? [] : [`Content-Length: ${body.length}`]
  return [`${line} HTTP/1.1`, 'Connection: close', ...headers, ...length, '', body].join('\r\n')
}

/** Everything the server sends until it closes the connection. */
function answerTo(bytes: string): Promise<string> {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1')
    let answer = ''
    socket.on('data', chunk => {
      answer += chunk.toString('latin1')
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve(answer))
    socket.write(Buffer.from(bytes, 'latin1'))
  })
}

const statusIn = (answer: string) => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1])
const errors = () => lines.filter(line => (JSON.parse(line) as { level: number }).level >= 50)

/** Sends one after the other, so that an error names its request. */
async function expectNoError(requests: readonly string[]) {
  lines.length = 0
  for (const bytes of requests) {
    const status = statusIn(await answerTo(bytes))
    expect(status, JSON.stringify(bytes.slice(0, 200))).toBeLessThan(500)
    expect(errors(), JSON.stringify(bytes.slice(0, 200))).toEqual([])
  }
}

const folders = [
  '/',
  '/assets/',
  '/api/',
  '/api/docs/',
  '/api/docs/static/',
  '/api/deposit/get-one/',
  '/verify/',
]
const names = [
  ...[
    '../../../package.json',
    '..%2f..%2f..%2fpackage.json',
    '%2e%2e/%2e%2e/package.json',
    '%252e%252e%252f',
  ],
  ...['.', '..', './', '/', '//x', '..;/x', '%5c..%5cx', '\\..\\x', '.env', '.git/config', 'index.html/..'],
  ...['%', '%00', 'a%00b', '%ff', '%c0%80', '%ED%A0%80', '%E2%80%AE', '\xff', '{x}', '<x>', '|', '*', '#x'],
  ...['?', '?%', '?a=%ff', '?__proto__=1', '@x', 'a:b', 'x'.repeat(8000)],
]

test('no address causes an error', () =>
  expectNoError(folders.flatMap(folder => names.map(name => request(`GET ${folder}${name}`)))))

const hosts = [
  ...[
    'evil:80@x',
    'a@b',
    'user:pass@h:1',
    '@',
    'a b',
    '',
    ':80',
    'x:99999',
    'x:',
    '[::',
    '[::1]',
    '%',
    '%00',
  ],
  ...['evil/path', 'evil?x', 'evil#x', 'evil\\x', 'http://evil', '..', '\xff', 'xn--a', '1e400', '<script>'],
  ...['a,b', "'", '`', 'a'.repeat(4000), '256.256.256.256'],
]
const pages = [
  '/',
  '/login',
  '/verify/a',
  '/dashboard',
  '/nowhere',
  '/robots.txt',
  '/api/health',
  '/api/docs/',
]

test('no Host causes an error', () =>
  expectNoError(hosts.flatMap(host => pages.map(page => request(`GET ${page}`, [`Host: ${host}`])))))

test('a Host that is more than a name and a port is refused, on every page', async () => {
  for (const host of ['evil:80@x', 'a@b', 'evil/path', 'evil?x']) {
    for (const page of ['/', '/login', '/verify/a']) {
      expect(statusIn(await answerTo(request(`GET ${page}`, [`Host: ${host}`]))), host + page).toBe(400)
    }
  }
})

const targets = [
  ...['http://evil/', 'http://evil:80@x/', 'https://u:p@h/login', 'http://', 'http:///', 'http://[::/x'],
  ...['http://x/%', 'http://x/api/docs/static/../../../package.json', 'ftp://x/', 'mailto:x', 'x', '?', '#'],
  ...['*', '//', '//x/y', '///', '/\\x', '//login', '/login//', '/login%00', '/login/..', '/http://x'],
  ...['/?sent', '/contact?sent=1&sent=2', `/login?${'a=b&'.repeat(3000)}`],
]

test('no request target causes an error, whatever the method', () =>
  expectNoError(
    targets.flatMap(target =>
      ['GET', 'HEAD', 'POST', 'OPTIONS'].map(method => request(`${method} ${target}`)),
    ),
  ))

const methods = ['HEAD', 'OPTIONS', 'TRACE', 'PROPFIND', 'PATCH', 'PUT', 'DELETE', 'QUERY', 'SEARCH', 'FOO']
const json = ['Host: here', 'Content-Type: application/json']

test('no method causes an error', () =>
  expectNoError(
    methods.flatMap(method =>
      [...pages, '/assets/x', '/api/docs/static/index.css', '/api/auth/login', '/api/live', '*'].flatMap(
        path => [request(`${method} ${path}`), request(`${method} ${path}`, json, '{}')],
      ),
    ),
  ))

const headers = [
  ...['Content-Length: abc', 'Content-Length: -1', 'Content-Length: 99999999999999999999', 'Expect: x'],
  ...['Content-Length: 1\r\nContent-Length: 2', 'Transfer-Encoding: chunked\r\nContent-Length: 1'],
  ...['Transfer-Encoding: gzip, chunked', 'Host: again', 'Upgrade: websocket', `X: ${'x'.repeat(20_000)}`],
  ...[
    'If-None-Match: *',
    'If-None-Match: ,,"',
    'If-Modified-Since: x',
    'Accept-Encoding: br;q=NaN, __proto__',
  ],
  ...['Range: x', 'Range: bytes=-', 'Range: bytes=9-1', 'Range: bytes=99999999999999999999-'],
  ...['Authorization: Bearer', 'Authorization: x\r\nAuthorization: y', `Cookie: ${'a=b;'.repeat(3000)}`],
  ...['X-Request-Id: x\r\nX-Request-Id: y', 'Content-Type: ;', 'Content-Type: a/b\r\nContent-Type: c/d'],
  ...['X-Forwarded-For: ,,\r\nX-Forwarded-Host: evil:80@x\r\nX-Forwarded-Proto: javascript', 'Bad Header: x'],
  ...['\xff: x', ': x', 'X:\0', 'X: a\rb', ' folded', 'User-Agent: \xff', '__proto__: x', 'Origin: null'],
]

test('no header causes an error', () =>
  expectNoError(
    headers.flatMap(header =>
      [...pages, '/api/docs/static/index.css', '/api/auth/me', '/api/openapi.json'].map(path =>
        request(`GET ${path}`, ['Host: here', header]),
      ),
    ),
  ))

const form = 'application/x-www-form-urlencoded'
const bodies: readonly (readonly [type: string, body: string])[] = [
  ['application/json', '{'],
  ['application/json', '[]'],
  ['application/json', 'null'],
  ['application/json', '\0'],
  ['application/json', '{"__proto__":{"a":1}}'],
  ['application/json', '['.repeat(30_000)],
  ['application/json; charset=utf-16', '{}'],
  ['text/plain', 'x'],
  ['', 'x'],
  [form, '%ff%00=%'],
  [form, 'name=%00&email=%00&emailSubject=%00&message=%00'],
  [form, 'name=a%ed%a0%80&email=a@b.co&emailSubject=x&message=%00%ff'],
  ['multipart/form-data', 'x'],
  [
    'multipart/form-data; boundary=x',
    '--x\r\nContent-Disposition: form-data; name="name"\r\n\r\nx\r\n--x--\r\n',
  ],
]

test('no body causes an error', () =>
  expectNoError(
    bodies.flatMap(([type, body]) =>
      [
        'POST /',
        'POST /contact',
        'POST /login',
        'POST /nowhere',
        'POST /api/contact/new',
        'PUT /api/nothing',
      ].map(line => request(line, ['Host: here', `Content-Type: ${type}`], body)),
    ),
  ))

test('a form of another type is refused in words', async () => {
  for (const bytes of [request('POST /contact', json, '{}'), request('POST /contact')]) {
    const answer = await answerTo(bytes)
    expect(statusIn(answer)).toBe(415)
    expect(answer).toContain('Send the form as application/x-www-form-urlencoded')
  }
})

test('no call has an error because of an id or a body that is none', () =>
  expectNoError(
    allCalls.flatMap(({ method, path }) =>
      ['%00', 'constructor', 'x'.repeat(400)].map(id =>
        request(`${method} /api${path.replace(/:\w+/g, id)}`, json, method === 'GET' ? '' : '{"a":[null]}'),
      ),
    ),
  ))

test('no refresh token causes an error', () =>
  expectNoError(
    [
      '-'.repeat(36),
      `${'a'.repeat(35)}-`,
      `${'0'.repeat(8)}${'-0000'.repeat(7)}`.slice(0, 36),
      '',
      '\\u0000',
    ].map(id => request('POST /api/auth/refresh', json, `{"refreshToken":"${id}.x"}`)),
  ))

test('bytes that are no HTTP, and chunks that are none, cause no error', () =>
  expectNoError([
    ...[
      '\0\r\n\r\n',
      'GET\r\n\r\n',
      'GET / HTTP/9.9\r\n\r\n',
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
      '\x16\x03\x01\x02\0',
    ],
    ...['zz\r\n', '1;x=y\r\na\r\n0\r\n\r\n', '0\r\nX: y\r\n\r\n'].map(
      chunk => request('POST /api/auth/login', [...json, 'Transfer-Encoding: chunked']) + chunk,
    ),
  ]))

test('a visitor who leaves in the middle causes no error', async () => {
  const unfinished = [
    request('POST /contact', ['Host: here', `Content-Type: ${form}`, 'Content-Length: 900']),
    request('POST /api/auth/login', [...json, 'Content-Length: 900']),
    request('GET /api/docs/static/swagger-ui-bundle.js'),
    request('GET /login'),
    request('GET /api/auth/users.csv', ['Host: here', `Authorization: Bearer ${token}`]),
    request('GET /api/live', ['Host: here', `Authorization: Bearer ${token}`]),
    'GET / HT',
  ]
  lines.length = 0
  for (const bytes of unfinished) {
    await new Promise<void>(resolve => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.write(bytes, () => socket.resetAndDestroy())
      })
      socket.on('error', () => {})
      socket.on('close', () => resolve())
    })
    // An answer to somebody else: everything before it has been handled.
    expect(statusIn(await answerTo(request('GET /api/ready')))).toBe(200)
    expect(errors(), bytes).toEqual([])
  }
})
