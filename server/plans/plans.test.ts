import { beforeEach, describe, expect, test } from 'vitest'
import { approveInvestment, getInvestment, newInvestment } from '#shared/contract/investments.ts'
import * as call from '#shared/contract/plans.ts'
import { openWorld, type World } from '#test/support/world.ts'

let world: World
beforeEach(async () => {
  world = await openWorld()
})

const list = () => world.call(call.listPlans, null).then(({ data }) => data)
const history = (id: string) => world.call(call.listPlanVersions, world.admin, { params: { id } })
const managed = async (name: string) =>
  (await world.call(call.listCatalogue, world.admin)).data.find(plan => plan.name === name)!
const basic = async () => (await list()).find(plan => plan.name === 'Basic')!
const update = async (changes: object = {}, id?: string) => {
  const { _id, version: _, ...terms } = await basic()
  return world.call(call.updatePlan, world.admin, {
    params: { id: id ?? _id },
    body: { ...terms, ...changes },
  })
}

describe('the catalogue', () => {
  test('[K-01] the seven plans with their percentages, ranges and durations', async () => {
    const shown = (await list()).map(plan => [
      plan.name,
      plan.percentage,
      plan.minimum,
      plan.maximum,
      plan.duration,
      plan.durationDays,
    ])
    expect(shown).toEqual([
      ['Beginner', 3, 500, 1_999, '30 days', 30],
      ['Basic', 9, 100, 999, '30 days', 30],
      ['Enthusiast', 10.5, 1_000, 4_999, '30 days', 30],
      ['Business', 13, 5_000, 9_999, '30 days', 30],
      ['Promo', 15, 10_000, 49_999, '30 days', 30],
      ['Elite', 20, 20_000, 9_999_999, '5 days', 5],
      ['Deluxe', 25, 50_000, null, '5 months', 150],
    ])
  })

  test("[D-11] the note '5 days active' belongs to the plan of five days", async () => {
    const notes = (await list()).flatMap(plan => (plan.note ? [[plan.name, plan.note]] : []))
    expect(notes).toEqual([['Elite', '5 days active']])
  })
})

describe('a new version', () => {
  test('[D4, N-14] it is in force from now on; an investment keeps the one it was made under', async () => {
    const investor = await world.person('Ines Investor')
    const body = { method: 'usdt', plan: 'Basic', amount: 500 } as const
    const { data: before } = await world.call(newInvestment, investor, { body })
    const { data, message } = await update({ percentage: 9.25, minimum: 200 })
    expect(message).toBe('Plan updated')
    expect(data).toMatchObject({ version: 2, percentage: 9.25, minimum: 200 })
    expect(await list()).toHaveLength(7)
    const old = await world.call(getInvestment, investor, { params: { id: before._id } })
    expect(old.data).toMatchObject({ percentage: 9, after30Days: 45 })
    const after = await world.call(newInvestment, investor, { body })
    expect(after.data).toMatchObject({ percentage: 9.25, after30Days: 46.25 })
    const refused = await world.call(newInvestment, investor, { body: { ...body, amount: 150 } })
    expect(refused.message).toBe('Amount must be between $200 and $999 for the Basic plan')
  })

  test('[N-12] the audit log has the terms before and after', async () => {
    await update({ percentage: 8 })
    const { rows } = await world.owner(
      "SELECT actor_id, details FROM app.audit_log WHERE action = 'plan.updated'",
    )
    expect(rows[0].actor_id).toBe(world.admin.id)
    expect([rows[0].details.before.percentage, rows[0].details.after.percentage]).toEqual([9, 8])
  })

  test('[D4] a maximum below the minimum and a name that is taken are refused', async () => {
    const before = await world.state()
    expect(await update({ maximum: 99 })).toMatchObject({
      status: 400,
      fields: { maximum: expect.any(String) },
    })
    expect(await update({ name: 'ELITE' })).toMatchObject({
      status: 400,
      message: 'Another plan has this name',
    })
    expect(await world.state()).toBe(before)
  })

  test('[N-14] its history says what each version was, who made it, when and why, and what holds it', async () => {
    const investor = await world.person('Ines Investor')
    await world.fund(investor, 200_000n)
    const invest = async () => {
      const body = { method: 'balance', plan: 'Basic', amount: 500 } as const
      const { data } = await world.call(newInvestment, investor, { body })
      await world.call(approveInvestment, world.admin, { params: { id: data._id } })
    }
    await invest()
    await update({ percentage: 8.5, version: 1, reason: 'Markets have changed' })
    await invest()
    await invest()
    const { data } = await history((await basic())._id)
    expect(data).toMatchObject([
      {
        version: 2,
        change: 'changed',
        percentage: 8.5,
        changedBy: 'Ada Admin',
        reason: 'Markets have changed',
        activeInvestments: 2,
        invested: 1_000,
      },
      { version: 1, change: 'created', percentage: 9, changedBy: null, activeInvestments: 1, invested: 500 },
    ])
    expect((await managed('Basic')).activeInvestments).toBe(3)
    await invest()
    expect((await managed('Basic')).activeInvestments).toBe(3)
    world.clock.pass({ minutes: 1 })
    expect((await managed('Basic')).activeInvestments).toBe(4)
  })

  test('[N-14] one that was edited from a version that is no longer the latest is refused', async () => {
    await update({ percentage: 8 })
    expect(await update({ percentage: 7, version: 1 })).toMatchObject({ status: 409, code: 'wrong_state' })
    expect((await basic()).percentage).toBe(8)
  })

  test('[D4] a plan that does not exist is not found', async () => {
    expect(await update({}, '019aa000-0000-7000-8000-000000000000')).toMatchObject({ status: 404 })
  })

  test('[D4] admins who change it at once make one version each, or are told so', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => update({ percentage: n + 1 })))
    const made = answers.filter(answer => answer.status === 200).length
    expect(answers.filter(answer => answer.code === 'wrong_state')).toHaveLength(10 - made)
    expect((await basic()).version).toBe(1 + made)
    expect(await list()).toHaveLength(7)
  })
})
