import pino from 'pino'
import { beforeAll, describe, expect, test } from 'vitest'
import { loadFirm } from '#server/demo/firm.ts'
import { expireDeposits } from '#server/deposits/expire.ts'
import { notifyMatured } from '#server/investments/mature.ts'
import { cancelWithdrawal } from '#shared/contract/cancelling.ts'
import { approveDeposit, declineDeposit, newDeposit } from '#shared/contract/deposits.ts'
import { addEarning, approveEarning, declineEarning } from '#shared/contract/earnings.ts'
import {
  approveInvestment,
  closeInvestment,
  declineInvestment,
  newInvestment,
} from '#shared/contract/investments.ts'
import * as call from '#shared/contract/notifications.ts'
import { newReturn } from '#shared/contract/returns.ts'
import {
  approveWithdrawal,
  declineWithdrawal,
  newWithdrawal,
  payWithdrawal,
} from '#shared/contract/withdrawals.ts'
import { type MoneyNotice, moneyNoticeKinds } from '#shared/notifications.ts'
import { rowsRead } from '#test/support/rows-read.ts'
import { tamper } from '#test/support/tampering.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'
import { noticeWriter } from './deliver.ts'
import type { Notice } from './notices.ts'

let world: World

beforeAll(async () => {
  world = await openWorld()
  await world.services.db.transaction().execute(tx => loadFirm(tx, world.clock.now()))
})

const bitcoinAddress = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'
const transactionId = 'f00d'.repeat(16)
const reason = 'The payer is another person'

async function notificationsOf(person: Person) {
  return (await world.call(call.listNotifications, person)).data
}

async function latest(person: Person) {
  const [last] = await notificationsOf(person)
  const { kind, text, details, subject, read } = last!
  return { kind, text, details, subject, read }
}

async function unread(person: Person): Promise<number> {
  return (await world.call(call.unreadNotifications, person)).data.unread
}

async function deposit(person: Person, amount = 1_000) {
  return (await world.call(newDeposit, person, { body: { method: 'usdt', amount } })).data
}

async function invest(person: Person, amount = 500, method: 'balance' | 'usdt' = 'balance') {
  return (await world.call(newInvestment, person, { body: { method, plan: 'Basic', amount } })).data
}

async function withdraw(person: Person, amount = 250.5) {
  const body = { amount, wallet: 'Bitcoin (BTC)', walletAddress: bitcoinAddress } as const
  return (await world.call(newWithdrawal, person, { body })).data
}

const of = (id: string) => ({ params: { id } })
const because = (id: string) => ({ ...of(id), body: { reason } })

async function recordReturn() {
  const body = { amount: 1_000, source: 'Rent of March', realisedAt: '2026-03-31', evidence: 'BANK-2026-1' }
  await world.call(newReturn, world.admin, { body })
}

