import { beforeEach, describe, expect, test } from 'vitest'
import { newDeposit, quoteDeposit } from '#shared/contract/deposits.ts'
import type { Plan } from '#shared/contract/entities.ts'
import { newInvestment } from '#shared/contract/investments.ts'
import { listPlans, updatePlan } from '#shared/contract/plans.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'

/** The terms that an investor confirms are those that they saw. */
let world: World
let investor: Person
let shown: Plan
beforeEach(async () => {
  world = await openWorld()
  investor = await world.person('Ines Investor')
  await world.fund(investor, 100_000n)
  shown = (await world.call(listPlans, null)).data.find(({ name }) => name === 'Basic')!
})

const changeTerms = async () => {
  const { _id: id, version: _version, changedAt: _changedAt, ...terms } = shown
  const body = { ...terms, percentage: 4.5, maximum: 800, reason: 'Lower yields' }
  await world.call(updatePlan, world.admin, { params: { id }, body })
}
const invest = (method: 'balance' | 'usdt', of: { quote?: string; planVersion?: number } = {}) =>
  world.call(newInvestment, investor, { body: { method, plan: shown._id, amount: 500, ...of } })
const quoteOf = (of: { plan?: string; planVersion?: number }) =>
  world.call(quoteDeposit, investor, { query: { method: 'usdt', amount: '500', ...of } })

const changed = {
  status: 409,
  code: 'wrong_state',
  reason: 'terms_changed',
  message:
    'The terms of this plan have changed since you saw them. Before: Basic: 9% over 30 days, $100 to $999. Now: Basic: 4.5% over 30 days, $100 to $800. Review the new terms and confirm them, or choose another plan.',
}

describe('a change of terms between look and confirmation', () => {
  test.each(['balance', 'usdt'] as const)('[D4, C-05] by %s is refused with both terms', async method => {
    const { version: planVersion } = shown
    await changeTerms()
    const before = await world.state()
    expect(await invest(method, { planVersion })).toMatchObject(changed)
    expect(await world.state()).toBe(before)
    const { data } = await invest(method, { planVersion: planVersion + 1 })
    expect(data).toMatchObject({ percentage: 4.5, status: 'pending' })
  })

  test('[D4, D-18] a quote is valid for the version that it was made for', async () => {
    const plan = shown._id
    const { data: quoted } = await quoteOf({ plan, planVersion: shown.version })
    await changeTerms()
    expect(await invest('usdt', { quote: quoted.quote })).toMatchObject(changed)
    expect(await quoteOf({ plan, planVersion: shown.version })).toMatchObject(changed)
    const { data: again } = await quoteOf({ plan, planVersion: shown.version + 1 })
    expect((await invest('usdt', { quote: again.quote })).data).toMatchObject({ percentage: 4.5 })
  })

  test('[D-18] a quote for a plan pays no deposit, and one for a deposit no plan', async () => {
    const { data: forPlan } = await quoteOf({ plan: shown._id })
    const { data: forDeposit } = await quoteOf({})
    const refused = { status: 400, message: 'This quote is for another payment' }
    const body = { method: 'usdt', amount: 500, quote: forPlan.quote } as const
    expect(await world.call(newDeposit, investor, { body })).toMatchObject(refused)
    expect(await invest('usdt', { quote: forDeposit.quote })).toMatchObject(refused)
  })

  test('[D4] a version that never was is refused', async () => {
    const fields = { planVersion: 'This plan has no such version' }
    expect(await invest('balance', { planVersion: 9 })).toMatchObject({ status: 400, fields })
  })
})
