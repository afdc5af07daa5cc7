import { beforeAll, beforeEach, expect, test } from 'vitest'
import { cancelInvestment } from '#shared/contract/cancelling.ts'
import { approveDeposit } from '#shared/contract/deposits.ts'
import * as call from '#shared/contract/investments.ts'
import { statement } from '#shared/contract/ledger.ts'
import { listNotifications } from '#shared/contract/notifications.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'

/** An investor cancels their own pending investment. */

let world: World
let investor: Person
let people = 0
beforeAll(async () => {
  world = await openWorld()
})
beforeEach(async () => {
  people += 1
  investor = await world.person(`Investor ${people}`)
  await world.fund(investor, 1_000_000n)
})

const invest = async (method: 'balance' | 'usdt' = 'balance') => {
  const body = { method, plan: 'Basic', amount: 500 } as const
  return (await world.call(call.newInvestment, investor, { body })).data
}
const cancel = (id: string, who = investor) => world.call(cancelInvestment, who, { params: { id } })
const approve = (id: string) => world.call(call.approveInvestment, world.admin, { params: { id } })
const decline = (id: string) =>
  world.call(call.declineInvestment, world.admin, { params: { id }, body: { reason: 'Not this month' } })
const shown = async (id: string) => (await world.call(call.getInvestment, investor, { params: { id } })).data
const whole = { available: 1_000_000n, held: 0n, invested: 0n }

test('[S-04, D6] cancelling one paid from the balance gives the money back', async () => {
  const { _id } = await invest()
  expect(await cancel(_id)).toMatchObject({
    status: 200,
    message: 'Investment cancelled',
    data: { status: 'declined', cancelled: true, declineReason: null },
  })
  expect(await world.balances(investor)).toEqual(whole)
  const { data } = await world.call(statement, investor, { query: { limit: 1 } })
  expect(data).toMatchObject([{ description: 'Investment cancelled, money released' }])
  expect((await shown(_id)).history.at(-1)).toMatchObject({
    action: 'Investment cancelled',
    actor: investor.name,
  })
})

test('[S-04, D6] cancelling one that waits for its payment cancels the payment too', async () => {
  const { _id } = await invest('usdt')
  await cancel(_id)
  const { deposit } = await shown(_id)
  expect(deposit).toMatchObject({
    status: 'declined',
    cancelled: true,
    canCancel: false,
    label: 'Cancelled. If your payment still arrives, we will credit it.',
  })
  const { data } = await world.call(listNotifications, investor, { query: { limit: 1 } })
  expect(data).toMatchObject([{ kind: 'investment.cancelled', subject: _id }])
})

test('[S-04, D6] cancelling one whose payment is credited leaves the money on the balance', async () => {
  const { _id, deposit } = await invest('usdt')
  await world.call(approveDeposit, world.admin, { params: { id: deposit!._id } })
  expect(await world.balances(investor)).toEqual({ ...whole, held: 50_000n })
  expect((await cancel(_id)).status).toBe(200)
  expect(await world.balances(investor)).toEqual({ ...whole, available: 1_050_000n })
  expect((await shown(_id)).deposit).toMatchObject({
    status: 'paid',
    label: expect.stringMatching(/was cancelled, so the money was added to the balance\.$/),
  })
})

test('[S-04] nothing but a pending investment of one’s own is cancelled', async () => {
  const [active, declined, pending] = [await invest(), await invest('usdt'), await invest()]
  await approve(active._id)
  await decline(declined._id)
  const other = await world.person('Otto Other')
  const before = await world.state()
  for (const [{ _id }, is] of [
    [active, 'active'],
    [declined, 'declined'],
  ] as const) {
    const message = `This investment is already ${is}. Only pending investments can be cancelled.`
    expect(await cancel(_id)).toMatchObject({ status: 409, code: 'wrong_state', message })
  }
  for (const who of [other, world.admin])
    expect(await cancel(pending._id, who)).toMatchObject({ status: 403, code: 'forbidden' })
  expect(await world.state()).toBe(before)
})

test.each([
  ['approving', approve],
  ['declining', decline],
  ['cancelling again', (id: string) => cancel(id)],
])('[S-04, B-05] of cancelling and %s at once, one wins', async (_, rival) => {
  for (let round = 0; round < 8; round += 1) {
    const { _id } = await invest()
    const answers = await Promise.all(round % 2 ? [rival(_id), cancel(_id)] : [cancel(_id), rival(_id)])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
  }
  const { data } = await world.call(call.listOwnInvestments, investor, { query: { status: 'active' } })
  const invested = BigInt(data.length) * 50_000n
  expect(await world.balances(investor)).toEqual({ available: 1_000_000n - invested, held: 0n, invested })
})