describe('[L-05] notifies the owner of each event, with the exact amount', () => {
  test('a deposit that is received, declined or never paid', async () => {
    const person = await world.person('Dora')
    const received = await deposit(person, 1_234.5)
    await world.call(approveDeposit, world.admin, of(received._id))
    expect(await latest(person)).toEqual({
      kind: 'deposit.approved',
      text: `Your deposit ${received.invoiceId} of $1,234.50 was received.`,
      details: ['Paid in full and added to the balance.'],
      subject: received._id,
      read: false,
    })
    const declined = await deposit(person)
    await world.call(declineDeposit, world.admin, because(declined._id))
    expect(await latest(person)).toMatchObject({
      kind: 'deposit.declined',
      details: [`Reason: ${reason}`],
      subject: declined._id,
    })
    const forgotten = await deposit(person)
    world.clock.pass({ days: 2 })
    await expireDeposits(world.services)
    expect(await latest(person)).toMatchObject({ kind: 'deposit.unpaid', subject: forgotten._id })
    expect(await notificationsOf(person)).toHaveLength(3)
    await world.refreshPrices()
  })

  test('an investment that is active, matured, closed or declined', async () => {
    const person = await world.person('Ines')
    await world.fund(person, 200_000n)
    const { _id, invoiceId } = await invest(person)
    await world.call(approveInvestment, world.admin, of(_id))
    expect(await latest(person)).toMatchObject({
      kind: 'investment.approved',
      text: `Your investment ${invoiceId} of $500.00 in the Basic plan is active.`,
      subject: _id,
    })
    expect(await notifyMatured(world.services)).toBe(0)
    world.clock.pass({ days: 30 })
    const workers = await Promise.all([notifyMatured(world.services), notifyMatured(world.services)])
    expect(workers.toSorted()).toEqual([0, 1])
    expect(await notifyMatured(world.services)).toBe(0)
    expect(await latest(person)).toMatchObject({ kind: 'investment.matured', subject: _id })
    await world.call(closeInvestment, world.admin, of(_id))
    expect(await latest(person)).toMatchObject({ kind: 'investment.closed', subject: _id })
    await world.refreshPrices()
    const unwanted = await invest(person, 700, 'usdt')
    await world.call(declineInvestment, world.admin, because(unwanted._id))
    expect(await latest(person)).toMatchObject({ kind: 'investment.declined', subject: unwanted._id })
    expect((await latest(person)).details).toContain(`Reason: ${reason}`)
  })

  test('one failing maturity notification does not stop the others', async () => {
    const person = await world.person('Ines')
    await world.fund(person, 200_000n)
    const [stuck, next] = [await invest(person), await invest(person)]
    for (const { _id } of [stuck, next]) await world.call(approveInvestment, world.admin, of(_id))
    world.clock.pass({ days: 30 })
    await world.owner(`
      CREATE FUNCTION app.fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no'; END $$;
      CREATE TRIGGER failing BEFORE INSERT ON app.notifications FOR EACH ROW
        WHEN (NEW.subject_id = '${stuck._id}') EXECUTE FUNCTION app.fail()`)
    const log = pino({ level: 'silent' })
    expect(await notifyMatured({ ...world.services, log })).toBe(1)
    expect(await latest(person)).toMatchObject({ kind: 'investment.matured', subject: next._id })
    await world.owner('DROP TRIGGER failing ON app.notifications')
    expect(await notifyMatured(world.services)).toBe(1)
    await world.refreshPrices()
  })

  test('maturities are found without reading those already notified of', async () => {
    const person = await world.person('Ines')
    await world.fund(person, 200_000n)
    const { _id } = await invest(person)
    await world.call(approveInvestment, world.admin, of(_id))
    const columns = 'user_id, plan_version_id, amount_cents, method, status, hold_id, approved_at, ending_at'
    await tamper(
      world.database,
      `INSERT INTO app.investments (id, invoice_id, ${columns}, maturity_notified_at)
       SELECT uuidv7(), 'OLD-' || n, ${columns}, now() FROM app.investments, generate_series(1, 10000) n WHERE id = '${_id}'`,
    )
    await world.owner('VACUUM ANALYZE app.investments')
    world.clock.pass({ days: 30 })
    const tables = ['investments', 'notifications']
    const before = await rowsRead(world.database, tables)
    expect(await notifyMatured(world.services)).toBe(1)
    expect((await rowsRead(world.database, tables)) - before).toBeLessThan(100)
    await tamper(world.database, "DELETE FROM app.investments WHERE invoice_id LIKE 'OLD-%'")
    await world.refreshPrices()
  })

  test('a withdrawal that is approved, paid or declined with its reason', async () => {
    const person = await world.person('Wanda')
    await world.fund(person, 200_000n)
    const { _id, invoiceId } = await withdraw(person)
    await world.call(approveWithdrawal, world.admin, of(_id))
    expect(await latest(person)).toMatchObject({ kind: 'withdrawal.approved', subject: _id })
    await world.call(payWithdrawal, world.secondAdmin, { ...of(_id), body: { transactionId } })
    expect(await latest(person)).toMatchObject({
      kind: 'withdrawal.paid',
      text: `Your withdrawal ${invoiceId} of $250.50 in Bitcoin (BTC) to ${bitcoinAddress} was paid.`,
      details: [`Transaction: ${transactionId}`],
    })
    const declined = await withdraw(person)
    await world.call(declineWithdrawal, world.admin, because(declined._id))
    expect(await latest(person)).toMatchObject({
      kind: 'withdrawal.declined',
      details: [`Reason: ${reason}`, 'The amount is available on your balance.'],
    })
  })

  test('the first of two approvals is not notified', async () => {
    const person = await world.person('Large')
    await world.fund(person, 2_000_000n)
    const { _id } = await withdraw(person, 15_000)
    await world.call(approveWithdrawal, world.admin, of(_id))
    expect(await latest(person)).toMatchObject({ kind: 'address.added' })
    await world.call(approveWithdrawal, world.secondAdmin, of(_id))
    expect(await latest(person)).toMatchObject({ kind: 'withdrawal.approved', subject: _id })
  })

  test('an earning, with its source', async () => {
    const person = await world.person('Erna')
    await world.fund(person, 200_000n)
    const investment = await invest(person)
    await world.call(approveInvestment, world.admin, of(investment._id))
    await recordReturn()
    const earning = await world.earn(person, 1_234n)
    expect(await latest(person)).toEqual({
      kind: 'earning.paid',
      text: `An earning of $12.34 on Basic, ${investment.invoiceId} was added to your balance.`,
      details: ['Source: Rent of March.'],
      subject: earning,
      read: false,
    })
  })

  test('a refused action notifies nobody and stores nothing', async () => {
    const person = await world.person('Rufus')
    const { _id } = await deposit(person)
    await world.call(approveDeposit, world.admin, of(_id))
    const before = await world.state()
    expect((await world.call(approveDeposit, world.admin, of(_id))).status).toBe(409)
    expect((await world.call(declineDeposit, world.admin, because(_id))).status).toBe(409)
    expect(await world.state()).toBe(before)
  })
})

