import { beforeAll, beforeEach, expect, test } from 'vitest'
import { freezeUser } from '#shared/contract/console.ts'
import * as call from '#shared/contract/investments.ts'
import { allocation } from '#shared/contract/ledger.ts'
import { listNotifications } from '#shared/contract/notifications.ts'
import { listCatalogue, updatePlan } from '#shared/contract/plans.ts'
import { acceptTerms } from '#shared/contract/policies.ts'
import { listAudit } from '#shared/contract/site.ts'
import { dayAfter } from '#shared/moments.ts'
import { publishPolicy } from '#test/support/policies.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'

/** An investor has the principal of an investment invested again at its end. */

let world: World
let investor: Person
let people = 0
beforeAll(async () => {
  world = await openWorld()
})
beforeEach(async () => {
  people += 1
  investor = await world.person(`Investor ${people}`)
  await world.fund(investor, 50_000n)
})

async function active(plan = 'Basic'): Promise<string> {
  const body = { method: 'balance', plan, amount: 500 } as const
  const { data } = await world.call(call.newInvestment, investor, { body })
  await world.call(call.approveInvestment, world.admin, { params: { id: data._id } })
  return data._id
}
const reinvest = (id: string, on = true, who = investor) =>
  world.call(call.reinvestInvestment, who, { params: { id }, body: { reinvest: on } })
const close = (id: string, reason?: string) =>
  world.call(call.closeInvestment, world.admin, { params: { id }, body: reason ? { reason } : {} })
const shown = async (id: string) => (await world.call(call.getInvestment, investor, { params: { id } })).data
const all = async () => (await world.call(call.listOwnInvestments, investor)).data
const endsNow = () => world.clock.pass({ days: 30 })
async function told() {
  const { data } = await world.call(listNotifications, investor, { query: { limit: 1 } })
  return { kind: data[0]!.kind, details: data[0]!.details }
}
async function changeTerms(plan: string): Promise<void> {
  const { data } = await world.call(listCatalogue, world.admin)
  const { _id, name, percentage, minimum, maximum, duration, durationDays, note } = data.find(
    ({ name }) => name === plan,
  )!
  const body = { name, percentage: percentage + 1, minimum, maximum, duration, durationDays, note }
  const { status } = await world.call(updatePlan, world.admin, { params: { id: _id }, body })
  expect(status).toBe(200)
}

test('[S-04, D6] principal returns to the balance unless its owner reinvests it', async () => {
  const id = await active()
  expect(await shown(id)).toMatchObject({ reinvestment: null, reinvestedAs: null })
  endsNow()
  expect((await close(id)).data).toMatchObject({ reinvestment: null })
  expect(await world.balances(investor)).toEqual({ available: 50_000n, held: 0n, invested: 0n })
  expect(await all()).toHaveLength(1)
})

test('[S-04, D6] reinvested principal is held for a new investment in the same plan', async () => {
  const id = await active()
  expect(await reinvest(id)).toMatchObject({
    status: 200,
    message: 'At the end, we request a new investment of your principal',
    data: { reinvestment: 'requested' },
  })
  endsNow()
  await close(id)
  expect(await world.balances(investor)).toEqual({ available: 0n, held: 50_000n, invested: 0n })
  const [next, before] = await all()
  expect(next).toMatchObject({ plan: 'Basic', amount: 500, status: 'pending', method: 'balance', held: true })
  expect(before).toMatchObject({
    status: 'inactive',
    reinvestment: 'done',
    reinvestedAs: { _id: next!._id, invoiceId: next!.invoiceId },
  })
  expect(await told()).toEqual({
    kind: 'investment.closed',
    details: [`We requested a new investment of your principal: ${next!.invoiceId}.`],
  })
  const { data: log } = await world.call(listAudit, world.admin, {
    query: { status: 'investment.closed', limit: 1 },
  })
  expect(log).toMatchObject([{ subject: id, details: { reinvestment: 'done', reinvested_as: next!._id } }])
  expect((await shown(id)).history.map(({ action }) => action)).toEqual([
    'Investment requested',
    'Investment approved',
    'Investment reinvestment requested',
    'Investment closed',
  ])
  await world.call(call.approveInvestment, world.admin, { params: { id: next!._id } })
  expect(await world.balances(investor)).toEqual({ available: 0n, held: 0n, invested: 50_000n })
})

test('[S-04] the choice can be stopped until the investment is closed', async () => {
  const id = await active()
  await reinvest(id)
  endsNow()
  expect(await reinvest(id, false)).toMatchObject({
    message: 'Your principal returns to your balance at the end',
    data: { reinvestment: null },
  })
  await close(id)
  expect(await world.balances(investor)).toEqual({ available: 50_000n, held: 0n, invested: 0n })
  const before = await world.state()
  for (const on of [true, false]) expect(await reinvest(id, on)).toMatchObject({ code: 'wrong_state' })
  expect(await world.state()).toBe(before)
})

test('[S-04] making the same choice twice changes nothing', async () => {
  const id = await active()
  await reinvest(id)
  const before = await world.state()
  expect(await reinvest(id)).toMatchObject({ status: 200, data: { reinvestment: 'requested' } })
  expect(await world.state()).toBe(before)
})

test('[D6] an investment that staff close early is not reinvested', async () => {
  const id = await active()
  await reinvest(id)
  await close(id, 'Its fund was wound up')
  expect(await world.balances(investor)).toEqual({ available: 50_000n, held: 0n, invested: 0n })
  expect(await shown(id)).toMatchObject({ reinvestment: 'early', reinvestedAs: null })
  expect((await told()).details).toEqual([
    'Reason: Its fund was wound up',
    'Your principal is available on your balance.',
    'We closed it before its ending date, so we did not reinvest it.',
  ])
})

