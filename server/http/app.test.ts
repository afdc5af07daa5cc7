import { createConfig, lintFromString } from '@redocly/openapi-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { declineDeposit, newDeposit } from '#shared/contract/deposits.ts'
import { allCalls } from '#shared/contract/index.ts'
import { newInvestment } from '#shared/contract/investments.ts'
import { newReturn } from '#shared/contract/returns.ts'
import { riskLine } from '#shared/plans.ts'
import { demonstrationNotice } from '#shared/product.ts'
import { keyMayCall } from '#shared/roles.ts'
import { tamper } from '#test/support/tampering.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'

let world: World
let investor: Person
beforeAll(async () => {
  world = await openWorld()
  investor = await world.person('Ingrid')
})

describe('answers', () => {
  test('each carries a request id of ours, never the one that was sent', async () => {
    for (const given of ['trace-1234', 'a b', '']) {
      const { headers } = await world.app.inject({ url: '/api/health', headers: { 'x-request-id': given } })
      expect(headers['x-request-id']).toMatch(/^[\da-f-]{36}$/)
    }
  })

  test('nobody keeps a connection by never finishing a request', () => {
    expect(world.app.server.requestTimeout).toBe(30_000)
  })

  test('ready says that database and migrations are there', async () => {
    expect((await world.app.inject({ url: '/api/ready' })).json()).toMatchObject({ status: 'success' })
  })
})

describe('requests that are none', () => {
  const post = (payload: string | Buffer, type = 'application/json') =>
    world.app.inject({ method: 'POST', url: '/api/auth/login', headers: { 'content-type': type }, payload })

  test('an unknown call is 404, a known one by another method 405 with those that exist', async () => {
    expect((await world.app.inject({ url: '/api/nothing/here' })).json()).toMatchObject({ code: 'not_found' })
    const wrong = await world.app.inject({ method: 'DELETE', url: '/api/auth/login' })
    expect(wrong.statusCode).toBe(405)
    expect(wrong.headers.allow).toBe('POST')
    expect(wrong.json()).toMatchObject({ code: 'method_not_allowed' })
  })

  test('an address that is odd is refused in words that fit it', async () => {
    const headers = { authorization: `Bearer ${world.tokenOf(investor)}` }
    const answerTo = async (path: string) => {
      const { statusCode, payload } = await world.app.inject({ url: `/api${path}`, headers })
      return [statusCode, JSON.parse(payload).message]
    }
    const noId = [400, 'This id is not valid']
    for (const id of ['x'.repeat(400), 'x'.repeat(12_000), 'a%2Fb', '%20', '..%2f..'])
      expect(await answerTo(`/deposit/get-one/${id}`), id.slice(0, 20)).toEqual(noId)
    const unusable = [400, 'The request has characters that cannot be used']
    expect(await answerTo('/deposit/get-one/%00')).toEqual(unusable)
    expect(await answerTo('/deposit/get-all-user?q=a%00b')).toEqual(unusable)
    for (const path of ['/deposit/get-one/%ff', '/deposit/get-one/%', '/%c0%80'])
      expect(await answerTo(path), path).toEqual([400, 'This address is not valid'])
    for (const path of [
      '/deposit%2Fget-all-user',
      '/deposit/get-one/',
      '/deposit/get-one/a/b',
      `/${'x'.repeat(12_000)}`,
    ])
      expect(await answerTo(path), path.slice(0, 40)).toEqual([404, 'There is no such call; see /api/docs'])
    const [status] = await answerTo(`/deposit/get-all-user?q=${'x'.repeat(12_000)}`)
    expect(status).toBe(400)
  })

  test('broken JSON, another type and too large a body get different errors', async () => {
    expect((await post('{"email":')).json()).toMatchObject({
      code: 'invalid_json',
      message: 'The request is not valid JSON',
    })
    expect((await post('a=b', 'application/x-www-form-urlencoded')).json()).toMatchObject({
      code: 'unsupported_media_type',
    })
    expect((await post(Buffer.alloc(2_000_000, 'x'))).json()).toMatchObject({ code: 'payload_too_large' })
    expect((await post('[]')).json()).toMatchObject({ code: 'invalid_input' })
    expect((await post('')).json()).toMatchObject({
      code: 'invalid_input',
      fields: { email: 'Email is required' },
    })
  })

  test('[X-04] an unexpected error answers 500 in the specified words and reveals nothing', async () => {
    const broken = await openWorld()
    await broken.owner('DROP TABLE app.price_readings')
    const answer = await broken.app.inject({ url: '/api/price/get-all' })
    expect(answer.statusCode).toBe(500)
    expect(answer.json()).toEqual({
      status: 'error',
      code: 'internal',
      message:
        'Oops! Something went wrong. Please try again later. If the problem persists, feel free to contact our support team',
    })
  })
})

