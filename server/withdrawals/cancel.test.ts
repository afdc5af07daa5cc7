import { beforeAll, beforeEach, expect, test } from 'vitest'
import { cancelWithdrawal } from '#shared/contract/cancelling.ts'
import { statement } from '#shared/contract/ledger.ts'
import * as call from '#shared/contract/withdrawals.ts'
import { withdrawalsIn } from '#test/support/withdrawals.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'

/** An investor cancels their own pending withdrawal. */

let world: World
let investor: Person
let people = 0
beforeAll(async () => {
  world = await openWorld()
})
beforeEach(async () => {
  people += 1
  investor = await world.person(`Investor ${people}`)
  await world.fund(investor, 2_000_000n)
})

const { ask, approve, decline, pay } = withdrawalsIn(() => world)
const cancel = (id: string, who = investor, idempotencyKey?: string) =>
  world.call(cancelWithdrawal, who, { params: { id } }, idempotencyKey ? { idempotencyKey } : {})
const requested = async (amount = 100) => (await ask(investor, amount)).data._id
const whole = { available: 2_000_000n, held: 0n, invested: 0n }

test('[S-04, B-06] cancelling gives the money back, once', async () => {
  const id = await requested()
  const key = crypto.randomUUID()
  const first = await cancel(id, investor, key)
  expect(first).toMatchObject({
    status: 200,
    message: 'Withdrawal cancelled',
    data: { status: 'declined', cancelled: true, declineReason: null, recovered: 0 },
  })
  expect(await world.balances(investor)).toEqual(whole)
  const after = await world.state()
  expect(await cancel(id, investor, key)).toMatchObject({ status: 200, data: first.data })
  expect(await cancel(id)).toMatchObject({
    status: 409,
    message: 'This withdrawal is already cancelled. Only pending withdrawals can be cancelled.',
  })
  expect(await world.state()).toBe(after)
})

test('[N-12] the history, the statement and the list say that the investor cancelled', async () => {
  const id = await requested()
  await cancel(id)
  const { data } = await world.call(call.getWithdrawal, world.admin, { params: { id } })
  expect(data.history.at(-1)).toMatchObject({ action: 'Withdrawal cancelled', actor: investor.name })
  const { data: own } = await world.call(call.getWithdrawal, investor, { params: { id } })
  expect(own.history.at(-1)).toMatchObject({ action: 'Withdrawal cancelled', actor: investor.name })
  const { data: lines } = await world.call(statement, investor, { query: { limit: 2 } })
  expect(lines).toMatchObject([
    { description: 'Withdrawal cancelled, money released', amount: 100, note: null },
    { description: 'Withdrawal cancelled, money released', amount: -100 },
  ])
  const query = { q: investor.email, status: 'cancelled' }
  const { data: listed } = await world.call(call.listWithdrawals, world.admin, { query })
  expect(listed).toMatchObject([{ _id: id, cancelled: true }])
  const { rows } = await world.owner(
    `SELECT actor_id, action FROM app.audit_log WHERE subject_id = '${id}' ORDER BY id DESC LIMIT 1`,
  )
  expect(rows).toEqual([{ actor_id: investor.id, action: 'withdrawal.cancelled' }])
})

test('[L-07] an email that cannot be turned off confirms it', async () => {
  const id = await requested()
  await cancel(id)
  const { rows } = await world.owner(`
    SELECT j.payload FROM graphile_worker._private_jobs j
      JOIN graphile_worker._private_tasks t ON t.id = j.task_id
     WHERE t.identifier = 'notify_security' AND j.payload ->> 'id' = '${id}' ORDER BY j.id`)
  expect(rows.map(({ payload }) => payload.notice)).toEqual(['withdrawal.requested', 'withdrawal.cancelled'])
})

test('[S-04] nothing but a pending withdrawal of one’s own is cancelled', async () => {
  const [approved, paid, declined] = [await requested(), await requested(), await requested()]
  await approve(approved)
  await approve(paid)
  await pay(paid)
  await decline(declined)
  const pending = await requested()
  const other = await world.person('Otto Other')
  const before = await world.state()
  for (const [id, is] of [
    [approved, 'approved'],
    [paid, 'paid'],
    [declined, 'declined'],
  ] as const) {
    const message = `This withdrawal is already ${is}. Only pending withdrawals can be cancelled.`
    expect(await cancel(id)).toMatchObject({ status: 409, code: 'wrong_state', message })
  }
  for (const who of [other, world.admin])
    expect(await cancel(pending, who)).toMatchObject({ status: 403, code: 'forbidden' })
  expect(await world.state()).toBe(before)
})

test('[S-04] nobody decides about a cancelled withdrawal, approved once or not', async () => {
  const id = await requested(15_000)
  expect((await approve(id)).data.status).toBe('pending')
  await cancel(id)
  const before = await world.state()
  const message = 'This withdrawal is already cancelled. Only pending withdrawals can be approved.'
  expect(await approve(id, world.secondAdmin)).toMatchObject({ status: 409, message })
  expect(await decline(id)).toMatchObject({ status: 409 })
  expect(await pay(id)).toMatchObject({ status: 409 })
  expect(await world.state()).toBe(before)
})

test.each([
  ['approving', (id: string) => approve(id)],
  ['declining', (id: string) => decline(id)],
  ['cancelling again', (id: string) => cancel(id)],
])('[S-04, B-05] of cancelling and %s at once, one wins', async (_, rival) => {
  for (let round = 0; round < 8; round += 1) {
    const id = await requested(10)
    const answers = await Promise.all(round % 2 ? [rival(id), cancel(id)] : [cancel(id), rival(id)])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
    if ((await world.call(call.getWithdrawal, investor, { params: { id } })).data.status === 'approved')
      await pay(id)
  }
  const { data } = await world.call(call.listOwnWithdrawals, investor, { query: { status: 'paid' } })
  const left = whole.available - BigInt(data.length) * 1_000n
  expect(await world.balances(investor)).toEqual({ ...whole, available: left })
})
