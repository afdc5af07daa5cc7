import { beforeAll, describe, expect, test } from 'vitest'
import { worthInCents } from '#server/rails/rail.ts'
import * as call from '#shared/contract/deposits.ts'
import { getInvestment, newInvestment } from '#shared/contract/investments.ts'
import { usdToJson } from '#shared/money.ts'
import { openWatchedWorld, type WatchedWorld } from '#test/support/watched.ts'
import type { Person } from '#test/support/world.ts'
import { expireDeposits } from './expire.ts'

/** The rates of late payments, recorded or not (D5). */

const symbols = { bitcoin: 'BTC', ethereum: 'ETH' } as const
type Method = keyof typeof symbols

let worlds: Record<Method, WatchedWorld>
beforeAll(async () => {
  worlds = { bitcoin: await openWatchedWorld('bitcoin'), ethereum: await openWatchedWorld('ethereum') }
})

/** One world for each method; its people and rates are new. */
async function opened(method: Method) {
  const world = worlds[method]
  const investor = await world.person('Ines Investor')
  await world.refreshPrices()
  await world.sync()
  const symbol = symbols[method]
  return {
    ...world,
    investor,
    /** The quote's amount, in minor units. */
    unitsOf: ({ payment }: { payment: { amountCrypto: string } }) =>
      BigInt(payment.amountCrypto.replace('.', '')),
    /** A confirmed payment. */
    pay: async (to: string, units: bigint, token?: 'USDT') => {
      const id = world.network.send({ to, units, ...(token && { token }) })
      world.network.mine(2)
      await world.sync()
      return id
    },
    /** Sources agree on a new rate. @returns it */
    newRate: async () => {
      await world.refreshPrices()
      const { rows } = await world.owner(
        `SELECT usd_e8 FROM app.price_readings WHERE symbol = '${symbol}' ORDER BY at DESC LIMIT 1`,
      )
      return BigInt(rows[0].usd_e8)
    },
    worth: (units: bigint, rateE8: bigint) => usdToJson(worthInCents(symbol, units, rateE8)),
    shown: (id: string) => world.deposit(investor, id),
    available: async () => usdToJson((await world.balances(investor)).available),
    credit: (id: string, body: object = {}, by: Person = world.admin) =>
      world.call(call.creditDeposit, by, { params: { id }, body }),
    quote: async () =>
      (await world.call(call.quoteDeposit, investor, { query: { method, amount: '150' } })).data,
    own: async () => (await world.call(call.listOwnDeposits, investor)).data,
  }
}

const enteredRate = { rate: '50000', rateSource: 'Two exchanges' }

describe.each(['bitcoin', 'ethereum'] as const)('a late %s payment', method => {
  test('[D5] is credited at the rate of its arrival', async () => {
    const world = await opened(method)
    const deposit = await world.ask(world.investor, 1000)
    world.clock.pass({ days: 1 })
    const rate = await world.newRate()
    const units = world.unitsOf(deposit)
    await world.pay(deposit.payment.address, units)
    const credited = world.worth(units, rate)
    expect(credited).not.toBe(1000)
    expect(await world.shown(deposit._id)).toMatchObject({ stage: 'paid_late', deviation: 'late', credited })
    expect(await world.available()).toBe(credited)
    await world.expectSoundBooks()
  })

  test('[D5] in parts is credited at the rate of each', async () => {
    const world = await opened(method)
    const deposit = await world.ask(world.investor, 1000)
    const first = world.unitsOf(deposit) / 4n
    const rest = world.unitsOf(deposit) - first
    await world.pay(deposit.payment.address, first)
    expect(await world.shown(deposit._id)).toMatchObject({ stage: 'paid_under', credited: 250 })
    world.clock.pass({ minutes: 20 * 60 })
    const rate = await world.newRate()
    await world.pay(deposit.payment.address, rest)
    const { credited, received } = await world.shown(deposit._id)
    expect(received).toBe(deposit.payment.amountCrypto)
    // A quarter at the locked rate, to the cent, and the rest at its own.
    expect(Math.abs(credited! - (250 + world.worth(rest, rate)))).toBeLessThan(0.015)
    await world.expectSoundBooks()
  })

  test('[D5] underpaid and without a rate is flagged, and its investor cannot credit it', async () => {
    const world = await opened(method)
    const deposit = await world.ask(world.investor, 1000)
    world.clock.pass({ minutes: 20 * 60 })
    await world.pay(deposit.payment.address, world.unitsOf(deposit) / 4n)
    expect(await world.shown(deposit._id)).toMatchObject({
      ...{ status: 'pending', stage: 'confirmed', canCredit: false, flags: ['rate_missing'] },
    })
    const own = () => world.call(call.creditOwnDeposit, world.investor, { params: { id: deposit._id } })
    expect(await own()).toMatchObject({
      status: 409,
      reason: 'rate_missing',
    })
    expect(await world.available()).toBe(0)
  })

  test('[D5] without a recorded rate waits for staff to enter one', async () => {
    const world = await opened(method)
    const deposit = await world.ask(world.investor, 1000)
    world.clock.pass({ days: 2 })
    await world.pay(deposit.payment.address, 10_000_000n)
    const waiting = {
      status: 'pending',
      stage: 'confirmed',
      label: expect.stringMatching(
        method === 'bitcoin'
          ? /^Confirmed: 0\.1 BTC\. No rate is on record/
          : /^Confirmed: .* ETH of .* No rate is on record .* Send the remaining/,
      ),
      flags: ['rate_missing'],
      needsReview: true,
      canCredit: false,
    }
    expect(await world.shown(deposit._id)).toMatchObject(waiting)
    await expireDeposits(world.services)
    expect(await world.shown(deposit._id)).toMatchObject(waiting)
    expect(await world.credit(deposit._id)).toMatchObject({
      code: 'invalid_input',
      fields: { rate: expect.stringContaining('on record') },
    })
    expect(await world.credit(deposit._id, { rate: '50000' })).toMatchObject({ code: 'invalid_input' })
    const units = 10_000_000n
    const credited = world.worth(units, 5_000_000_000_000n)
    expect(await world.credit(deposit._id, enteredRate)).toMatchObject({
      data: {
        stage: 'paid_late',
        credited,
        arrivalRate: '50,000.00',
        arrivalRateSource: enteredRate.rateSource,
        flags: [],
      },
    })
    expect(await world.available()).toBe(credited)
    await world.expectSoundBooks()
  })
})

