import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { cleanUp } from '#server/jobs/clean-up.ts'
import { newId } from '#server/platform/id.ts'
import { approveDeposit, newDeposit } from '#shared/contract/deposits.ts'
import { newContactMessage } from '#shared/contract/site.ts'
import * as call from '#shared/contract/webhooks.ts'
import { newWithdrawal } from '#shared/contract/withdrawals.ts'
import {
  formerSecretHours,
  longestWebhookPauseMinutes,
  maximumWebhooks,
  webhookGiveUpHours,
  webhookLogDays,
} from '#shared/limits.ts'
import type { WebhookEvent } from '#shared/webhooks.ts'
import { type Receiver, verified } from '#test/support/receiver.ts'
import { approvedWebhook, removeWebhooks, startReceiver, webhookTo } from '#test/support/webhooks.ts'
import { kill, startWorker } from '#test/support/worker.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'
import { deliverAll, wakeWebhooks } from './webhook-deliver.ts'
import { resealWebhooks } from './webhook-secrets.ts'

/** Signed webhooks: what notifies the firm's programs (I-02). */
let world: World
let investor: Person
let receiver: Receiver
const hosts: string[] = []

beforeAll(async () => {
  world = await openWorld({ rateLimit: false, webhookPrivateHosts: hosts })
  investor = await world.person('Ines Investor')
  await world.fund(investor, 1_000_000n)
})

beforeEach(async () => {
  await removeWebhooks(world)
  receiver = await startReceiver()
  hosts.push(receiver.host)
})

const never = new AbortController().signal
const deliver = (id: string) => deliverAll(world.services, id, never)
/** Services later: moving the world's clock would date the messages of the other tests, which a receiver refuses. */
const servicesAfter = (minutes: number) => {
  const now = () => new Date(world.clock.now().getTime() + minutes * 60_000)
  return { ...world.services, clock: { now } }
}
const deliverAfter = (minutes: number, id: string) => deliverAll(servicesAfter(minutes), id, never)
const deposit = async (amount = 150) => {
  const { data } = await world.call(newDeposit, investor, { body: { method: 'usdt', amount } })
  await world.call(approveDeposit, world.admin, { params: { id: data._id } })
  return data
}
const withdraw = async (amount = 120) => {
  const body = {
    amount,
    wallet: 'Bitcoin (BTC)',
    address: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq',
  } as const
  return (await world.call(newWithdrawal, investor, { body })).data
}
const log = async (webhook: string) =>
  (await world.call(call.listDeliveries, world.admin, { query: { webhook } })).data
const hook = async (id: string) =>
  (await world.call(call.listWebhooks, world.admin, { query: { q: id } })).data[0]!
const queued = async (id: string) => {
  const { rows } = await world.owner(`SELECT FROM graphile_worker._private_jobs WHERE key = 'webhooks ${id}'`)
  return rows.length === 1
}
const jobsOf = async (id: string) => {
  const { rows } = await world.owner(
    `SELECT FROM graphile_worker._private_jobs WHERE payload->>'id' = '${id}'`,
  )
  return rows.length
}
/** What pages of integrations are told from now on; each call counts what is new. */
async function listening() {
  const client = await world.database.owner.connect()
  onTestFinished(() => client.release(true))
  const heard: string[] = []
  client.on('notification', ({ payload }) => heard.push(payload!))
  await client.query('LISTEN changed')
  const told = async () => {
    await world.owner(`SELECT pg_notify('changed', 'so far')`)
    await expect.poll(() => heard.includes('so far')).toBe(true)
    return heard.splice(0).filter(topic => topic === 'integrations').length
  }
  return told
}
const testHook = (id: string) => world.call(call.testWebhook, world.admin, { params: { id } })

