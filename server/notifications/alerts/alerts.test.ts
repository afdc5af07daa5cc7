import { beforeEach, describe, expect, test } from 'vitest'
import { cleanUp } from '#server/jobs/clean-up.ts'
import { type AlertChoice, alertKinds, alertsFor } from '#shared/alerts.ts'
import { chooseAlerts, getAlertChoices } from '#shared/contract/alerts.ts'
import { newConversation, writeMessage } from '#shared/contract/conversations.ts'
import { approveDeposit, newDeposit } from '#shared/contract/deposits.ts'
import * as bell from '#shared/contract/notifications.ts'
import { proposeSettings } from '#shared/contract/settings.ts'
import { assignMessage } from '#shared/contract/site.ts'
import { approveWithdrawal, newWithdrawal } from '#shared/contract/withdrawals.ts'
import { alertMailMinutes, closedAlertDays, mostOpenAlerts } from '#shared/limits.ts'
import { type Role, roles } from '#shared/roles.ts'
import { settingsBody } from '#test/support/settings.ts'
import { addresses } from '#test/support/withdrawals.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'
import { tellStaff } from './raise.ts'

/** Alerts for staff (L-09). */
let world: World
let ines: Person
beforeEach(async () => {
  world = await openWorld({ rateLimit: false })
  ines = await world.person('Ines Investor')
})

const tell = () => tellStaff(world.services)
const deposit = async (by = ines) =>
  (await world.call(newDeposit, by, { body: { method: 'usdt', amount: 500 } })).data
const write = async (by = ines) =>
  (await world.call(newConversation, by, { body: { subject: 'My deposit', text: 'Where is it?' } })).data
const alerts = async (who: Person, query: object = {}) =>
  (await world.call(bell.listNotifications, who, { query })).data
const texts = async (who: Person) => (await alerts(who)).map(({ text }) => text)
const unread = async (who: Person) => (await world.call(bell.unreadNotifications, who)).data.unread
const choices = async (who: Person) => (await world.call(getAlertChoices, who)).data.choices
const choose = (who: Person, ...wanted: (Partial<AlertChoice> & Pick<AlertChoice, 'kind'>)[]) =>
  world.call(chooseAlerts, who, {
    body: { choices: wanted.map(one => ({ bell: true, email: false, onlyAssigned: false, ...one })) },
  })
const mailsTo = async (who: Person) => {
  const { rows } = await world.owner(
    `SELECT payload FROM graphile_worker._private_jobs WHERE payload->>'to' = '${who.email}' ORDER BY id`,
  )
  return rows.map(({ payload }) => payload as { subject: string; text: string })
}

