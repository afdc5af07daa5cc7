import { beforeEach, describe, expect, test } from 'vitest'
import { resealAll } from '#server/accounts/reseal.ts'
import { hashOf } from '#server/accounts/sessions.ts'
import type { JobContext } from '#server/jobs/job.ts'
import { jobs } from '#server/jobs/jobs.ts'
import { tellStaff } from '#server/notifications/alerts/raise.ts'
import { noticeWriter } from '#server/notifications/deliver.ts'
import { notices, type RecordNotice } from '#server/notifications/notices.ts'
import { hashPassword } from '#server/platform/passwords.ts'
import { PrivateAddress } from '#server/platform/public-address.ts'
import { isPushService, knownPushServices, pushServiceOf } from '#server/platform/push-services.ts'
import { changePassword, endOtherSessions, logout } from '#shared/contract/accounts.ts'
import { chooseAlerts } from '#shared/contract/alerts.ts'
import { closeAccount } from '#shared/contract/closing.ts'
import { endUserSessions, freezeUser } from '#shared/contract/console.ts'
import { approveDeposit, newDeposit } from '#shared/contract/deposits.ts'
import { chooseEmails } from '#shared/contract/notifications.ts'
import { addPushDevice, listPushDevices, removePushDevice } from '#shared/contract/push.ts'
import {
  longestPushWaitSeconds,
  maximumPushDevices,
  pushHours,
  shortestPushWaitSeconds,
} from '#shared/limits.ts'
import { browserAt, pushSubscription, startPushService, vapidOf } from '#test/support/push-service.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'
import { vapidKeys } from './keys.ts'
import { deliverPush, queuePushes } from './send.ts'
import { pushWords } from './words.ts'

/** Notifications of devices (L-10), at a push service of ours that reads them as a browser does. */
let world: World
let service: Awaited<ReturnType<typeof startPushService>>
let ines: Person
beforeEach(async () => {
  service = await startPushService()
  world = await openWorld({ pushServices: [...knownPushServices, service.origin], rateLimit: false })
  ines = await world.person('Ines Investor')
})

const devices = async (by = ines) => (await world.call(listPushDevices, by)).data.devices
const turnOn = async (by = ines) => {
  const browser = browserAt(service.origin)
  const answer = await world.call(addPushDevice, by, { body: browser.subscription })
  expect(answer.status).toBe(200)
  return browser
}

/** Never aborted: only the run limits how long the file may take. */
const { signal } = new AbortController()

async function waiting(): Promise<Parameters<typeof deliverPush>[1][]> {
  const { rows } = await world.owner(
    "SELECT payload FROM graphile_worker._private_jobs j JOIN graphile_worker._private_tasks t ON t.id = j.task_id WHERE t.identifier = 'push' ORDER BY j.id",
  )
  return rows.map(({ payload }) => payload)
}

const working = { send: async () => 'sent', close: async () => {} }
const broken = { ...working, send: () => Promise.reject(new Error('no mail server')) }

/** Does what the queue has for this task, as a worker would, and forgets it; returns it, to be tried again. */
async function workOff(identifier: string): Promise<unknown[]> {
  const { rows } = await world.owner(
    `WITH gone AS (DELETE FROM graphile_worker._private_jobs j USING graphile_worker._private_tasks t
       WHERE t.id = j.task_id AND t.identifier = '${identifier}' RETURNING j.id, j.payload)
     SELECT payload FROM gone ORDER BY id`,
  )
  for (const { payload } of rows) await work(identifier, payload)
  return rows.map(({ payload }) => payload)
}

async function work(
  identifier: string,
  payload: unknown,
  { mailer = working as object, createdAt = world.clock.now() } = {},
): Promise<void> {
  const { run } = jobs.find(({ task }) => task.name === identifier)!
  const { services } = world
  const context = {
    services,
    mailer,
    noticeMail: noticeWriter(services),
    job: { id: '1', createdAt },
    signal,
  }
  await run(payload as never, context as unknown as JobContext)
}

async function credited(person = ines): Promise<string> {
  const { data } = await world.call(newDeposit, person, { body: { method: 'usdt', amount: 250 } })
  await world.call(approveDeposit, world.admin, { params: { id: data._id } })
  return data._id
}

const message = (tag = 'a') => ({ userId: ines.id, words: 'Something.', path: '/dashboard/home', tag })

