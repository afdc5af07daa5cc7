import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { CallDefinition, CallInput } from '#shared/contract/define.ts'
import { newDeposit, quoteDeposit } from '#shared/contract/deposits.ts'
import { addEarning } from '#shared/contract/earnings.ts'
import { newGoal } from '#shared/contract/goals.ts'
import { allCalls } from '#shared/contract/index.ts'
import { approveInvestment, newInvestment } from '#shared/contract/investments.ts'
import { listPlans, newPlan, updatePlan } from '#shared/contract/plans.ts'
import { stateAsset } from '#shared/contract/reserves.ts'
import { approveReturn, newReturn } from '#shared/contract/returns.ts'
import { newWithdrawal } from '#shared/contract/withdrawals.ts'
import { usdFromJson } from '#shared/money.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'
import { noAmounts, noAmountTexts } from './values.ts'

/**
 * Every call that takes an amount of money, at its limits and beyond. A refusal names the limit and what to do, at the
 * invalid field, and changes nothing.
 */
let world: World
let investor: Person
let admin: Person

const largest = 9_999_999_999.99
const wallet = {
  wallet: 'Bitcoin (BTC)',
  walletAddress: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
} as const

beforeAll(async () => {
  world = await openWorld()
  admin = world.admin
})
beforeEach(async () => {
  investor = await world.person('Ines Investor')
  await world.refreshPrices()
})

type Asking = { call: string; name: string; send: (json: string) => Promise<Refusable> }
type Refusable = { status: number; message: string; fields?: Record<string, string> }

/** Sends a body with the JSON text of one amount unchanged, whatever JavaScript would make of the number. */
function asking(
  call: CallDefinition,
  by: () => Person,
  body: () => object,
  {
    field = 'amount',
    path = () => call.path,
  }: { field?: string; path?: () => string | Promise<string> } = {},
): Asking {
  const send = async (json: string) => {
    const text = JSON.stringify({ ...body(), [field]: null }).replace(`"${field}":null`, `"${field}":${json}`)
    const response = await world.app.inject({
      method: call.method,
      url: `/api${await path()}`,
      headers: { authorization: `Bearer ${world.tokenOf(by())}`, 'content-type': 'application/json' },
      payload: text,
    })
    return { ...response.json<Refusable>(), status: response.statusCode }
  }
  return { call: call.id, name: field, send }
}

const planTerms = { name: 'Basic', percentage: 9, duration: '30 days', durationDays: 30, note: null }
const basicPath = async () => {
  const { data } = await world.call(listPlans, null)
  return `/plan/${data.find(plan => plan.name === 'Basic')!._id}`
}
const land = { title: 'Office', asOf: '2026-01-31', sha256: 'ab'.repeat(32), source: 'Land register' }
const realised = { source: 'Rent', realisedAt: '2026-03-01', evidence: 'BANK-2026-1' }

const amounts: Asking[] = [
  asking(
    newGoal,
    () => investor,
    () => ({ name: 'A boat', day: null }),
  ),
  asking(
    newDeposit,
    () => investor,
    () => ({ method: 'usdt' }),
  ),
  asking(
    newInvestment,
    () => investor,
    () => ({ method: 'balance', plan: 'Basic' }),
  ),
  asking(
    newInvestment,
    () => investor,
    () => ({ method: 'bitcoin', plan: 'Basic' }),
  ),
  asking(
    newWithdrawal,
    () => investor,
    () => wallet,
  ),
  asking(
    addEarning,
    () => admin,
    () => ({}),
    { path: () => `/earning/add/${investor.id}` },
  ),
  asking(
    newReturn,
    () => admin,
    () => realised,
  ),
  asking(
    stateAsset,
    () => admin,
    () => land,
  ),
  asking(
    newPlan,
    () => admin,
    () => ({ ...planTerms, maximum: null, reason: 'Asked for' }),
    { field: 'minimum' },
  ),
  asking(
    newPlan,
    () => admin,
    () => ({ ...planTerms, minimum: 100, reason: 'Asked for' }),
    { field: 'maximum' },
  ),
  asking(
    updatePlan,
    () => admin,
    () => ({ ...planTerms, maximum: null }),
    { field: 'minimum', path: basicPath },
  ),
  asking(
    updatePlan,
    () => admin,
    () => ({ ...planTerms, minimum: 100 }),
    { field: 'maximum', path: basicPath },
  ),
]