describe('a message', () => {
  test('[I-02] is signed as Standard Webhooks say, with ids and amounts alone', async () => {
    const events: WebhookEvent[] = ['deposit.approved', 'withdrawal.requested', 'message.received']
    const { id, secret } = await webhookTo(world, receiver.url, events)
    const { _id: depositId, invoiceId } = await deposit(150)
    const withdrawal = await withdraw(120)
    const { name, email } = investor
    const body = { name, email, subject: 'Private', message: 'Nobody else reads this' }
    await world.call(newContactMessage, null, { body })
    await deliver(id)
    expect(receiver.received.map(message => verified(secret, message))).toMatchObject([
      {
        type: 'deposit.approved',
        data: { id: depositId, number: invoiceId, user: investor.id, requested: 150, credited: 150 },
      },
      { type: 'withdrawal.requested', data: { id: withdrawal._id, user: investor.id, amount: 120 } },
      { type: 'message.received', data: { user: null } },
    ])
    for (const { body } of receiver.received) {
      for (const private_ of [name, email, 'Private', 'bc1q']) expect(body).not.toContain(private_)
    }
    expect(await log(id)).toMatchObject([
      { event: 'message.received', status: 'delivered', attempts: 1, responseStatus: 200, response: 'ok' },
      { event: 'withdrawal.requested' },
      { event: 'deposit.approved', subject: depositId },
    ])
  })

  test('[I-02] is refused by a receiver with another secret, and if it is changed', async () => {
    const { id, secret } = await webhookTo(world, receiver.url)
    await testHook(id)
    await deliver(id)
    const [message] = receiver.received
    expect(verified(secret, message!)).toMatchObject({ type: 'webhook.test', data: {} })
    const other = await webhookTo(world, receiver.url)
    expect(() => verified(other.secret, message!)).toThrow()
    expect(() => verified(secret, { ...message!, body: `${message!.body} ` })).toThrow()
  })

  test('[I-02] is signed by the former secret, too, for a day', async () => {
    const { id, secret: former } = await webhookTo(world, receiver.url)
    const { data } = await world.call(call.createWebhookSecret, world.admin, { params: { id } })
    await testHook(id)
    await deliver(id)
    for (const secret of [former, data.secret]) verified(secret, receiver.received[0]!)
    expect((await hook(id)).formerUntil).not.toBeNull()
    await testHook(id)
    await deliverAfter(formerSecretHours * 60, id)
    expect(receiver.received[1]!.headers['webhook-signature']).not.toContain(' ')
  })

  test('[I-02] exists only if its event commits, and only for what was chosen', async () => {
    const { id } = await webhookTo(world, receiver.url, ['message.received'])
    await deposit()
    const jobs = await jobsOf(id)
    const write = (ending: () => void) =>
      world.services.db.transaction().execute(async tx => {
        await tx
          .insertInto('app.contact_messages')
          .values({ id: newId(world.clock.now()), name: 'a', email: 'b', subject: 'c', message: 'd' })
          .execute()
        ending()
      })
    const undone = new Error('undone')
    await expect(
      write(() => {
        throw undone
      }),
    ).rejects.toBe(undone)
    expect(await log(id)).toEqual([])
    expect(await jobsOf(id)).toBe(jobs)
    await write(() => {})
    expect(await log(id)).toMatchObject([{ event: 'message.received', status: 'pending' }])
    expect(await jobsOf(id)).toBe(jobs + 1)
  })

  test('[I-02] wakes each endpoint once a transaction, however many others come with it', async () => {
    const ids = [
      (await webhookTo(world, receiver.url, ['message.received'])).id,
      (await webhookTo(world, receiver.url, ['message.received'])).id,
    ]
    const jobs = () => Promise.all(ids.map(jobsOf))
    const before = await jobs()
    await world.services.db.transaction().execute(async tx => {
      const write = () =>
        tx
          .insertInto('app.contact_messages')
          .values({ id: newId(world.clock.now()), name: 'a', email: 'b', subject: 'c', message: 'd' })
          .execute()
      await sql`SAVEPOINT undone`.execute(tx)
      await write()
      // The job that it had queued is gone.
      await sql`ROLLBACK TO SAVEPOINT undone`.execute(tx)
      for (let statement = 0; statement < 100; statement++) await write()
    })
    for (const id of ids) expect(await hook(id)).toMatchObject({ waiting: 100 })
    expect(await jobs()).toEqual(before.map(count => count + 1))
    // Behind a pooler, the next transaction may have the same session.
    await deposit()
    const { name, email } = investor
    const body = { name, email, subject: 'Another', message: 'Of another transaction' }
    await world.call(newContactMessage, null, { body })
    expect(await jobs()).toEqual(before.map(count => count + 2))
  })

  test('[I-02] is on open pages when it comes and when it was sent, once each', async () => {
    const { id } = await webhookTo(world, receiver.url, ['withdrawal.requested'])
    const told = await listening()
    await withdraw()
    expect(await told()).toBe(1)
    await deliver(id)
    expect(await told()).toBe(1)
    // Nothing waits: a lease is no news.
    await deliver(id)
    expect(await told()).toBe(0)
  })
})