describe('what is sent', () => {
  test('[L-10] a credited deposit shows on the device, encrypted and without its amount', async () => {
    const browser = await turnOn()
    service.received.length = 0
    const deposit = await credited()
    await workOff('notify')
    await workOff('push')
    const [{ path, headers, body }] = service.received as [(typeof service.received)[0]]
    expect(service.received).toHaveLength(1)
    expect(service.origin + path).toBe(browser.subscription.endpoint)
    expect(body.toString('latin1')).not.toContain('deposit')
    expect(browser.read(body)).toEqual({
      title: 'Probity',
      body: 'A deposit was received.',
      path: `/dashboard/deposit?deposit=${deposit}`,
      tag: `deposit.approved ${deposit}`,
    })
    expect(headers).toMatchObject({ 'content-encoding': 'aes128gcm' })
    expect(Number(headers.ttl)).toBeGreaterThan(pushHours * 3600 - 600)
  })

  test('[L-10] the push service can check that it is from us, and for it', async () => {
    await turnOn()
    await queuePushes(world.services.db, world.services, [message()])
    await workOff('push')
    const { key, head, claims } = vapidOf(service.received[0]!.headers.authorization)
    expect(key).toBe((await world.call(listPushDevices, ines)).data.key)
    expect(head).toEqual({ typ: 'JWT', alg: 'ES256' })
    expect(claims).toMatchObject({ aud: service.origin, sub: expect.stringMatching(/^mailto:\S+@\S+$/) })
    expect(claims.exp * 1000).toBeLessThan(Date.now() + 24 * 3_600_000)
  })

  test('[L-07, L-10] a kind whose emails are off is not pushed either', async () => {
    await turnOn()
    await world.call(chooseEmails, ines, { body: { muted: ['deposit.approved'] } })
    await credited()
    await workOff('notify')
    expect(await waiting()).toEqual([])
  })

  test('[L-08, L-10] a security event shows on the devices, whatever emails are off', async () => {
    const browser = await turnOn()
    await world.call(freezeUser, world.admin, { params: { id: ines.id }, body: { reason: 'Asked by phone' } })
    await workOff('push')
    expect(service.received.map(({ body }) => browser.read(body))).toMatchObject([
      { body: 'Your account is frozen.', path: '/dashboard/security' },
    ])
  })

  test('[L-09, L-10] staff get with each email of alerts how many wait, and no names', async () => {
    const { admin } = world
    const browser = await turnOn(admin)
    const choice = { kind: 'deposit.waiting', bell: true, email: true, onlyAssigned: false } as const
    await world.call(chooseAlerts, admin, { body: { choices: [choice] } })
    await world.call(newDeposit, ines, { body: { method: 'usdt', amount: 250 } })
    await tellStaff(world.services)
    await workOff('push')
    expect(service.received.map(({ body }) => browser.read(body))).toMatchObject([
      { body: '1 deposit waits for approval.', path: '/admin/home' },
    ])
  })

  test('[L-09, L-10] each member of staff gets their own', async () => {
    const both = [world.admin, world.secondAdmin]
    const browsers = [await turnOn(both[0]), await turnOn(both[1])]
    const choice = { kind: 'deposit.waiting', bell: true, email: true, onlyAssigned: false } as const
    for (const admin of both) await world.call(chooseAlerts, admin, { body: { choices: [choice] } })
    await world.call(newDeposit, ines, { body: { method: 'usdt', amount: 250 } })
    await tellStaff(world.services)
    await workOff('push')
    const paths = service.received.map(({ path }) => service.origin + path).sort()
    expect(paths).toEqual(browsers.map(({ subscription }) => subscription.endpoint).sort())
  })

  test('[L-10] an email that is tried again holds up no device, and shows nothing twice', async () => {
    const browser = await turnOn()
    const deposit = await credited()
    const about = { notice: 'deposit.approved', id: deposit }
    await expect(work('notify', about, { mailer: broken })).rejects.toThrow('no mail server')
    await expect(work('notify', about, { mailer: broken })).rejects.toThrow('no mail server')
    await workOff('push')
    expect(service.received).toHaveLength(1)
    await work('notify', about)
    await workOff('push')
    expect(service.received.map(({ body }) => browser.read(body))).toMatchObject([
      { body: 'A deposit was received.' },
    ])
    await work('notify', { ...about, id: await credited() })
    expect(await waiting()).toHaveLength(1)
  })

  test('[L-10] a notification is worth showing for a day after the event, not the email', async () => {
    await turnOn()
    const createdAt = new Date(world.clock.now().getTime() - 5 * 3_600_000)
    await work('notify', { notice: 'deposit.approved', id: await credited() }, { createdAt })
    const [job] = await waiting()
    expect(Date.parse(job!.until) - createdAt.getTime()).toBe(pushHours * 3_600_000)
  })

  test('[L-10] each of several devices gets it, and no other account', async () => {
    const [first, second] = [await turnOn(), await turnOn(await world.signIn(ines))]
    await turnOn(await world.person('Eve Other'))
    await queuePushes(world.services.db, world.services, [message()])
    await workOff('push')
    const paths = service.received.map(({ path }) => service.origin + path).sort()
    expect(paths).toEqual([first, second].map(({ subscription }) => subscription.endpoint).sort())
  })
})