describe('the bell', () => {
  test('[L-09] tells staff of a deposit that waits, until a colleague has approved it', async () => {
    const { _id, invoiceId } = await deposit()
    expect(await unread(world.admin)).toBe(0)
    expect(await tell()).toBe(1)
    expect(await tell()).toBe(0)
    expect(await alerts(world.admin)).toMatchObject([
      {
        kind: 'deposit.waiting',
        text: `Deposit ${invoiceId} of $500.00 by Ines Investor waits for approval.`,
        subject: _id,
        read: false,
      },
    ])
    expect(await unread(world.admin)).toBe(1)
    expect(await alerts(ines)).toEqual([])

    await world.call(approveDeposit, world.secondAdmin, { params: { id: _id } })
    await tell()
    expect(await alerts(world.admin)).toMatchObject([{ read: true, details: ['No longer waiting.'] }])
    expect(await unread(world.admin)).toBe(0)
  })

  test('[L-09, D7] asks for a second approval only where one is needed', async () => {
    await world.fund(ines, 5_000_000n)
    const request = async (amount: number) => {
      const body = { amount, wallet: 'Bitcoin (BTC)', address: addresses['Bitcoin (BTC)'] } as const
      const { _id: id } = (await world.call(newWithdrawal, ines, { body })).data
      await tell()
      await world.call(approveWithdrawal, world.admin, { params: { id } })
      return (await alerts(world.secondAdmin)).find(({ subject }) => subject === id)
    }
    // Approved, and not yet told again.
    expect(await request(350)).toMatchObject({ read: false, details: [] })
    expect(await request(20_000)).toMatchObject({
      read: false,
      details: ['It needs a second approval, by another person.'],
    })
  })

  test('[L-09] each person reads for themselves: one, or all up to the newest they saw', async () => {
    await deposit()
    await deposit()
    await tell()
    const [newest, oldest] = await alerts(world.admin)
    await world.call(bell.readNotification, world.admin, { params: { id: oldest!._id } })
    expect((await alerts(world.admin, { status: 'unread' })).map(({ _id }) => _id)).toEqual([newest!._id])
    expect(await unread(world.secondAdmin)).toBe(2)
    await deposit()
    await tell()
    await world.call(bell.readAllNotifications, world.secondAdmin, { body: { until: newest!._id } })
    expect(await unread(world.secondAdmin)).toBe(1)
    expect(await unread(world.admin)).toBe(2)
  })

  test('[L-09] nobody marks an alert that they do not get', async () => {
    await deposit()
    await tell()
    const [{ _id: id } = { _id: '' }] = await alerts(world.admin)
    for (const who of [ines, await world.person('Sue Support', 'support')]) {
      expect((await world.call(bell.readNotification, who, { params: { id } })).status).toBe(403)
      expect((await world.call(bell.readAllNotifications, who, { body: { until: id } })).status).toBe(403)
    }
  })

  test('[L-09] a further message of an investor is told again, an answered one no more', async () => {
    const { _id: id } = await write()
    await tell()
    await world.call(bell.readAllNotifications, world.admin, {
      body: { until: (await alerts(world.admin))[0]!._id },
    })
    world.clock.pass({ minutes: 1 })
    await world.call(writeMessage, ines, { params: { id }, body: { text: 'Hello?' } })
    await tell()
    expect(await texts(world.admin)).toEqual(Array(2).fill('Ines Investor wrote to us: “My deposit”.'))
    expect(await unread(world.admin)).toBe(1)
  })

  test('[L-09] a proposal is told to the others, not to its proposer', async () => {
    await world.call(proposeSettings, world.admin, { body: settingsBody })
    await tell()
    expect(await texts(world.secondAdmin)).toEqual([
      'Ada Admin has proposed a settings change. It needs a second admin.',
    ])
    expect(await texts(world.admin)).toEqual([])
  })

  test('[L-09] tells of failing checks, syncs and jobs, and where to look', async () => {
    await world.owner(`
      INSERT INTO ledger.invariant_runs (started_at, finished_at, ok, checks) VALUES (now(), now(), false, '[]');
      INSERT INTO app.chain_cursors (rail, synced_height, synced_hash, tip_height, confirmations, polled_at, sync_error, sync_error_since)
      VALUES ('bitcoin', 1, 'a', 1, 1, now(), 'no answer', now() - interval '1 hour');
      SELECT graphile_worker.add_job('mail', max_attempts => 1);
      UPDATE graphile_worker._private_jobs SET attempts = max_attempts`)
    await tell()
    expect(new Set(await texts(world.admin))).toEqual(
      new Set([
        'The check of the books finds a fault.',
        'The sync of a network fails.',
        'A job or an email has failed for good.',
      ]),
    )
    await world.owner(`
      INSERT INTO ledger.invariant_runs (started_at, finished_at, ok, checks) VALUES (now(), now(), true, '[]');
      UPDATE app.chain_cursors SET sync_error = NULL, sync_error_since = NULL;
      DELETE FROM graphile_worker._private_jobs`)
    await tell()
    expect(await unread(world.admin)).toBe(0)
  })

  test('[L-09] under a flood, so many alerts of a kind are open and no more', async () => {
    await world.owner(`
      INSERT INTO app.contact_messages (id, name, email, subject, message, created_at)
      SELECT uuidv7(), 'Flood', 'f@example.org', 'Flood', 'Flood', now() FROM generate_series(1, ${mostOpenAlerts + 5})`)
    expect(await tell()).toBe(mostOpenAlerts)
    expect(await tell()).toBe(0)
  })
})

describe('choices', () => {
  test('[L-09] offer what the rights of a role let it see, on for those who can act', async () => {
    for (const role of roles) {
      const who = await world.person(`One ${role}`, role)
      const offered = await choices(who)
      expect(offered.map(({ kind }) => kind)).toEqual(alertsFor(role))
      expect(offered.find(({ kind }) => kind === 'deposit.waiting')?.bell).toBe(
        (['admin', 'finance'] as Role[]).includes(role),
      )
    }
    expect((await choices(world.admin)).map(({ kind }) => kind)).toEqual(alertKinds)
    const auditor = await world.person('An Auditor', 'auditor')
    expect((await choose(auditor, { kind: 'message.waiting' })).status).toBe(403)
    expect((await choose(ines, { kind: 'deposit.waiting' })).status).toBe(403)
  })

  test('[L-09] a kind turned off is not shown, and the log says who chose what', async () => {
    await deposit()
    await tell()
    await choose(world.admin, { kind: 'deposit.waiting', bell: false })
    expect(await texts(world.admin)).toEqual([])
    expect(await unread(world.admin)).toBe(0)
    expect(await unread(world.secondAdmin)).toBe(1)
    const { rows } = await world.owner("SELECT details FROM app.audit_log WHERE action = 'alerts.chosen'")
    expect(rows[0].details.before.bell).toContain('deposit.waiting')
    expect(rows[0].details.after.bell).not.toContain('deposit.waiting')
  })

  test('[L-09] of messages, only those that are assigned to me', async () => {
    const [carer, other] = [
      await world.person('Sue Support', 'support'),
      await world.person('Sam Support', 'support'),
    ]
    await choose(carer, { kind: 'message.waiting', onlyAssigned: true })
    const { _id: id } = await write()
    await tell()
    expect(await unread(carer)).toBe(0)
    expect(await unread(other)).toBe(1)
    await world.call(assignMessage, other, { params: { id }, body: { to: carer.id } })
    expect(await unread(carer)).toBe(1)
  })

  test('[L-09] a lost right stops its alerts, in the bell and by email', async () => {
    const carer = await world.person('Sue Support', 'support')
    await choose(carer, { kind: 'message.waiting', email: true })
    await write()
    await tell()
    expect(await unread(carer)).toBe(1)
    expect(await mailsTo(carer)).toHaveLength(1)
    await world.owner(`UPDATE app.users SET role = 'finance' WHERE id = '${carer.id}'`)
    const now = { ...carer, caller: { ...carer.caller, role: 'finance' as const } }
    expect(await unread(now)).toBe(0)
    world.clock.pass({ minutes: alertMailMinutes })
    await write()
    await tell()
    expect(await mailsTo(carer)).toHaveLength(1)
  })
})

