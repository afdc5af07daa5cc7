import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { beforeAll, expect, expectTypeOf, test } from 'vitest'
import {
  type Client,
  createClient,
  type Data,
  type Limits,
  Refusal,
  type Row,
  TimeLimit,
  toCents,
  UnexpectedAnswer,
  type Usd,
} from '#clients/typescript/src/index.ts'
import { listUsers } from '#shared/contract/accounts.ts'
import { revokeApiKey } from '#shared/contract/api-keys.ts'
import { usdToJson } from '#shared/money.ts'
import { apiKey } from '#test/support/api-keys.ts'
import { listening } from '#test/support/listening.ts'
import { openWorld, type World } from '#test/support/world.ts'

/** The package clients/typescript against the server, over HTTP (I-03). */
let world: World
let address: string
let key: string
let probity: Client
const investors = 5

beforeAll(async () => {
  world = await openWorld()
  await world.app.listen({ port: 0, host: '127.0.0.1' })
  address = `http://127.0.0.1:${(world.app.server.address() as AddressInfo).port}`
  key = (await apiKey(world)).key
  probity = createClient({ address, key })
  for (let i = 0; i < investors; i++) {
    await world.fund(await world.person(`Investor ${i}`), 10_000n + BigInt(i) * 10n)
  }
})

test('[I-03] reads a list to its end, page after page', async () => {
  const { data: all } = await world.call(listUsers, world.admin, { query: { limit: 200 } })
  const read: Row<'/auth/users'>[] = []
  for await (const user of probity.rows('/auth/users', { query: { limit: 2 } })) read.push(user)
  expect(read.length).toBeGreaterThan(investors)
  expect(read).toEqual(all)
})

test('[I-03] reads no page before its rows are needed', async () => {
  const front = await inFront(forward)
  for await (const _ of client(front).rows('/auth/users', { query: { limit: 2 } })) break
  expect(front.requests).toHaveLength(1)
})

test('[I-03] amounts are exact in cents', async () => {
  let sum = 0n
  const deposits = probity.rows('/deposit/get-all', { query: { status: 'paid', limit: 2 } })
  for await (const { amount } of deposits) sum += toCents(amount)
  expect(sum).toBe(50_000n + 100n)
  for (const cents of [0n, 1n, -10n, 30n, 100_050n, 999_999_999_999n, 7_036_874_417_766_399n]) {
    expect(toCents(usdToJson(cents) as Usd)).toBe(cents)
  }
  for (const inexact of [0.001, 0.1 + 0.2, 1e-7, 2 ** 46, Number.NaN, Number.POSITIVE_INFINITY]) {
    expect(() => toCents(inexact as Usd), String(inexact)).toThrow(RangeError)
  }
})

test('[I-03] answers, rows and parameters have the types of the contract', () => {
  expectTypeOf<Row<'/withdrawal/get-all'>['amount']>().toEqualTypeOf<Usd>()
  expectTypeOf<Row<'/withdrawal/get-all'>['status']>().toEqualTypeOf<
    'pending' | 'approved' | 'paid' | 'declined'
  >()
  expectTypeOf<Data<'/payout/get-one/{id}'>['_id']>().toEqualTypeOf<string>()
  // @ts-expect-error The path needs an id.
  const incomplete = () => probity.get('/payout/get-one/{id}')
  // @ts-expect-error No API key makes this call.
  const forbidden = () => probity.get('/auth/me')
  // @ts-expect-error It answers one object and no list.
  const noList = () => probity.rows('/console/summary')
  expect([incomplete, forbidden, noList].every(call => typeof call === 'function')).toBe(true)
})

test('[I-03] a refusal has its code, its reason or fields, and the id of the request', async () => {
  const unknown = probity.get('/console/user/{id}', { path: { id: crypto.randomUUID() } })
  const refusal = await refusalOf(unknown)
  expect(refusal).toMatchObject({
    status: 404,
    code: 'not_found',
    requestId: expect.stringMatching(/^[\da-f-]{36}$/),
  })
  expect(await refusalOf(probity.get('/auth/users', { query: { limit: 0 } }))).toMatchObject({
    code: 'invalid_input',
    fields: { limit: 'Limit must be at least 1' },
    message: 'Limit must be at least 1',
  })
})

test('[I-01, I-03] a revoked key and one without the right are refused', async () => {
  const { id, key: revoked } = await apiKey(world, { rights: ['log'] })
  const reader = createClient({ address, key: revoked })
  expect((await reader.get('/audit/get-all')).data.length).toBeGreaterThan(0)
  expect(await refusalOf(reader.get('/auth/users'))).toMatchObject({ status: 403, code: 'forbidden' })
  await world.call(revokeApiKey, world.admin, { params: { id }, body: { reason: 'Leaked' } })
  expect(await refusalOf(reader.get('/audit/get-all'))).toMatchObject({ status: 401, code: 'token_invalid' })
})