describe('when the push service', () => {
  beforeEach(async () => {
    await turnOn()
    await queuePushes(world.services.db, world.services, [message()])
  })

  test.each([401, 403, 404, 410])('answers %i, the device is forgotten', async status => {
    service.state.status = status
    await workOff('push')
    expect(await devices()).toEqual([])
  })

  test.each([400, 413])('answers %i, the message is dropped and the device stays', async status => {
    service.state.status = status
    await workOff('push')
    expect(await waiting()).toEqual([])
    expect(await devices()).toHaveLength(1)
  })

  const inSeconds = (seconds: number) => new Date(world.clock.now().getTime() + seconds * 1000).toUTCString()
  test.each([
    ['as long as it asks', () => '120', 120],
    ['until the date that it names', () => inSeconds(600), 600],
    ['an hour at most', () => '86400', longestPushWaitSeconds],
    ['a minute at least', () => '0', shortestPushWaitSeconds],
    ['a minute after a date that is over', () => inSeconds(-600), shortestPushWaitSeconds],
  ])('is overloaded, the message waits %s', async (_how, header, wait) => {
    service.state.status = 429
    service.state.headers = { 'retry-after': header() }
    await workOff('push')
    const { rows } = await world.owner(
      "SELECT extract(epoch FROM run_at - now())::int AS seconds FROM graphile_worker.jobs WHERE task_identifier = 'push'",
    )
    expect(rows).toEqual([{ seconds: expect.toSatisfy(seconds => seconds > wait - 20 && seconds <= wait) }])
  })

  test.each(['', '-5', 'soon 5', 'Invalid Date'])(
    'asks for a wait of %j, the queue decides when to try again',
    async header => {
      service.state.status = 503
      service.state.headers = { 'retry-after': header }
      await expect(workOff('push')).rejects.toThrow('503')
      expect(await waiting()).toEqual([])
    },
  )

  test('fails, the queue tries again; a day later it gives up', async () => {
    const [job] = await waiting()
    service.state.status = 500
    await expect(deliverPush(world.services, job!, signal)).rejects.toThrow('500')
    world.clock.pass({ minutes: pushHours * 60 })
    service.received.length = 0
    await deliverPush(world.services, job!, signal)
    expect(service.received).toEqual([])
    expect(await devices()).toHaveLength(1)
  })

  test('redirects, nothing follows it', async () => {
    service.state.status = 307
    service.state.headers = { location: `${service.origin}/elsewhere` }
    await workOff('push')
    expect(service.received).toHaveLength(1)
  })
})