describe('an endpoint', () => {
  test('[I-02] that was down gets everything once, in order, when it is back', async () => {
    const { id, secret } = await webhookTo(world, receiver.url, ['withdrawal.requested'])
    receiver.state.status = 503
    const first = await withdraw()
    await deliver(id)
    const second = await withdraw()
    await deliver(id)
    expect(receiver.received).toHaveLength(1)
    expect(await hook(id)).toMatchObject({ status: 'failing', waiting: 2 })
    receiver.state.status = 200
    await wakeWebhooks(servicesAfter(1))
    expect(await queued(id)).toBe(true)
    await deliverAfter(1, id)
    const [failed, ...others] = receiver.received
    expect(others.map(message => verified(secret, message).data)).toMatchObject([
      { id: first._id },
      { id: second._id },
    ])
    expect(others[0]).toMatchObject({ id: failed!.id, body: failed!.body })
    await deliver(id)
    expect(receiver.received).toHaveLength(3)
    expect(await hook(id)).toMatchObject({ status: 'active', failingSince: null, waiting: 0 })
  })

  test('[I-02] is given up after three days: staff are told, and resume it', async () => {
    const { id } = await webhookTo(world, receiver.url)
    receiver.state.status = 500
    await testHook(id)
    const pauses: number[] = []
    const times: number[] = []
    for (let passed = 0; (await hook(id)).status !== 'stopped' && times.length < 100; ) {
      await deliverAfter(passed, id)
      const { attemptedAt } = (await log(id))[0]!
      const due = (await hook(id)).nextAttemptAt!
      times.push(Date.parse(attemptedAt!))
      pauses.push((Date.parse(due) - Date.parse(attemptedAt!)) / 60_000)
      passed = Math.ceil((Date.parse(due) - world.clock.now().getTime()) / 60_000)
    }
    const attempts = times.length
    const doubled = [1, 2, 4, 8, 16, 32, 64, 128, 256]
    expect(pauses.slice(0, doubled.length)).toEqual(doubled)
    expect(new Set(pauses.slice(doubled.length))).toEqual(new Set([longestWebhookPauseMinutes]))
    const hours = times.map(time => (time - times[0]!) / 3_600_000)
    expect(hours.at(-1)).toBeGreaterThanOrEqual(webhookGiveUpHours)
    expect(hours.at(-2)).toBeLessThan(webhookGiveUpHours)
    expect((await log(id))[0]).toMatchObject({ status: 'failed', attempts, responseStatus: 500 })
    const { rows } = await world.owner(
      `SELECT FROM graphile_worker._private_jobs WHERE payload::text LIKE '%no message for ${webhookGiveUpHours} hours%'`,
    )
    expect(rows).toHaveLength(2)
    receiver.state.status = 200
    await testHook(id)
    await deliver(id)
    expect(receiver.received).toHaveLength(attempts)
    const resume = () => world.call(call.resumeWebhook, world.admin, { params: { id } })
    expect((await resume()).status).toBe(200)
    await deliver(id)
    expect(receiver.received).toHaveLength(attempts + 1)
    expect(await resume()).toMatchObject({ status: 409, reason: 'webhook_works' })
  })

  test('[I-02] gets a message again on request, with the same id and bytes', async () => {
    const { id } = await webhookTo(world, receiver.url)
    await deposit()
    await deliver(id)
    const [{ _id }] = (await log(id)) as unknown as [{ _id: string }]
    expect((await world.call(call.redeliver, world.admin, { params: { id: _id } })).status).toBe(200)
    expect(await world.call(call.redeliver, world.admin, { params: { id: _id } })).toMatchObject({
      reason: 'still_waiting',
    })
    await deliver(id)
    const [one, two] = receiver.received
    expect(two).toMatchObject({ id: one!.id, body: one!.body })
  })

  test('[I-02] gets nothing while an admin has stopped it, and then what waited', async () => {
    const { id } = await webhookTo(world, receiver.url)
    const stop = () =>
      world.call(call.stopWebhook, world.admin, { params: { id }, body: { reason: 'It is moved' } })
    expect((await stop()).status).toBe(200)
    expect(await stop()).toMatchObject({ status: 409, reason: 'webhook_stopped' })
    await testHook(id)
    await deliver(id)
    await wakeWebhooks(world.services)
    expect(await queued(id)).toBe(false)
    expect(receiver.received).toEqual([])
    expect(await hook(id)).toMatchObject({ status: 'stopped', waiting: 1, failingSince: null })
    const waiting = { status: 'pending', webhookStopped: true, nextAttemptAt: null }
    expect(await log(id)).toMatchObject([waiting])
    await world.call(call.resumeWebhook, world.secondAdmin, { params: { id } })
    await deliver(id)
    expect(receiver.received).toHaveLength(1)
    expect(await log(id)).toMatchObject([{ status: 'delivered', webhookStopped: false }])
  })

  test('[I-02] that does not answer holds nobody else up', async () => {
    const other = await startReceiver()
    hosts.push(other.host)
    const slow = await webhookTo(world, receiver.url)
    const quick = await webhookTo(world, other.url)
    receiver.state.status = null
    await deposit()
    const stopping = new AbortController()
    const held = deliverAll(world.services, slow.id, stopping.signal)
    await expect.poll(() => receiver.received.length).toBe(1)
    // Woken again, it does not wait behind the first.
    await deliver(slow.id)
    await deliver(quick.id)
    expect(other.received).toHaveLength(1)
    stopping.abort()
    await held
    // The worker was stopped, which is no fault of the endpoint; the next one goes on at once.
    expect(await hook(slow.id)).toMatchObject({ status: 'active', waiting: 1 })
    expect(await log(slow.id)).toMatchObject([{ status: 'pending', attempts: 0, response: null }])
    receiver.state.status = 200
    await deliver(slow.id)
    expect(await log(slow.id)).toMatchObject([{ status: 'delivered', attempts: 1 }])
  })

  test('[I-02] that an admin resumes in an attempt begins to fail only with it', async () => {
    const { id } = await webhookTo(world, receiver.url)
    receiver.state.status = 503
    await testHook(id)
    await deliver(id)
    receiver.state.status = null
    const held = deliverAfter(5, id)
    await expect.poll(() => receiver.received.length).toBe(2)
    expect((await world.call(call.resumeWebhook, world.admin, { params: { id } })).status).toBe(200)
    receiver.close()
    await held
    const [{ attemptedAt }] = (await log(id)) as unknown as [{ attemptedAt: string }]
    const nextAttemptAt = new Date(Date.parse(attemptedAt) + 60_000).toISOString()
    expect(await hook(id)).toMatchObject({ status: 'failing', failingSince: attemptedAt, nextAttemptAt })
  })

  test('[I-02] stays with the worker that took over, whatever the first one does', async () => {
    const { id } = await webhookTo(world, receiver.url)
    receiver.state.status = null
    await testHook(id)
    const [one, two] = [new AbortController(), new AbortController()]
    const first = deliverAll(world.services, id, one.signal)
    await expect.poll(() => receiver.received.length).toBe(1)
    const second = deliverAll(servicesAfter(1), id, two.signal)
    await expect.poll(() => receiver.received.length).toBe(2)
    one.abort()
    await first
    receiver.state.status = 200
    await deliverAfter(1, id)
    expect(receiver.received).toHaveLength(2)
    two.abort()
    await second
    await deliverAfter(1, id)
    expect(receiver.received).toHaveLength(3)
  })

  test('[I-02] gets an event that commits while a worker sends it another', async () => {
    const { secret } = await webhookTo(world, receiver.url, ['withdrawal.requested'])
    const held = Promise.withResolvers<void>()
    receiver.state.held = held.promise
    const first = await withdraw()
    const worker = startWorker(world, { WEBHOOK_PRIVATE_HOSTS: receiver.host })
    onTestFinished(() => kill(worker))
    await expect.poll(() => receiver.received.length, { timeout: 60_000 }).toBe(1)
    const second = await withdraw()
    held.resolve()
    await expect.poll(() => receiver.received.length, { timeout: 20_000 }).toBe(2)
    expect(receiver.received.map(message => verified(secret, message).data)).toMatchObject([
      { id: first._id },
      { id: second._id },
    ])
  })

  test('[I-02] whose worker is killed in an attempt gets the message from another', async () => {
    const { id, secret } = await webhookTo(world, receiver.url, ['withdrawal.requested'])
    receiver.state.status = null
    const { _id } = await withdraw()
    const worker = startWorker(world, { WEBHOOK_PRIVATE_HOSTS: receiver.host })
    await expect.poll(() => receiver.received.length, { timeout: 60_000 }).toBe(1)
    await kill(worker)
    receiver.state.status = 200
    await deliverAfter(1, id)
    expect(receiver.received).toHaveLength(2)
    expect(receiver.received[1]!.id).toBe(receiver.received[0]!.id)
    expect(verified(secret, receiver.received[1]!).data).toMatchObject({ id: _id })
  })

  test('[I-02] that redirects, or answers very much, is read to its first characters', async () => {
    const { id } = await webhookTo(world, receiver.url)
    const other = await startReceiver()
    hosts.push(other.host)
    receiver.state.status = 302
    receiver.state.headers = { location: other.url }
    await testHook(id)
    await deliver(id)
    expect((await log(id))[0]).toMatchObject({ status: 'pending', responseStatus: 302 })
    expect(other.received).toEqual([])
    receiver.state.status = 200
    receiver.state.answer = `secret\n${'x'.repeat(1_000_000)}`
    await deliverAfter(2, id)
    const [{ response }] = (await log(id)) as unknown as [{ response: string }]
    expect(response).toMatch(/^secret x{193}$/)
  })

  test('[I-02] whose answer is cut off has answered by its status', async () => {
    const { id } = await webhookTo(world, receiver.url)
    Object.assign(receiver.state, { answer: 'taken, and', isCutOff: true })
    await testHook(id)
    await deliver(id)
    expect(await log(id)).toMatchObject([
      { status: 'delivered', responseStatus: 200, response: 'taken, and' },
    ])
  })

  test('[I-02] at an address that is not public gets nothing', async () => {
    for (const url of [
      receiver.url.replace('http:', 'https:').replace('127.0.0.1', 'localhost'),
      'https://[::1]/',
    ]) {
      // Allowed when it was proposed, and no longer.
      hosts.push(new URL(url).host)
      const { id } = await webhookTo(world, url)
      hosts.pop()
      await testHook(id)
      await deliver(id)
      const response = 'Not sent: this address is not public'
      expect(await log(id), url).toMatchObject([{ status: 'pending', responseStatus: null, response }])
    }
  })
})

