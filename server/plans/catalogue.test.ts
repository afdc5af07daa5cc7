import { beforeAll, expect, test } from 'vitest'
import { sampleFirm } from '#server/demo/firm.ts'
import { newInvestment } from '#shared/contract/investments.ts'
import * as call from '#shared/contract/plans.ts'
import { openWorld, type World } from '#test/support/world.ts'

/** The catalogue as the console manages it: plans come, go and come back. */
let world: World
beforeAll(async () => {
  world = await openWorld()
})

const list = () => world.call(call.listPlans, null).then(({ data }) => data)
const named = async (name: string) => (await list()).find(plan => plan.name === name)!
const history = (id: string) => world.call(call.listPlanVersions, world.admin, { params: { id } })
const managed = async (name: string) =>
  (await world.call(call.listCatalogue, world.admin)).data.find(plan => plan.name === name)!

const terms = {
  name: 'Steady',
  percentage: 2.5,
  minimum: 250,
  maximum: null,
  duration: '90 days',
  durationDays: 90,
  note: 'For patience',
  reason: 'Asked for by investors',
}
const add = (changes: object = {}) =>
  world.call(call.newPlan, world.admin, { body: { ...terms, ...changes } })
const decide = (what: typeof call.retirePlan | typeof call.restorePlan, id: string) =>
  world.call(what, world.admin, { params: { id }, body: { reason: 'For a good reason' } })
const invest = async (plan: string) => {
  const investor = await world.person('Ines Investor')
  return world.call(newInvestment, investor, { body: { method: 'usdt', plan, amount: 500 } })
}

test('[N-14] a new plan is the last of the catalogue and can be invested in at once', async () => {
  expect(await add()).toMatchObject({ status: 200, message: 'Plan added', data: { version: 1 } })
  expect((await list()).at(-1)).toMatchObject({ name: 'Steady', percentage: 2.5, maximum: null })
  expect((await invest('Steady')).data).toMatchObject({ percentage: 2.5, duration: '90 days' })
  const { rows } = await world.owner("SELECT reason, details FROM app.audit_log WHERE action = 'plan.added'")
  expect(rows).toMatchObject([{ reason: terms.reason, details: { after: { name: 'Steady' } } }])
})

test('[N-14, D2] also in live mode, whose catalogue begins empty', async () => {
  const live = await openWorld({ mode: 'live', firm: sampleFirm })
  await live.owner('DELETE FROM app.plan_versions')
  expect((await live.call(call.listPlans, null)).data).toEqual([])
  expect((await live.call(call.newPlan, live.admin, { body: terms })).status).toBe(200)
  expect((await live.call(call.listPlans, null)).data).toMatchObject([{ name: 'Steady' }])
})

test.each([
  ['a name that is taken', { name: 'elite' }, 'name'],
  ['a maximum below the minimum', { maximum: 100 }, 'maximum'],
  ['a percentage above 100', { percentage: 101 }, 'percentage'],
  ['no days', { durationDays: 0 }, 'durationDays'],
  ['no reason', { reason: '' }, 'reason'],
])('[N-14, D4] %s is refused at its field', async (_what, changes, field) => {
  const before = await world.state()
  expect((await add(changes)).fields).toHaveProperty(field)
  expect(await world.state()).toBe(before)
})

test('[N-14] a retired plan is not offered, its investments go on, and it comes back with its terms', async () => {
  const { _id, version: _, changedAt: __, ...before } = await named('Basic')
  expect((await decide(call.retirePlan, _id)).message).toBe('Plan retired')
  expect((await list()).map(plan => plan.name)).not.toContain('Basic')
  expect(await invest('Basic')).toMatchObject({ status: 404 })
  expect(await managed('Basic')).toMatchObject({ retired: true, version: 2 })
  expect(await decide(call.retirePlan, _id)).toMatchObject({ code: 'wrong_state' })
  expect((await decide(call.restorePlan, _id)).message).toBe('Plan put back')
  expect(await named('Basic')).toMatchObject({ ...before, version: 3 })
  expect((await invest('Basic')).status).toBe(200)
  expect(await decide(call.restorePlan, _id)).toMatchObject({ code: 'wrong_state' })
  const changes = (await history(_id)).data.map(({ change, reason }) => [change, reason])
  expect(changes.slice(0, 2)).toEqual([
    ['restored', 'For a good reason'],
    ['retired', 'For a good reason'],
  ])
})

test('[N-14] a plan whose name was taken meanwhile does not come back', async () => {
  const { _id } = await named('Promo')
  await decide(call.retirePlan, _id)
  await add({ name: 'Promo' })
  expect((await decide(call.restorePlan, _id)).fields).toHaveProperty('name')
})

test('[N-14] the order is the one that was set, and the log has it before and after', async () => {
  const all = async () => (await world.call(call.listCatalogue, world.admin)).data.map(plan => plan._id)
  const ids = await all()
  const order = (given: string[]) => world.call(call.orderPlans, world.admin, { body: { ids: given } })
  expect((await order(ids.toReversed())).status).toBe(200)
  expect(await all()).toEqual(ids.toReversed())
  const { rows } = await world.owner("SELECT details FROM app.audit_log WHERE action = 'plan.ordered'")
  expect(rows[0].details.before.order[0]).toBe('Beginner')
  expect(rows[0].details.after.order.at(-1)).toBe('Beginner')
  expect(await order(ids.slice(1))).toMatchObject({ code: 'wrong_state' })
})

test('[N-14] no terms can be changed in place by the application', async () => {
  for (const statement of [
    'UPDATE app.plan_versions SET percentage_bp = 1',
    'DELETE FROM app.plan_versions',
    'TRUNCATE app.plan_versions CASCADE',
  ]) {
    await expect(world.database.app.query(statement)).rejects.toMatchObject({ code: '42501' })
  }
})