describe('invalid amounts of money', () => {
  test('every call with an amount is among those that are checked to refuse it', () => {
    const fields = allCalls.flatMap(({ id, body }) =>
      Object.keys(body?.shape ?? {})
        .filter(field => ['amount', 'minimum', 'maximum'].includes(field))
        .map(field => `${id} ${field}`),
    )
    const checked = new Set(amounts.map(({ call, name }) => `${call} ${name}`))
    expect([...checked].toSorted()).toEqual(fields.toSorted())
  })

  test.each(amounts.map(one => [one.call, one.name, one] as const))(
    '[K-04, D-13] %s refuses it as %s with what to do, and nothing changes',
    async (_call, name, { send }) => {
      const label = name.charAt(0).toUpperCase() + name.slice(1)
      const before = await world.state()
      for (const [json, words] of noAmounts) {
        // Without a maximum a plan is unlimited.
        if (json === 'null' && name === 'maximum') continue
        const message = `${label} ${words}`
        expect(await send(json), json).toMatchObject({ status: 400, message, fields: { [name]: message } })
      }
      expect(await world.state()).toBe(before)
    },
  )

  test('[D-18] an address of a quote takes plain digits only', async () => {
    const before = await world.state()
    for (const [text, words] of noAmountTexts) {
      const query = { method: 'bitcoin', amount: text } as const
      const message = `Amount ${words}`
      expect(await world.call(quoteDeposit, investor, { query }), text).toMatchObject({
        status: 400,
        message,
        fields: { amount: message },
      })
    }
    expect(await world.state()).toBe(before)
  })
})

/** Refused with these words at the amount; or with this code if the amount is valid but not possible now. */
async function expectRefused<C extends CallDefinition>(
  call: C,
  by: Person,
  input: Partial<CallInput<C>>,
  words: object,
) {
  const before = await world.state()
  expect(await world.call(call, by, input)).toMatchObject(words)
  expect(await world.state()).toBe(before)
}
const atAmount = (message: string) => ({ status: 400, message, fields: { amount: message } })
const beyondAll = atAmount('Amount can be at most $9,999,999,999.99')
const over = 10_000_000_000

