import type { FastifyInstance } from 'fastify'
import { beforeAll, describe, expect, test } from 'vitest'
import { accessTokens } from '#server/platform/tokens.ts'
import { endSession, logout } from '#shared/contract/accounts.ts'
import { approveDeposit, newDeposit } from '#shared/contract/deposits.ts'
import { approveInvestment, newInvestment } from '#shared/contract/investments.ts'
import { readNotification } from '#shared/contract/notifications.ts'
import { listPlans, updatePlan } from '#shared/contract/plans.ts'
import { newReturn } from '#shared/contract/returns.ts'
import { newContactMessage } from '#shared/contract/site.ts'
import { newWithdrawal } from '#shared/contract/withdrawals.ts'
import { topics } from '#shared/live.ts'
import { answerTo, listeningApp, openStream } from '#test/support/live.ts'
import { until } from '#test/support/processes.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'

let world: World
/** Two web processes on one database; a third, the world's own, makes the changes. */
let one: FastifyInstance
let other: FastifyInstance

beforeAll(async () => {
  world = await openWorld({ rateLimit: false })
  one = await listeningApp(world.services)
  other = await listeningApp(world.services)
})

/** A stream that opens after the notifications of all earlier changes; creating a person is a change too. */
async function streamOf(person: Person, app = one) {
  const probe = await openStream(app, world.tokenOf(world.admin))
  await world.owner("SELECT pg_notify('changed', 'plans')")
  await probe.hears('plans')
  probe.close()
  return openStream(app, world.tokenOf(person))
}

async function requestDeposit(person: Person) {
  const body = { method: 'usdt', amount: 1_000 } as const
  return (await world.call(newDeposit, person, { body })).data._id
}