describe('emails', () => {
  beforeEach(() => choose(world.admin, { kind: 'deposit.waiting', email: true }))

  test('[L-09] say how many wait, without names or amounts, and where to choose them', async () => {
    await deposit()
    await deposit()
    await tell()
    const [mail] = await mailsTo(world.admin)
    expect(mail?.subject).toBe('2 deposits wait for approval')
    expect(mail?.text).toContain('New in the console: 2 deposits wait for approval.')
    expect(mail?.text).toContain('/admin/profile#alerts')
    expect(mail?.text).not.toMatch(/Ines|500/)
    expect(await mailsTo(world.secondAdmin)).toEqual([])
  })

  test('[L-09] come at most once in a while, with all that is new by then', async () => {
    await deposit()
    await tell()
    for (const _ of [1, 2]) {
      await deposit()
      world.clock.pass({ minutes: 1 })
      await tell()
    }
    expect(await mailsTo(world.admin)).toHaveLength(1)
    world.clock.pass({ minutes: alertMailMinutes })
    await tell()
    await tell()
    expect((await mailsTo(world.admin)).map(({ subject }) => subject)).toEqual([
      '1 deposit waits for approval',
      '2 deposits wait for approval',
    ])
  })

  test('[L-09] leave out what was read or dealt with before', async () => {
    await deposit()
    await tell()
    const { _id: id } = await deposit()
    await deposit()
    await tell()
    await world.call(approveDeposit, world.secondAdmin, { params: { id } })
    const [newest] = await alerts(world.admin)
    await world.call(bell.readNotification, world.admin, { params: { id: newest!._id } })
    world.clock.pass({ minutes: alertMailMinutes })
    await tell()
    expect(await mailsTo(world.admin)).toHaveLength(1)
  })

  test('[L-09] those with an email of their own cannot be chosen', async () => {
    await choose(world.admin, { kind: 'proposal.waiting', email: true })
    const proposal = (await choices(world.admin)).find(({ kind }) => kind === 'proposal.waiting')
    expect(proposal).toMatchObject({ bell: true, email: false })
  })
})

test('[L-09] closed alerts are removed after a while, with who has read them', async () => {
  const { _id: id } = await deposit()
  await tell()
  const [read] = await alerts(world.admin)
  await world.call(bell.readNotification, world.admin, { params: { id: read!._id } })
  await world.call(approveDeposit, world.secondAdmin, { params: { id } })
  await deposit()
  await tell()
  world.clock.pass({ days: closedAlertDays + 1 })
  await cleanUp(world.services)
  expect(await alerts(world.admin)).toHaveLength(1)
  expect((await world.owner('SELECT FROM app.staff_alert_reads')).rows).toEqual([])
})

test('[L-09] the database gives alerts to staff alone, and closes each once', async () => {
  await deposit()
  await tell()
  const app = (statement: string) => world.services.pool.query(statement)
  const choose = `INSERT INTO app.staff_alert_choices (user_id, kind, bell, email) VALUES ('${ines.id}', 'deposit.waiting', true, true)`
  await expect(app(choose)).rejects.toThrow('alerts are for staff')
  await expect(app('DELETE FROM app.staff_alerts')).rejects.toThrow('an alert that waits is not removed')
  await app('UPDATE app.staff_alerts SET closed_at = now()')
  await expect(app('UPDATE app.staff_alerts SET closed_at = NULL')).rejects.toThrow('stays closed')
})