describe('devices', () => {
  test('[L-10] are listed for their owner, who removes them; nobody else can', async () => {
    await turnOn()
    const eve = await world.person('Eve Other')
    const params = { id: (await devices())[0]!._id }
    expect(await devices()).toMatchObject([{ here: true }])
    expect(await devices(eve)).toEqual([])
    expect((await world.call(removePushDevice, eve, { params })).status).toBe(403)
    expect((await world.call(removePushDevice, ines, { params })).status).toBe(200)
    expect((await world.call(removePushDevice, ines, { params })).status).toBe(403)
    expect(await devices()).toEqual([])
  })

  test('[L-10] one browser belongs to who turned notifications on last', async () => {
    const body = pushSubscription(service.origin)
    const eve = await world.person('Eve Other')
    await world.call(addPushDevice, ines, { body })
    await world.call(addPushDevice, eve, { body })
    expect(await devices()).toEqual([])
    expect(await devices(eve)).toHaveLength(1)
  })

  test('[L-10] a person has at most ten, also when they ask for several at once', async () => {
    const logins = []
    for (let n = 0; n < maximumPushDevices + 2; n++) logins.push(await world.signIn(ines))
    const answers = await Promise.all(
      logins.map(login => world.call(addPushDevice, login, { body: pushSubscription() })),
    )
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(2)
    expect(await devices()).toHaveLength(maximumPushDevices)
  })

  /** A login, with the device id that a browser keeps or, as programs and some browsers do, without one. */
  const logInAt = async (device: string | null) => {
    const login = await world.signIn(ines)
    const device_hash = device === null ? null : hashOf(device)
    const sessions = world.services.db.updateTable('app.sessions').set({ device_hash })
    await sessions.where('id', '=', login.caller.sessionId).execute()
    return login
  }

  test.each([
    ['both with a device id', 'laptop', 'phone'],
    ['both without one', null, null],
    ['only this one with it', 'laptop', null],
    ['only the other one with it', null, 'phone'],
  ])('[L-10] end with their login, and with all other logins: %s', async (_which, here, there) => {
    const [laptop, phone, tablet] = [
      await logInAt(here),
      await logInAt(there),
      await logInAt(there && 'tablet'),
    ]
    for (const login of [laptop, phone, tablet]) await turnOn(login)
    expect((await devices(laptop)).map(({ here }) => here)).toEqual([true, false, false])
    await world.call(logout, tablet, {})
    expect(await devices(laptop)).toHaveLength(2)
    await world.call(endOtherSessions, laptop, {})
    expect(await devices(laptop)).toMatchObject([{ here: true }])
  })

  test('[L-10] that an earlier login of this browser added stay when all other logins end', async () => {
    await turnOn(await logInAt('laptop'))
    const again = await logInAt('laptop')
    await world.call(endOtherSessions, again, {})
    expect(await devices(again)).toMatchObject([{ here: true }])
  })

  const all = async () => (await world.owner('SELECT id FROM app.push_devices')).rows
  const withPassword = async () => {
    const password_hash = await hashPassword('correct horse')
    const users = world.services.db.updateTable('app.users').set({ password_hash })
    await users.where('id', '=', ines.id).execute()
    return 'correct horse'
  }

  test('[L-10] of all other logins end with a new password', async () => {
    const laptop = await world.signIn(ines)
    for (const login of [ines, laptop]) await turnOn(login)
    const body = { oldPassword: await withPassword(), newPassword: 'quite another horse 42' }
    expect((await world.call(changePassword, laptop, { body })).status).toBe(200)
    expect(await devices(laptop)).toMatchObject([{ here: true }])
  })

  test('[L-10] none stay when the account is closed', async () => {
    for (const login of [ines, await world.signIn(ines)]) await turnOn(login)
    const body = { password: await withPassword() }
    expect((await world.call(closeAccount, ines, { body })).status).toBe(200)
    expect(await all()).toEqual([])
  })

  test('[L-10] none stay when staff end all logins', async () => {
    for (const login of [ines, await world.signIn(ines)]) await turnOn(login)
    await world.call(endUserSessions, world.admin, { params: { id: ines.id } })
    expect(await all()).toEqual([])
  })

  const insert = ({ id, caller }: Person) =>
    `INSERT INTO app.push_devices (id, user_id, session_id, endpoint_hash, sealed, created_at)
     VALUES (uuidv7(), '${id}', '${caller.sessionId}', sha256('a'), '', now())`

  test('[L-10] the database takes none of a login that has ended, expired or is not theirs', async () => {
    const { pool } = world.services
    const [ended, expired, eve] = [
      await world.signIn(ines),
      await world.signIn(ines),
      await world.person('Eve Other'),
    ]
    await world.call(logout, ended, {})
    await world.owner(
      `UPDATE app.sessions SET expires_at = now() - interval '1 second' WHERE id = '${expired.caller.sessionId}'`,
    )
    for (const who of [ended, expired, { ...ines, caller: eve.caller }])
      await expect(pool.query(insert(who))).rejects.toMatchObject({ code: 'PB920' })
    await pool.query(insert(ines))
  })

  test('[L-10] a login that ends while its device is being added takes it along', async () => {
    const client = await world.ownerPool.connect()
    try {
      await client.query('BEGIN')
      await client.query(insert(ines))
      const ending = world.call(logout, ines, {})
      const blocked = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
      await expect.poll(async () => (await world.owner(blocked)).rows.length).toBe(1)
      await client.query('COMMIT')
      expect((await ending).status).toBe(200)
    } finally {
      client.release()
    }
    expect(await all()).toEqual([])
  })

  test('[L-10] the database keeps their addresses sealed, also after a new secret', async () => {
    const browser = await turnOn()
    const stored = async () => {
      const { rows } = await world.owner('SELECT * FROM app.push_devices')
      return JSON.stringify(rows.map(row => ({ ...row, sealed: row.sealed.toString('latin1') })))
    }
    expect(await stored()).not.toContain('127.0.0.1')
    expect(await stored()).not.toContain(browser.subscription.keys.auth)
    const before = world.services.config.tokenSecret
    const renewed = { ...world.services.config, tokenSecret: 'y'.repeat(40), formerSecrets: [before] }
    const services = { ...world.services, config: renewed }
    expect(await resealAll(services)).toBe(1)
    await queuePushes(services.db, services, [message()])
    const [job] = await waiting()
    await deliverPush(services, job!, signal)
    const { key } = vapidOf(service.received[0]!.headers.authorization)
    expect(key).toBe(vapidKeys(services.config)[1]!.publicKey)
    // Without the former secret its push service would refuse us.
    await deliverPush({ ...services, config: { ...renewed, formerSecrets: [] } }, job!, signal)
    expect(service.received).toHaveLength(1)
    expect(await devices()).toEqual([])
  })
})