describe('what two admins decide', () => {
  const propose = (changes: object) => {
    const body = {
      name: 'Books',
      url: 'https://example.com/',
      events: ['deposit.approved' as const],
      reason: 'So',
      ...changes,
    }
    return world.call(call.proposeWebhook, world.admin, { body })
  }

  test('[I-02] addresses without TLS, with a password or in a private network are refused', async () => {
    for (const url of [
      'http://example.com/',
      'ftp://example.com/',
      'https://me:pw@example.com/',
      'example.com',
      'https://example.com/#a',
      'https://localhost/',
      'https://127.0.0.1/x',
      'https://[fd00::1]/',
      'https://169.254.169.254/latest',
    ]) {
      expect((await propose({ url })).fields, url).toHaveProperty('url')
    }
    expect(await propose({ events: ['login'] })).toMatchObject({ status: 400 })
  })

  test('[I-02] nothing is sent before the secret is created, nor after the removal', async () => {
    const id = await approvedWebhook(world, receiver.url)
    expect(await testHook(id)).toMatchObject({ status: 409, reason: 'no_secret' })
    await deposit()
    await deliver(id)
    expect(receiver.received).toEqual([])
    expect(await hook(id)).toMatchObject({ status: 'approved', waiting: 1 })
    await world.call(call.createWebhookSecret, world.admin, { params: { id } })
    await deliver(id)
    expect(receiver.received).toHaveLength(1)
    receiver.state.status = 503
    await deposit()
    await deliver(id)
    expect(await log(id)).toMatchObject([{ status: 'pending', attempts: 1 }, { status: 'delivered' }])
    const body = { reason: 'Replaced' }
    expect((await world.call(call.removeWebhook, world.secondAdmin, { params: { id }, body })).status).toBe(
      200,
    )
    await deposit()
    await deliverAfter(1, id)
    expect(receiver.received).toHaveLength(2)
    const [{ _id }] = (await log(id)) as unknown as [{ _id: string }]
    expect(await log(id)).toMatchObject([{ status: 'failed', webhookRemoved: true }, { status: 'delivered' }])
    expect(await world.call(call.redeliver, world.admin, { params: { id: _id } })).toMatchObject({
      reason: 'webhook_removed',
    })
    expect(await testHook(id)).toMatchObject({ status: 409, reason: 'webhook_removed' })
  })

  test('[I-02] there are few of them', async () => {
    for (let at = 0; at < maximumWebhooks; at++) await approvedWebhook(world, receiver.url)
    expect(await propose({})).toMatchObject({ status: 409, reason: 'too_many_webhooks' })
  })

  test('[I-02, B-02] the application’s login neither moves an endpoint nor makes one', async () => {
    await webhookTo(world, receiver.url)
    await refuses([
      [`UPDATE app.webhooks SET url = 'https://thief.example/'`, '42501'],
      [`UPDATE app.webhooks SET removed_at = NULL, removed_by = NULL WHERE removed_at IS NOT NULL`, 'PB920'],
      [
        `INSERT INTO app.webhooks (id, name, url, events, proposal_id, proposed_by, approved_at)
         SELECT gen_random_uuid(), name, 'https://thief.example/', events, proposal_id, proposed_by, now() FROM app.webhooks LIMIT 1`,
        'PB920',
      ],
    ])
  })

  test('[I-02, B-02] the application’s login adds no event and changes none that was sent', async () => {
    const { id } = await webhookTo(world, receiver.url)
    await deposit()
    await deliver(id)
    await refuses([
      [
        `INSERT INTO app.webhook_deliveries (id, webhook_id, event, subject_id, happened_at)
         SELECT gen_random_uuid(), webhook_id, event, subject_id, now() FROM app.webhook_deliveries WHERE webhook_id = '${id}'`,
        '42501',
      ],
      [`SELECT app.add_webhook_events(ARRAY['deposit.approved'], ARRAY[gen_random_uuid()])`, '42501'],
      [
        `UPDATE app.webhook_deliveries SET event = 'withdrawal.paid', subject_id = gen_random_uuid()`,
        '42501',
      ],
      [
        `UPDATE app.webhook_deliveries SET body = '{}', status = 'pending' WHERE webhook_id = '${id}'`,
        'PB920',
      ],
      [`UPDATE app.webhook_deliveries SET body = NULL WHERE webhook_id = '${id}'`, 'PB920'],
    ])
  })

  async function refuses(statements: [string, code: string][]) {
    for (const [statement, code] of statements) {
      await expect(world.database.app.query(statement), statement).rejects.toMatchObject({ code })
    }
  }
})

test('[I-02] secrets are sealed in the database, and resealed under a new TOKEN_SECRET', async () => {
  const { id, secret } = await webhookTo(world, receiver.url)
  const { rows } = await world.owner(
    `SELECT encode(secret, 'escape') AS secret FROM app.webhooks WHERE id = '${id}'`,
  )
  expect(rows[0].secret).not.toContain(secret.slice(6))
  const { tokenSecret } = world.services.config
  const config = { ...world.services.config, tokenSecret: 'y'.repeat(32), formerSecrets: [tokenSecret] }
  expect(await resealWebhooks({ ...world.services, config })).toBe(1)
  await testHook(id)
  await deliverAll({ ...world.services, config: { ...config, formerSecrets: [] } }, id, never)
  expect(verified(secret, receiver.received[0]!)).toMatchObject({ type: 'webhook.test' })
})

test('[I-02] the log is kept for some weeks', async () => {
  const { id } = await webhookTo(world, receiver.url)
  await testHook(id)
  await cleanUp(world.services)
  expect(await log(id)).toHaveLength(1)
  await cleanUp(servicesAfter((webhookLogDays + 1) * 1440))
  expect(await log(id)).toEqual([])
})