test('[L-05] an earning that needs a second admin is notified once decided', async () => {
  const strict = await openWorld({ earningsSecondApproval: true })
  const person = await strict.person('Patience')
  await strict.fund(person, 200_000n)
  const body = { method: 'balance', plan: 'Basic', amount: 500 } as const
  const { data: investment } = await strict.call(newInvestment, person, { body })
  await strict.call(approveInvestment, strict.admin, of(investment._id))
  const realised = { amount: 100, source: 'Rent', realisedAt: '2026-03-31', evidence: 'BANK-2026-1' }
  await strict.call(newReturn, strict.admin, { body: realised })
  const add = async () => {
    const input = { params: { userId: person.id }, body: { amount: 5 } }
    return (await strict.call(addEarning, strict.admin, input)).data[0]!._id
  }
  const kinds = async () =>
    (await strict.call(call.listNotifications, person)).data.map(({ kind, subject }) => [kind, subject])
  const [paid, declined] = [await add(), await add()]
  const before = await kinds()
  await strict.call(approveEarning, strict.secondAdmin, of(paid))
  await strict.call(declineEarning, strict.secondAdmin, because(declined))
  expect(await kinds()).toEqual([['earning.declined', declined], ['earning.paid', paid], ...before])
})

describe('reading', () => {
  test('[L-06] marks one as read, or all up to the newest one seen', async () => {
    const person = await world.person('Rita')
    for (let n = 0; n < 3; n++) await world.fund(person, 10_000n)
    const [newest, middle, oldest] = await notificationsOf(person)
    expect(await unread(person)).toBe(3)
    await world.call(call.readNotification, person, of(oldest!._id))
    expect(await unread(person)).toBe(2)
    await world.fund(person, 10_000n)
    await world.call(call.readAllNotifications, person, { body: { until: newest!._id } })
    expect(await unread(person)).toBe(1)
    const read = await world.call(call.listNotifications, person, { query: { status: 'read' } })
    expect(read.data.map(({ _id }) => _id)).toEqual([newest, middle, oldest].map(one => one!._id))
    const fresh = await world.call(call.listNotifications, person, { query: { status: 'unread' } })
    expect([fresh.page?.total, fresh.data[0]?.read]).toEqual([1, false])
  })

  test('[L-06] lists notifications in pages, newest first', async () => {
    const person = await world.person('Paula')
    for (let n = 0; n < 3; n++) await world.fund(person, 10_000n)
    const whole = await notificationsOf(person)
    const first = await world.call(call.listNotifications, person, { query: { limit: 2 } })
    const cursor = first.page!.nextCursor!
    const rest = await world.call(call.listNotifications, person, { query: { limit: 2, cursor } })
    expect([...first.data, ...rest.data]).toEqual(whole)
    expect([first.page?.total, rest.page?.nextCursor]).toEqual([3, null])
  })

  test("[L-06] refuses to mark another user's notification", async () => {
    const [person, other] = [await world.person('Olga'), await world.person('Otto')]
    await world.fund(person, 10_000n)
    const [theirs] = await notificationsOf(person)
    expect(await notificationsOf(other)).toEqual([])
    for (const refused of [
      await world.call(call.readNotification, other, of(theirs!._id)),
      await world.call(call.readAllNotifications, other, { body: { until: theirs!._id } }),
    ]) {
      expect(refused).toMatchObject({ status: 403, code: 'forbidden' })
    }
    expect(await unread(person)).toBe(1)
  })

  test('the application can only mark a notification as read', async () => {
    const { app } = world.database
    await expect(app.query("UPDATE app.notifications SET kind = 'deposit.unpaid'")).rejects.toThrow(
      'permission denied',
    )
  })
})