describe('at the limits', () => {
  test.each(['bitcoin', 'usdt', 'ethereum'] as const)('[K-04] a deposit by %s', async method => {
    const ask = (amount: number) => ({ body: { method, amount } })
    await expectRefused(newDeposit, investor, ask(99.99), atAmount('Minimum deposit is $100'))
    await expectRefused(newDeposit, investor, ask(0.01), atAmount('Minimum deposit is $100'))
    await expectRefused(newDeposit, investor, ask(over), beyondAll)
    for (const amount of [100, 100.01, largest]) {
      expect((await world.call(newDeposit, investor, ask(amount))).data.amount).toBe(amount)
    }
  })

  test.each(['bitcoin', 'usdt', 'ethereum'] as const)('[K-04, D-18] a quote by %s', async method => {
    const ask = (amount: string) => ({ query: { method, amount } })
    await expectRefused(quoteDeposit, investor, ask('99.99'), atAmount('Minimum deposit is $100'))
    await expectRefused(quoteDeposit, investor, ask('10000000000'), beyondAll)
    for (const amount of ['100', '100.5', '9999999999.99']) {
      expect((await world.call(quoteDeposit, investor, ask(amount))).status).toBe(200)
    }
  })

  test.each(['bitcoin', 'usdt', 'balance'] as const)('[D-13] an investment by %s', async method => {
    await world.fund(investor, 1_000_000_000n)
    const ask = (amount: number, plan = 'Basic') => ({ body: { method, plan, amount } })
    const range = atAmount('Amount must be between $100 and $999 for the Basic plan')
    for (const amount of [99.99, 999.01, largest]) {
      await expectRefused(newInvestment, investor, ask(amount), range)
    }
    await expectRefused(newInvestment, investor, ask(over, 'Deluxe'), beyondAll)
    for (const amount of [100, 999]) {
      expect((await world.call(newInvestment, investor, ask(amount))).data.amount).toBe(amount)
    }
    const all = await world.call(newInvestment, investor, ask(largest, 'Deluxe'))
    if (method === 'balance') expect(all).toMatchObject({ status: 409, code: 'insufficient_funds' })
    else expect(all.data.deposit?.amount).toBe(largest)
  })

  test.each(['bitcoin', 'usdt'] as const)(
    "[K-04, D-13] an investment by %s needs the payment's minimum even below the plan's",
    async method => {
      const { data: plans } = await world.call(listPlans, null)
      const { _id: id, version: _, ...terms } = plans.find(plan => plan.name === 'Basic')!
      const update = (minimum: number) =>
        world.call(updatePlan, admin, { params: { id }, body: { ...terms, minimum } })
      await update(0.01)
      // At this price a cent is less than half a minor unit.
      await world.owner("UPDATE app.price_readings SET usd_e8 = usd_e8 * 3 WHERE symbol = 'BTC'")
      const ask = (amount: number) => ({ body: { method, plan: 'Basic', amount } })
      for (const amount of [0.01, 99.99]) {
        const words = 'Minimum deposit is $100. Pay less than that from your balance'
        await expectRefused(newInvestment, investor, ask(amount), atAmount(words))
      }
      expect((await world.call(newInvestment, investor, ask(100))).status).toBe(200)
      await world.fund(investor, 10_000n)
      const body = { method: 'balance', plan: 'Basic', amount: 0.01 } as const
      expect((await world.call(newInvestment, investor, { body })).data.amount).toBe(0.01)
      await update(100)
    },
  )

  test('[C-06] a withdrawal', async () => {
    await world.fund(investor, 12_345n)
    const ask = (amount: number) => ({ body: { ...wallet, amount } })
    const short = { status: 409, message: 'Insufficient funds: $123.45 is available.' }
    await expectRefused(newWithdrawal, investor, ask(123.46), short)
    await expectRefused(newWithdrawal, investor, ask(largest), short)
    await expectRefused(newWithdrawal, investor, ask(over), beyondAll)
    for (const amount of [0.01, 123.44]) {
      expect((await world.call(newWithdrawal, investor, ask(amount))).data.amount).toBe(amount)
    }
    expect(await world.balances(investor)).toEqual({ available: 0n, held: 12_345n, invested: 0n })
  })

  test('[C-15, B-04] an earning, and the return that pays it', async () => {
    const body = { method: 'usdt', plan: 'Basic', amount: 100 } as const
    const { data } = await world.call(newInvestment, investor, { body })
    await world.call(approveInvestment, admin, { params: { id: data._id } })
    const add = (amount: number) => ({ params: { userId: investor.id }, body: { amount } })
    const record = (amount: number) => ({ body: { ...realised, amount } })
    const none = 'Only $0.00 of recorded returns is available; $0.01 needed. Record a realised return first.'
    await expectRefused(addEarning, admin, add(0.01), { status: 409, message: none })
    await expectRefused(newReturn, admin, record(over), beyondAll)
    await expectRefused(addEarning, admin, add(over), beyondAll)
    expect((await world.call(newReturn, admin, record(0.01))).data.amount).toBe(0.01)
    const short = 'Only $0.01 of recorded returns is available; $0.02 needed. Record a realised return first.'
    await expectRefused(addEarning, admin, add(0.02), { status: 409, message: short })
    await world.earn(investor, 1n)
    const most = await world.call(newReturn, admin, record(largest))
    expect(most.data).toMatchObject({ amount: largest, status: 'pending' })
    await world.call(approveReturn, world.secondAdmin, { params: { id: most.data._id } })
    await world.earn(investor, usdFromJson(largest)!)
    expect((await world.balances(investor)).available).toBe(1_000_000_000_000n)
  })

  test('[D4, N-14] a plan: the smallest and largest range, and none that is upside down', async () => {
    const { data: plans } = await world.call(listPlans, null)
    const { _id: id, version: _, ...terms } = plans.find(plan => plan.name === 'Promo')!
    const update = (range: object) => ({ params: { id }, body: { ...terms, ...range } })
    await expectRefused(updatePlan, admin, update({ minimum: 10, maximum: 9.99 }), {
      status: 400,
      fields: { maximum: 'The maximum must be at least the minimum' },
    })
    for (const range of [
      { minimum: 0.01, maximum: 0.01 },
      { minimum: largest, maximum: largest },
      { minimum: 0.01, maximum: null },
    ]) {
      expect((await world.call(updatePlan, admin, update(range))).data).toMatchObject(range)
    }
  })
})