test('[D5] a late payment without a rate is credited at the rate that staff enter', async () => {
  const world = await opened('bitcoin')
  const deposit = await world.ask(world.investor, 250)
  await world.pay(deposit.payment.address, world.unitsOf(deposit))
  world.clock.pass({ days: 1 })
  await world.pay(deposit.payment.address, 1_000_000n)
  expect(await world.shown(deposit._id)).toMatchObject({
    status: 'paid',
    credited: 250,
    flags: ['rate_missing'],
    needsReview: true,
    label: expect.stringContaining('Another 0.01 BTC arrived'),
  })
  expect(await world.credit(deposit._id, enteredRate, world.investor)).toMatchObject({ status: 403 })
  expect(await world.credit(deposit._id, enteredRate)).toMatchObject({
    status: 200,
    data: { credited: 750, flags: [] },
  })
  expect(await world.available()).toBe(750)
  expect(await world.credit(deposit._id, enteredRate)).toMatchObject({ status: 409, code: 'wrong_state' })
  await world.sync()
  expect(await world.available()).toBe(750)
  await world.expectSoundBooks()
})

test('[D5] an entered rate holds for its time; other transfers wait for theirs', async () => {
  const world = await opened('bitcoin')
  const deposit = await world.ask(world.investor, 250)
  await world.pay(deposit.payment.address, world.unitsOf(deposit))
  world.clock.pass({ days: 1 })
  await world.pay(deposit.payment.address, 1_000_000n)
  world.clock.pass({ days: 1 })
  await world.pay(deposit.payment.address, 1_000_000n)
  expect(await world.credit(deposit._id, enteredRate)).toMatchObject({
    data: { credited: 750, flags: ['rate_missing'] },
  })
  expect(await world.credit(deposit._id, { ...enteredRate, rate: '60000' })).toMatchObject({
    data: { credited: 1350, flags: [] },
  })
})

test('[D5] a part without a rate delays no other, unless an investment needs both', async () => {
  const world = await opened('bitcoin')
  const deposit = await world.ask(world.investor, 1000)
  const { data: investment } = await world.call(newInvestment, world.investor, {
    body: { method: 'bitcoin', plan: 'Beginner', amount: 1000 },
  })
  const paid = investment.deposit!.payment!
  for (const to of [deposit.payment, paid]) world.network.send({ to: to.address, units: 100_000n })
  world.network.mine(2)
  await world.sync()
  world.clock.pass({ days: 2 })
  for (const to of [deposit.payment, paid]) world.network.send({ to: to.address, units: 5_000_000n })
  world.network.mine(2)
  await world.sync()
  const { status, flags, received } = await world.shown(deposit._id)
  expect({ status, flags, received }).toEqual({
    status: 'paid',
    flags: ['rate_missing'],
    received: '0.00100000',
  })
  const funds = await world.shown(investment.deposit!._id)
  expect([funds.status, funds.flags]).toEqual(['pending', ['rate_missing']])
  const invested = async () =>
    (await world.call(getInvestment, world.investor, { params: { id: investment._id } })).data.status
  expect(await invested()).toBe('pending')
  expect(await world.credit(funds._id, enteredRate)).toMatchObject({ data: { status: 'paid', flags: [] } })
  expect(await invested()).toBe('pending')
  expect((await world.balances(world.investor)).held).toBe(100_000n)
  await world.expectSoundBooks()
})