describe('emails', () => {
  async function noticesOf(person: Person): Promise<{ notice: Notice; id: string }[]> {
    const ids = (await notificationsOf(person)).map(({ subject }) => subject)
    const { rows } = await world.owner(`
      SELECT j.payload FROM graphile_worker._private_jobs j
        JOIN graphile_worker._private_tasks t ON t.id = j.task_id
       WHERE t.identifier = 'notify' ORDER BY j.id`)
    return rows.map(({ payload }) => payload).filter(({ id }) => ids.includes(id))
  }
  const emailOf = async (person: Person, notice: Notice) => {
    const job = (await noticesOf(person)).find(one => one.notice === notice)
    return noticeWriter(world.services)(job!)
  }

  test('[L-07] each says what happened, links to it, and how to turn its kind off', async () => {
    const person = await world.person('Lena')
    await world.fund(person, 123_456n)
    const [{ text, subject }] = (await notificationsOf(person)) as [call.Notification]
    const email = await emailOf(person, 'deposit.approved')
    expect(email).toMatchObject({ to: person.email, subject: expect.stringContaining('was received') })
    expect(email?.text).toContain(text)
    expect(email?.text).toContain('$1,234.56')
    expect(email?.text).toContain(`/dashboard/deposit?deposit=${subject}`)
    for (const form of [email?.text, email?.html]) {
      expect(form).toContain('You can turn emails like this one off in your profile.')
      expect(form).toContain('/dashboard/profile#emails')
    }
  })

  test('[L-07] a kind that is turned off is not mailed but stays in the bell', async () => {
    const person = await world.person('Mute')
    await world.fund(person, 100_000n)
    const chosen = await world.call(call.chooseEmails, person, {
      body: { muted: ['deposit.approved', 'deposit.approved', 'withdrawal.approved'] },
    })
    expect(chosen.data.muted).toEqual(['deposit.approved', 'withdrawal.approved'])
    expect(await emailOf(person, 'deposit.approved')).toBeNull()
    const { _id } = await withdraw(person)
    await world.call(approveWithdrawal, world.admin, of(_id))
    expect(await emailOf(person, 'withdrawal.approved')).toBeNull()
    expect(await latest(person)).toMatchObject({ kind: 'withdrawal.approved' })
    await world.call(call.chooseEmails, person, { body: { muted: [] } })
    expect((await world.call(call.emailChoice, person)).data).toEqual({ muted: [] })
    expect(await emailOf(person, 'withdrawal.approved')).toMatchObject({ to: person.email })
  })

  test('[L-07] the one for a cancelled withdrawal says where the money is, and is always sent', async () => {
    const person = await world.person('Cora')
    await world.fund(person, 100_000n)
    const { _id, invoiceId } = await withdraw(person)
    await world.call(cancelWithdrawal, person, of(_id))
    const email = await noticeWriter(world.services)({ notice: 'withdrawal.cancelled', id: _id })
    expect(email).toMatchObject({
      to: person.email,
      subject: `Your withdrawal ${invoiceId} was cancelled`,
      text: expect.stringContaining('The amount is available on your balance.'),
    })
    expect(email?.text).toContain("Wasn't you? Change your password now and contact us.")
    expect(email?.text).toContain('about the security of your account and cannot be turned off')
    expect(await latest(person)).toMatchObject({ kind: 'withdrawal.cancelled', subject: _id })
  })

  test('[L-07] security emails and the one for a requested withdrawal are always sent', async () => {
    const person = await world.person('Safe')
    for (const kind of [
      'password.changed',
      'session.opened',
      'withdrawal.requested',
      'withdrawal.cancelled',
    ]) {
      const body = { muted: [kind as MoneyNotice] }
      expect(await world.call(call.chooseEmails, person, { body })).toMatchObject({
        status: 400,
        message: 'This email cannot be turned off',
      })
    }
    await world.call(call.chooseEmails, person, { body: { muted: moneyNoticeKinds } })
    await world.fund(person, 100_000n)
    const { _id } = await withdraw(person)
    const email = await noticeWriter(world.services)({ notice: 'withdrawal.requested', id: _id })
    expect(email?.text).toContain('about the security of your account and cannot be turned off')
  })
})