describe('recipients of a change', () => {
  test("[L-01] an admin's action reaches the investor through whichever process they use", async () => {
    const person = await world.person('Lia')
    const pages = [await streamOf(person, one), await streamOf(person, other)]
    const id = await requestDeposit(person)
    await world.call(approveDeposit, world.admin, { params: { id } })
    for (const page of pages) await page.hears('deposits', 'notifications')
  })

  test('[L-01] admins are notified of investor requests, also at high rates', async () => {
    const person = await world.person('Ari')
    await world.fund(person, 1_000_000n)
    const consoles = [await streamOf(world.admin, one), await streamOf(world.secondAdmin, other)]
    const wallet = { wallet: 'Bitcoin (BTC)', address: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq' } as const
    const asked = Array.from({ length: 100 }, (_, n) =>
      world.call(newWithdrawal, person, { body: { ...wallet, amount: n + 1 } }),
    )
    await Promise.all(asked)
    for (const page of consoles) {
      await page.hears('withdrawals')
      // Batched, instead of one event per request.
      expect(page.heard().length).toBeLessThan(50)
    }
    const body = { method: 'balance', plan: 'Basic', amount: 500 } as const
    const { data } = await world.call(newInvestment, person, { body })
    for (const page of consoles) await page.hears('investments')
    await world.call(approveInvestment, world.admin, { params: { id: data._id } })
  })

  test('[L-02] reports no content, and nothing about other users', async () => {
    const [person, stranger] = [await world.person('Own'), await world.person('Strange')]
    const [own, strange] = [await streamOf(person), await streamOf(stranger)]
    const id = await requestDeposit(person)
    await world.call(approveDeposit, world.admin, { params: { id } })
    await own.hears('deposits', 'notifications')
    // Notifications arrive in order.
    await requestDeposit(stranger)
    await strange.hears('deposits')
    expect(strange.heard()).toEqual([['deposits']])
    expect(own.heard().flat()).not.toContain('users')
    expect(
      own
        .text()
        .replace(/^event: (open|changed)$|^data: .*$|^:?$/gm, '')
        .trim(),
    ).toBe('')
    for (const [data] of own.text().matchAll(/(?<=^data: ).*$/gm)) {
      expect(Object.keys(JSON.parse(data)).filter(key => key !== 'topics')).toEqual([])
    }
    expect(own.text()).not.toContain(person.id)
  })

  test("[L-02] admins get no other user's notifications, investors no admin list changes", async () => {
    const person = await world.person('Nosy')
    const [admin, investor] = [await streamOf(world.secondAdmin), await streamOf(person)]
    const id = await requestDeposit(person)
    await world.call(approveDeposit, world.admin, { params: { id } })
    const realised = { amount: 10, source: 'Rent', realisedAt: '2026-03-01', evidence: 'BANK-2026-9' }
    await world.call(newReturn, world.admin, { body: realised })
    const message = { name: 'V', email: 'v@example.com', subject: 'Hello', message: 'Good day' }
    await world.call(newContactMessage, null, { body: message })
    await admin.hears('deposits', 'returns', 'messages')
    await investor.hears('deposits', 'notifications')
    expect(admin.heard().flat()).not.toContain('notifications')
    const [plan] = (await world.call(listPlans, null)).data
    const { _id, version: _, ...terms } = plan!
    await world.call(updatePlan, world.admin, { params: { id: _id }, body: { ...terms, note: 'Changed' } })
    await investor.hears('plans')
    expect(investor.heard().flat()).not.toContain('returns')
    expect(investor.heard().flat()).not.toContain('messages')
  })

  test('[L-06] marking as read on one device updates the others', async () => {
    const person = await world.person('Two Devices')
    await world.fund(person, 10_000n)
    const page = await streamOf(person)
    const { rows } = await world.owner(`SELECT id FROM app.notifications WHERE user_id = '${person.id}'`)
    await world.call(readNotification, person, { params: { id: rows[0].id } })
    await page.hears('notifications')
  })

  test('a rolled back change is not reported', async () => {
    const person = await world.person('Undone')
    const page = await streamOf(person)
    const change = `UPDATE app.users SET phone = '1' WHERE id = '${person.id}'`
    await world.owner(`BEGIN; ${change}; ROLLBACK`)
    await requestDeposit(person)
    await page.hears('deposits')
    expect(page.heard().flat()).not.toContain('users')
  })
})

describe('access to a stream, and its end', () => {
  test.each(['Bearer', 'Token', 'token'])('[C-28] the stream takes the prefix %s', async prefix => {
    const person = await world.person('Pia')
    expect(await answerTo(one, world.tokenOf(person), prefix)).toMatchObject({ status: 200 })
  })

  test("[C-28] refuses a missing token, an ended session's, and one in the address", async () => {
    const person = await world.person('Ended')
    const status = async (token: string) => (await answerTo(one, token)).status
    expect(await status('nonsense')).toBe(401)
    const url = `/api/live?access=${world.tokenOf(person)}&token=${world.tokenOf(person)}`
    const answer = await one.inject({ method: 'GET', url })
    expect(answer.json()).toMatchObject({ code: 'token_missing' })
    await world.call(logout, person)
    await until(async () => (await status(world.tokenOf(person))) === 401)
  })

  test('[L-03] the stream of a session ends with it, and no other', async () => {
    const person = await world.person('Left')
    const elsewhere = await world.signIn(person)
    const [left, stays] = [await streamOf(person, other), await streamOf(elsewhere, other)]
    await world.call(endSession, elsewhere, { params: { id: person.caller.sessionId } })
    await left.ends()
    await requestDeposit(elsewhere)
    await stays.hears('deposits')
    expect(left.heard().flat()).not.toContain('deposits')
  })

  test('[L-03] it ends when its access token expires', async () => {
    const person = await world.person('Short')
    const { userId, sessionId } = person.caller
    const tokens = accessTokens(world.services.config, world.clock)
    const short = () => tokens.sign({ sub: userId, type: 'investor', sid: sessionId }, 6_000)
    const stream = await openStream(one, short())
    await stream.ends()
    expect((await answerTo(one, short())).status).toBe(200)
  })

  test('[L-03] an account has so many in one process and no more, until one is closed', async () => {
    const app = await listeningApp(world.services, { perUser: 2 })
    const person = await world.person('Greedy')
    const first = await streamOf(person, app)
    await streamOf(person, app)
    expect(await answerTo(app, world.tokenOf(person))).toMatchObject({
      status: 429,
      headers: { 'retry-after': '60' },
      failure: { code: 'rate_limited' },
    })
    await streamOf(await world.person('Modest'), app)
    first.close()
    await until(async () => (await answerTo(app, world.tokenOf(person))).status === 200)
  })

  test('[L-03] a process has so many in all and no more', async () => {
    const app = await listeningApp(world.services, { inAll: 1 })
    await streamOf(await world.person('Only'), app)
    expect(await answerTo(app, world.tokenOf(await world.person('Late')))).toMatchObject({
      status: 503,
      headers: { 'retry-after': '30' },
      failure: { code: 'not_ready' },
    })
  })
})

describe('on the way', () => {
  test('[L-03] proxies must not cache, change or buffer the stream, and it sends heartbeats', async () => {
    const app = await listeningApp(world.services, { heartbeatMs: 50 })
    const person = await world.person('Quiet')
    const { headers } = await answerTo(app, world.tokenOf(person))
    expect(headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
    })
    const stream = await streamOf(person, app)
    await until(() => stream.text().includes(':\n\n:\n\n'))
    const head = await app.inject({
      method: 'HEAD',
      url: '/api/live',
      headers: { authorization: `Bearer ${world.tokenOf(person)}` },
    })
    expect([head.statusCode, head.headers.allow]).toEqual([405, 'GET'])
  })

  test('[L-03] a process that stops ends its streams first, and is done', async () => {
    const app = await listeningApp(world.services)
    const streams = [await streamOf(world.admin, app), await streamOf(await world.person('Stop'), app)]
    await Promise.all([app.close(), ...streams.map(stream => stream.ends())])
  })

  test('[L-04] without database notifications the process ends its streams and opens none', async () => {
    const apart = await openWorld()
    const { pool } = apart.services
    const options = { ...pool.options }
    const services = { ...apart.services, pool: Object.create(pool, { options: { value: options } }) }
    const app = await listeningApp(services, { heartbeatMs: 50 })
    const token = apart.tokenOf(await apart.person('Deaf'))
    const stream = await openStream(app, token)
    options.connectionString = 'postgres://nobody@127.0.0.1:1/nowhere'
    await cutLines(apart)
    await stream.ends()
    expect(await answerTo(app, token)).toMatchObject({ status: 503, failure: { code: 'not_ready' } })
    options.connectionString = pool.options.connectionString
    await until(async () => (await answerTo(app, token)).status === 200)
  })

  test('[L-04] after a gap in notifications, every list is announced as changed', async () => {
    const apart = await openWorld()
    const app = await listeningApp(apart.services)
    const investor = await openStream(app, apart.tokenOf(await apart.person('Gap')))
    const admin = await openStream(app, apart.tokenOf(apart.admin))
    await cutLines(apart)
    const own = Object.entries(topics).filter(([, told]) => told.some(whom => whom !== 'admins'))
    await investor.hears('plans')
    await admin.hears('plans')
    expect(investor.heard().at(-1)?.toSorted()).toEqual(own.map(([topic]) => topic).toSorted())
    expect(admin.heard().at(-1)?.toSorted()).toEqual(Object.keys(topics).toSorted())
  })

  /** Cuts the processes' connections for notifications, which then reconnect. */
  function cutLines({ owner }: World) {
    return owner(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                   WHERE application_name = 'probity notifications' AND datname = current_database()`)
  }
})