test('[D-12, D6] principal is not reinvested under terms that its owner has not seen', async () => {
  const plan = 'Beginner'
  const id = await active(plan)
  await reinvest(id)
  await changeTerms(plan)
  endsNow()
  await close(id)
  expect(await world.balances(investor)).toEqual({ available: 50_000n, held: 0n, invested: 0n })
  expect(await shown(id)).toMatchObject({ reinvestment: 'plan_changed', reinvestedAs: null })
  expect((await told()).details).toContain(
    'Its plan is no longer offered on the terms that you accepted, so we did not reinvest it.',
  )
  expect(await all()).toHaveLength(1)
})

test('[D-12] a plan whose terms have changed since cannot be chosen again', async () => {
  const plan = 'Beginner'
  const id = await active(plan)
  await changeTerms(plan)
  const before = await world.state()
  expect(await reinvest(id)).toMatchObject({ status: 409, reason: 'terms_changed' })
  expect(await world.state()).toBe(before)
})

test('[S-04, C-27] only its owner reinvests, and only while it is active', async () => {
  const id = await active()
  const other = await world.person('Other')
  const body = { method: 'usdt', plan: 'Basic', amount: 500 } as const
  const { data: pending } = await world.call(call.newInvestment, investor, { body })
  const before = await world.state()
  expect(await reinvest(id, true, other)).toMatchObject({ status: 403, code: 'forbidden' })
  expect(await reinvest(id, true, world.admin)).toMatchObject({ status: 403, code: 'forbidden' })
  expect(await reinvest(pending._id)).toMatchObject({ status: 409, code: 'wrong_state' })
  expect(await world.state()).toBe(before)
  const reason = 'Reported as stolen'
  await world.call(freezeUser, world.admin, { params: { id: investor.id }, body: { reason } })
  expect(await reinvest(id)).toMatchObject({ code: 'account_frozen' })
})

test('[C-11] many closed at once are each reinvested as their owners chose', async () => {
  const [id, owner] = [await active(), investor]
  await reinvest(id)
  investor = await world.person('Ben Balance')
  await world.fund(investor, 50_000n)
  const other = await active()
  endsNow()
  const body = { records: [{ id }, { id: other }] }
  expect((await world.call(call.closeInvestments, world.admin, { body })).status).toBe(200)
  expect(await world.balances(owner)).toEqual({ available: 0n, held: 50_000n, invested: 0n })
  expect(await world.balances(investor)).toEqual({ available: 50_000n, held: 0n, invested: 0n })
})

test('[D-26] the days on which plans end add up to the money in plans', async () => {
  await world.fund(investor, 100_000n)
  await reinvest(await active())
  await active()
  world.clock.pass({ days: 1 })
  await active()
  const { data } = await world.call(allocation, investor)
  const [first, second] = await Promise.all(
    (await all())
      .map(({ endingDate }) => endingDate!.slice(0, 10))
      .sort()
      .filter((day, n, days) => day !== days[n - 1]),
  )
  expect(data.endings).toEqual([
    { day: first, investments: 2, amount: 1_000, reinvested: 500, returned: 500 },
    { day: second, investments: 1, amount: 500, reinvested: 0, returned: 500 },
  ])
})

test('the database takes no other investment for the reinvested one', async () => {
  const id = await active()
  await reinvest(id)
  const owner = investor
  investor = await world.person('Olga Other')
  await world.fund(investor, 50_000n)
  const another = await active()
  await expect(
    world.database.app.query(
      `UPDATE app.investments SET status = 'inactive', reinvestment = 'done', reinvested_as = '${another}' WHERE id = '${id}'`,
    ),
  ).rejects.toMatchObject({ code: 'PB912' })
  expect(await world.balances(owner)).toEqual({ available: 0n, held: 0n, invested: 50_000n })
})

test('what became of a reinvestment cannot be changed in the database', async () => {
  const id = await active()
  await reinvest(id)
  endsNow()
  await close(id)
  for (const change of ["reinvestment = 'debt', reinvested_as = NULL", 'reinvested_as = id']) {
    await expect(
      world.database.app.query(`UPDATE app.investments SET ${change} WHERE id = '${id}'`),
    ).rejects.toMatchObject({ code: 'PB912' })
  }
})

// The last one: these terms bind everybody in this world.
test('[S-04, P-17] nothing is reinvested under terms that its owner has not accepted', async () => {
  const id = await active()
  await reinvest(id)
  await publishPolicy(world)
  expect(await reinvest(id, false)).toMatchObject({ status: 200 })
  expect(await reinvest(id)).toMatchObject({ status: 409, reason: 'terms_not_accepted' })
  await world.call(acceptTerms, investor, { body: { version: 1 } })
  expect(await reinvest(id)).toMatchObject({ status: 200 })
  const from = dayAfter(world.clock.now(), 20)
  await publishPolicy(world, { text: 'We pay out at once.', changes: 'Faster.', from, version: 1 })
  endsNow()
  expect((await close(id)).data).toMatchObject({ reinvestment: 'terms_not_accepted', reinvestedAs: null })
  expect(await world.balances(investor)).toEqual({ available: 50_000n, held: 0n, invested: 0n })
  expect(await told()).toMatchObject({
    kind: 'investment.closed',
    details: [
      'Your principal is available on your balance.',
      'You had not accepted our terms, so we did not reinvest it.',
    ],
  })
})