describe('the Idempotency-Key', () => {
  const ask = (key: string, amount = 100) =>
    world.call(newDeposit, investor, { body: { method: 'usdt', amount } }, { idempotencyKey: key })
  const deposits = async () =>
    Number(
      (await world.owner(`SELECT count(*) FROM app.deposits WHERE user_id = '${investor.id}'`)).rows[0].count,
    )

  test('[B-06] the same request gets the first answer again, and is done once', async () => {
    const before = await deposits()
    const first = await ask('key-1')
    world.clock.pass({ minutes: 1 })
    const second = await ask('key-1')
    expect(second.status).toBe(200)
    expect(second.data).toEqual(first.data)
    expect(await deposits()).toBe(before + 1)
  })

  test('[B-06] a repetition is answered with the same bytes, a refusal too', async () => {
    const requests = [
      { url: '/api/deposit/new', body: { method: 'usdt', amount: 150 } },
      { url: '/api/deposit/new', body: { method: 'usdt', amount: 50 } },
      { url: '/api/investment/new', body: { method: 'usdt', plan: 'Basic', amount: 150 } },
    ]
    for (const [n, { url, body }] of requests.entries()) {
      const send = async () => {
        const headers = {
          authorization: `Bearer ${world.tokenOf(investor)}`,
          'idempotency-key': `bytes-${n}`,
        }
        const { statusCode, payload } = await world.app.inject({
          method: 'POST',
          url,
          headers,
          payload: body,
        })
        return { statusCode, payload }
      }
      const first = await send()
      world.clock.pass({ minutes: 1 })
      expect(await send()).toEqual(first)
    }
  })

  test('[B-06] fifty at the same time are one, and all get its answer', async () => {
    const before = await deposits()
    const answers = await Promise.all(Array.from({ length: 50 }, () => ask('key-50')))
    expect(new Set(answers.map(({ status, data }) => `${status} ${data._id}`)).size).toBe(1)
    expect(answers[0]!.status).toBe(200)
    expect(await deposits()).toBe(before + 1)
  })

  test('[B-06] the same key for another request is refused', async () => {
    await ask('key-2', 100)
    expect(await ask('key-2', 200)).toMatchObject({ status: 422, code: 'idempotency_key_reused' })
  })

  test('[B-06] a refusal, too, is an answer that stays', async () => {
    const refused = await ask('key-3', 50)
    expect(refused).toMatchObject({ status: 400, message: 'Minimum deposit is $100' })
    expect(await ask('key-3', 50)).toMatchObject({
      status: 400,
      message: refused.message,
      fields: refused.fields,
    })
  })

  test('[B-06] a refusal stays also when its cause is gone; a new key finds that out', async () => {
    const someone = await world.person('Rita')
    const decline = (id: string, key: string) =>
      world.call(
        declineDeposit,
        world.admin,
        { params: { id }, body: { reason: 'Nothing has arrived' } },
        { idempotencyKey: key },
      )
    const { data } = await world.call(newDeposit, someone, { body: { method: 'usdt', amount: 100 } })
    const setStatus = (change: string) =>
      tamper(world.database, `UPDATE app.deposits SET ${change} WHERE id = '${data._id}'`)
    await setStatus("status = 'unpaid'")
    const refused = await decline(data._id, 'key-4')
    expect(refused).toMatchObject({ status: 409, code: 'wrong_state' })
    await setStatus("status = 'pending'")
    expect(await decline(data._id, 'key-4')).toMatchObject({ status: 409, message: refused.message })
    expect(await decline(data._id, 'key-5')).toMatchObject({ status: 200 })
  })

  test('[B-06, D-25] replays the first answer after the email became unverified, but not the refusal', async () => {
    const mover = await world.person('Mona Mover')
    const verify = (at: string) =>
      world.owner(`UPDATE app.users SET email_verified_at = ${at} WHERE id = '${mover.id}'`)
    const send = (key: string | undefined, method: 'usdt' | 'balance' = 'usdt') =>
      world.call(
        newInvestment,
        mover,
        { body: { method, plan: 'Basic', amount: 100 } },
        { idempotencyKey: key },
      )
    await world.fund(mover, 10_000n)
    const first = await send('key-coin')
    const held = await send('key-held', 'balance')
    await verify('NULL')
    expect((await send('key-coin')).data).toEqual(first.data)
    expect((await send('key-held', 'balance')).data).toEqual(held.data)
    for (const key of [undefined, 'key-new'])
      expect(await send(key)).toMatchObject({ status: 401, code: 'email_not_verified' })
    await verify('now()')
    expect(await send('key-new')).toMatchObject({ status: 200 })
  })

  test('keys of different people do not meet', async () => {
    const other = await world.person('Otto')
    const body = { method: 'usdt', amount: 300 } as const
    const answer = await world.call(newDeposit, other, { body }, { idempotencyKey: 'key-1' })
    expect(answer).toMatchObject({ status: 200, data: { amount: 300 } })
  })

  test.each(['', ' ', 'a b', 'x'.repeat(201), 'ü'])('%j is no key', async key => {
    const answer = await world.app.inject({
      method: 'POST',
      url: '/api/deposit/new',
      headers: {
        authorization: `Bearer ${world.tokenOf(investor)}`,
        'idempotency-key': Buffer.from(key).toString('latin1'),
      },
      payload: { method: 'usdt', amount: 100 },
    })
    expect(answer.statusCode).toBe(400)
  })

  test('without a key two equal requests are two', async () => {
    const before = await returns()
    const body = {
      amount: 10,
      source: 'Sale',
      realisedAt: '2026-01-05',
      evidence: 'https://example.com/sale',
    }
    await Promise.all([1, 2].map(() => world.call(newReturn, world.admin, { body })))
    expect(await returns()).toBe(before + 2)
  })
})