describe('an address that somebody made up', () => {
  const known = (endpoint: string, services = knownPushServices) => pushServiceOf(services, endpoint) !== null

  test('[L-10] is refused unless it is at a known push service, by https', async () => {
    for (const endpoint of [
      'https://fcm.googleapis.com/fcm/send/abc',
      'https://updates.push.services.mozilla.com/wpush/v2/abc',
      'https://web.push.apple.com/abc',
      'https://wns2-par02p.notify.windows.com/w/?token=abc',
    ])
      expect(known(endpoint), endpoint).toBe(true)
    for (const endpoint of [
      'http://fcm.googleapis.com/a',
      'https://fcm.googleapis.com:8443/a',
      'https://user@fcm.googleapis.com/a',
      'https://fcm.googleapis.com.example.com/a',
      'https://evilnotify.windows.com/a',
      'https://169.254.169.254/latest/meta-data',
      'https://localhost/a',
      'https://[::1]/a',
      'file:///etc/passwd',
      'no address',
    ])
      expect(known(endpoint), endpoint).toBe(false)
    const body = pushSubscription('https://10.0.0.1')
    const before = await world.state()
    expect(await world.call(addPushDevice, ines, { body })).toMatchObject({
      status: 409,
      reason: 'unknown_service',
    })
    expect(await world.state()).toEqual(before)
  })

  test('[L-10] is not sent to where a known name leads into our own network', async () => {
    const inner = await openWorld({ pushServices: ['localhost'] })
    const paul = await inner.person('Paul Investor')
    const port = new URL(service.origin).port
    const endpoints = [`https://localhost:${port}`, 'https://localhost'].map(origin =>
      pushSubscription(origin),
    )
    const [withPort, without] = endpoints as [(typeof endpoints)[0], (typeof endpoints)[0]]
    expect((await inner.call(addPushDevice, paul, { body: withPort })).status).toBe(409)
    expect((await inner.call(addPushDevice, paul, { body: without })).status).toBe(200)
    const { data } = await inner.call(listPushDevices, paul)
    const until = new Date(inner.clock.now().getTime() + 60_000).toISOString()
    const job = { device: data.devices[0]!._id, words: 'Something.', path: '/', tag: 'a', until }
    await expect(deliverPush(inner.services, job, signal)).rejects.toBeInstanceOf(PrivateAddress)
  })

  test('[L-10] keys that are no point of the curve are refused', async () => {
    const { endpoint, keys } = pushSubscription()
    const p256dh = Buffer.concat([Buffer.from([4]), Buffer.alloc(64, 1)]).toString('base64url')
    const answer = await world.call(addPushDevice, ines, { body: { endpoint, keys: { ...keys, p256dh } } })
    expect(answer.status).toBe(400)
  })

  test('the setting takes hosts, their subdomains and whole origins', () => {
    for (const name of [...knownPushServices, 'https://push.example.com:8443', 'http://127.0.0.1:9000'])
      expect(isPushService(name), name).toBe(true)
    for (const name of [
      'localhost',
      'push.example.com/path',
      'https://push.example.com/',
      '*.example.com',
      'ftp://a.b',
      '',
    ])
      expect(isPushService(name), name).toBe(false)
  })
})

test('[L-10] what a locked screen shows has no figures, whatever it is about', () => {
  for (const notice of notices) {
    if (notice.startsWith('contact.')) continue
    expect(pushWords(notice as RecordNotice)).toMatch(/^[A-Z][a-z -]+\.$/i)
  }
})