test('[I-03] a file comes as its bytes, with its name', async () => {
  const response = await probity.file('/deposit/get-all.csv')
  expect(response.headers.get('content-disposition')).toMatch(/filename="?deposits/)
  const lines = (await response.text()).trim().split('\r\n')
  expect(lines).toHaveLength(1 + investors)
})

test('[I-03] waits as long as Retry-After says, then repeats the call', async () => {
  const later = new Date(0).toUTCString()
  for (const busy of [refuse(429, '0'), refuse(503, '0'), refuse(503, later), html(503, '0')]) {
    const front = await inFront(busy, busy, busy, forward)
    const { data } = await client(front).get('/auth/users', { query: { limit: 1 } })
    expect(data).toHaveLength(1)
    expect(new Set(front.requests)).toEqual(new Set(['GET /api/auth/users?limit=1']))
    expect(front.requests).toHaveLength(4)
  }
})

test('[I-03] gives up after its tries, and where it would wait too long', async () => {
  const busy = await inFront(refuse(503, '0'))
  expect(await refusalOf(client(busy, { tries: 3 }).get('/price/sources'))).toMatchObject({ status: 503 })
  expect(busy.requests).toHaveLength(3)
  for (const answer of [refuse(429, '61'), refuse(500, '0'), refuse(503)]) {
    const front = await inFront(answer)
    await refusalOf(client(front).get('/price/sources'))
    expect(front.requests).toHaveLength(1)
  }
})

test('[I-03] the server refuses too many exports, and says for how long', async () => {
  const once = createClient({ address, key, limits: { tries: 1 } })
  const exportAll = async () => await (await once.file('/withdrawal/get-all.csv')).text()
  // One after the other: of many at once some wait in vain for their turn.
  for (let asked = 0; asked < 20; asked++) await exportAll()
  const refused = await refusalOf(exportAll())
  expect(refused).toMatchObject({ status: 429, code: 'rate_limited' })
  expect(refused.retryAfterSeconds).toBeGreaterThan(0)
})

test('[I-03] an answer that takes too long ends with the name of its limit', async () => {
  const front = await inFront(neverAnswer)
  const failed = await client(front, { answerMs: 500 })
    .get('/price/sources')
    .catch((error: unknown) => error)
  expect(failed).toBeInstanceOf(TimeLimit)
  expect(failed).toMatchObject({ limitMs: 500, message: 'no answer within 500 ms (limits.answerMs)' })
  expect(front.requests).toHaveLength(1)
})

test('[I-03] the caller can end a call, while it runs and while it waits', async () => {
  for (const answer of [neverAnswer, refuse(503, '60')]) {
    const abort = new AbortController()
    const reason = new Error('The report is not needed')
    const front = await inFront((request, response) => {
      answer(request, response)
      // After the answer has arrived, the client waits for its retry.
      setTimeout(() => abort.abort(reason), 10)
    })
    await expect(client(front).get('/price/sources', { signal: abort.signal })).rejects.toBe(reason)
    expect(front.requests).toHaveLength(1)
  }
  const early = { signal: AbortSignal.abort(new Error('Too late')) }
  await expect(probity.get('/price/sources', early)).rejects.toThrow('Too late')
})

test('[I-03] an answer that is not the API’s is an error, also with status 200', async () => {
  for (const answer of [html(200), html(502), html(404), refuse(200)]) {
    const failed = await client(await inFront(answer))
      .get('/price/sources')
      .catch((error: unknown) => error)
    expect(failed).toBeInstanceOf(UnexpectedAnswer)
  }
})

test('[I-03] the key goes to its server alone, encrypted or on this machine', async () => {
  expect(() => createClient({ address: 'http://example.com', key })).toThrow('must begin with https://')
  expect(createClient({ address: 'https://example.com/', key })).toBeDefined()
  const other = await inFront(forward)
  const front = await inFront((_request, response) =>
    response.writeHead(307, { location: other.origin }).end(),
  )
  await expect(client(front).get('/price/sources')).rejects.toThrow('fetch failed')
  expect(other.requests).toEqual([])
})

type Answer = (request: IncomingMessage, response: ServerResponse) => void
type Front = { origin: string; requests: string[] }

const client = ({ origin }: Front, limits: Partial<Limits> = {}) =>
  createClient({ address: origin, key, limits })

/** A proxy before the server, that answers its requests one after the other like this, the last way from then on. */
async function inFront(...answers: Answer[]): Promise<Front> {
  const requests: string[] = []
  const origin = await listening((request, response) => {
    requests.push(`${request.method} ${request.url}`)
    answers[Math.min(requests.length, answers.length) - 1]!(request, response)
  })
  return { origin, requests }
}

const forward: Answer = async (request, response) => {
  const headers = { authorization: request.headers.authorization! }
  const answer = await fetch(new URL(request.url!, address), { headers })
  response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
}

const neverAnswer: Answer = () => {}

function refuse(status: number, retryAfter?: string): Answer {
  return answering(status, retryAfter, 'application/json', JSON.stringify(busyFailure))
}
const busyFailure = { status: 'error', message: 'Busy', code: 'not_ready', reason: 'busy' }

function html(status: number, retryAfter?: string): Answer {
  return answering(status, retryAfter, 'text/html', '<h1>Gateway</h1>')
}

function answering(status: number, retryAfter: string | undefined, type: string, body: string): Answer {
  const headers = { 'content-type': type, ...(retryAfter === undefined ? {} : { 'retry-after': retryAfter }) }
  return (_request, response) => response.writeHead(status, headers).end(body)
}

async function refusalOf(call: Promise<unknown>): Promise<Refusal> {
  const failed = await call.catch((error: unknown) => error)
  expect(failed).toBeInstanceOf(Refusal)
  return failed as Refusal
}