const returns = async () => Number((await world.owner('SELECT count(*) FROM app.returns')).rows[0].count)

describe('OpenAPI', () => {
  test('has every call of the contract with its permission', async () => {
    const knowing = allCalls.filter(({ knowsCaller }) => knowsCaller).map(({ id }) => id)
    expect(knowing).toEqual(['auth.verifyEmail', 'auth.requestVerification'])
    const { paths } = (await world.app.inject({ url: '/api/openapi.json' })).json()
    for (const call of allCalls) {
      const { path, method, id, permission, knowsCaller } = call
      const token = keyMayCall(call) ? [{ token: [] }, { apiKey: [] }] : [{ token: [] }]
      const operation = paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()]
      expect(operation).toMatchObject({
        operationId: id,
        security: permission !== 'public' ? token : knowsCaller ? [{}, { token: [] }] : [],
        description: expect.stringMatching(`^Permission: ${permission}\\b`),
      })
    }
  })

  test('[W-01] tells which roles may make a call of staff', async () => {
    const { paths } = (await world.app.inject({ url: '/api/openapi.json' })).json()
    expect(paths['/audit/get-all'].get.description).toBe('Permission: log (admin, compliance, auditor).')
    expect(paths['/deposit/approve/{id}'].post.description).toBe('Permission: decide (admin, finance).')
  })

  test('names every status that a call can be answered with', async () => {
    const { paths } = (await world.app.inject({ url: '/api/openapi.json' })).json()
    const everywhere = ['200', '400', '405', '408', '429', '431', '500', '503']
    for (const { path, method, permission, money, id } of allCalls) {
      const expected = [
        ...everywhere,
        ...(permission === 'public' ? [] : ['401']),
        ...(method === 'GET' ? [] : ['413', '415']),
        ...(money ? ['422'] : []),
      ]
      const { responses } = paths[path.replace(/:(\w+)/g, '{$1}')][method.toLowerCase()]
      expect(Object.keys(responses), id).toEqual(expect.arrayContaining(expected))
    }
  })

  test("has nothing that Redocly's recommended rules find wrong", async () => {
    const source = (await world.app.inject({ url: '/api/openapi.json' })).payload
    const config = await createConfig({ extends: ['recommended'] })
    const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config })
    expect(
      problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`),
    ).toEqual([])
  })

  test('[P-14] its page says who is behind it, and names files that are there', async () => {
    for (const url of ['/api/docs', '/api/docs/']) {
      const page = await world.app.inject({ url })
      expect([page.statusCode, page.headers['x-robots-tag']]).toEqual([200, 'noindex'])
      expect(page.body).toContain(demonstrationNotice)
      expect(page.body).toContain(riskLine)
      const files = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)]
        .map(([, file]) => file!)
        .filter(file => file !== '/')
      expect(files).toHaveLength(4)
      for (const file of files) {
        const { pathname } = new URL(file, `http://localhost${url}`)
        expect((await world.app.inject({ url: pathname })).statusCode, pathname).toBe(200)
      }
    }
  })
})