describe('an unsolicited payment', () => {
  test('[D5] without a rate of its arrival waits for staff to enter one', async () => {
    const world = await opened('bitcoin')
    const { address } = await world.quote()
    world.clock.pass({ days: 1 })
    await world.pay(address, 1_000_000n)
    const [deposit] = await world.own()
    expect(deposit).toMatchObject({
      status: 'pending',
      flags: ['unsolicited', 'rate_missing'],
      needsReview: true,
    })
    expect(await world.available()).toBe(0)
    // There is no locked rate to approve it at.
    const params = { id: deposit!._id }
    expect(await world.call(call.approveDeposit, world.admin, { params, body: {} })).toMatchObject({
      reason: 'unsolicited_without_rate',
    })
    expect(await world.credit(deposit!._id, enteredRate)).toMatchObject({
      data: { status: 'paid', credited: 500, flags: ['unsolicited'] },
    })
    expect(await world.available()).toBe(500)
    await world.expectSoundBooks()
  })

  test('[D5] with a rate does not wait for an earlier one without', async () => {
    const world = await opened('bitcoin')
    const { address } = await world.quote()
    world.clock.pass({ days: 1 })
    world.network.send({ to: address, units: 1_000_000n })
    world.network.mine(1)
    await world.sync()
    world.clock.pass({ days: 1 })
    const rate = await world.newRate()
    await world.pay(address, 2_000_000n)
    const [deposit] = await world.own()
    expect(deposit).toMatchObject({
      status: 'paid',
      credited: world.worth(2_000_000n, rate),
      flags: ['unsolicited', 'rate_missing'],
    })
  })

  test('[D5] in a wrong asset is flagged and not credited; the right coin still is', async () => {
    const world = await opened('ethereum')
    const { address } = await world.quote()
    await world.pay(address, 150_000_000n, 'USDT')
    await world.sync()
    const [deposit, ...others] = await world.own()
    expect(others).toEqual([])
    expect(deposit).toMatchObject({
      status: 'unpaid',
      amount: 150,
      flags: ['unsolicited', 'wrong_asset'],
      needsReview: true,
      label: expect.stringContaining('not credited but is safe'),
    })
    expect(await world.available()).toBe(0)
    const rate = await world.newRate()
    await world.pay(address, 100_000_000n)
    expect(await world.available()).toBe(world.worth(100_000_000n, rate))
    await world.expectSoundBooks()
  })

  test('[D5] of dust alone makes no deposit', async () => {
    const world = await opened('bitcoin')
    const { address } = await world.quote()
    await world.pay(address, 545n)
    expect(await world.own()).toEqual([])
  })
})

describe.each(['bitcoin', 'ethereum'] as const)('a %s payment seen in its window', method => {
  /** Pays within the window; it confirms this long after the end, when the rate is this many percent of the locked one. */
  async function confirmedAfter(minutes: number, percent: number) {
    const world = await opened(method)
    const deposit = await world.ask(world.investor, 1000)
    const units = world.unitsOf(deposit)
    const id = world.network.send({ to: deposit.payment.address, units })
    await world.sync()
    world.clock.pass({ minutes: 15 + minutes })
    await world.owner(`
      DELETE FROM app.price_history WHERE symbol = '${symbols[method]}';
      INSERT INTO app.price_history (symbol, source, usd_e8, sample, at)
      SELECT symbol, source, (SELECT rate_e8 FROM app.deposits WHERE id = '${deposit._id}') * ${percent} / 100, sample,
             '${world.clock.now().toISOString()}'
        FROM app.price_readings WHERE symbol = '${symbols[method]}'`)
    const confirm = async () => {
      world.network.mine(2)
      await world.sync()
      return world.shown(deposit._id)
    }
    return { ...world, deposit, units, id, confirm }
  }

  test.each([50, 200])('[D5] keeps its rate for an hour, at %s%% of it', async percent => {
    const { confirm } = await confirmedAfter(58, percent)
    expect(await confirm()).toMatchObject({ status: 'paid', deviation: null, credited: 1000 })
  })

  test('[D5] confirmed later, is credited at the lower rate of its confirmation', async () => {
    const { confirm } = await confirmedAfter(62, 50)
    const { deviation, credited } = await confirm()
    expect(deviation).toBe('late')
    expect(Math.abs(credited! - 500)).toBeLessThan(0.02)
  })

  test('[D5] confirmed later, is credited at the locked rate if that is lower', async () => {
    const { confirm, expectSoundBooks } = await confirmedAfter(62, 200)
    const { deviation, credited, label } = await confirm()
    expect(deviation).toBe('late')
    expect(Math.abs(credited! - 1000)).toBeLessThan(0.02)
    expect(label).toContain('at the locked rate, $')
    await expectSoundBooks()
  })

  test('[D5] and replaced after it, chooses no rate either', async () => {
    const { network, sync, deposit, units, id, confirm } = await confirmedAfter(10, 200)
    network.drop(id)
    await sync()
    network.send({ to: deposit.payment.address, units })
    const { deviation, credited } = await confirm()
    expect(deviation).toBe('late')
    expect(Math.abs(credited! - 1000)).toBeLessThan(0.02)
  })
})
