import { beforeEach, describe, expect, test } from 'vitest'
import { syncNetwork } from '#server/process/sync-network.ts'
import { type Chain, ChainError } from '#server/rails/chain.ts'
import { secondChainOf } from '#server/rails/chains.ts'
import * as call from '#shared/contract/deposits.ts'
import { openAnvil, withoutAnvil } from '#test/support/anvil.ts'
import { usdtPayments } from '#test/support/usdt-payments.ts'
import { derivedRails, type WatchedWorld } from '#test/support/watched.ts'
import type { Person } from '#test/support/world.ts'

/** A second source has to show payments of TRON from $500 on; the first one's word credits $1,000 a day. */

let world: WatchedWorld
let investor: Person
const rails = derivedRails()
const { send, available, shown } = usdtPayments(
  scene => {
    ;({ world, investor } = scene)
    world.clock.pass({ days: 1, minutes: 1 })
  },
  {
    creditSecondCents: 50_000n,
    creditDailyCents: 100_000n,
    rails: { ...rails, usdt: { ...rails.usdt, second: { url: 'http://127.0.0.1:9', apiKey: null } } },
  },
)

/** What the second source does with each answer of the real chain; it is asked by a client of its own. */
let answers: (scanned: Awaited<ReturnType<Chain['scan']>>) => Awaited<ReturnType<Chain['scan']>>
let asked: number
const honest: typeof answers = scanned => scanned
beforeEach(() => {
  answers = honest
  asked = 0
})
const second = (): Chain => ({
  ...world.network.chain,
  scan: async (range, watched) => {
    asked += 1
    return answers(await world.network.chain.scan(range, watched))
  },
})
/** Twice: the first sync holds the payment for the second source, which the next one asks. */
const syncTwice = async () => {
  for (let n = 0; n < 2; n += 1) await syncNetwork(world.services, 'usdt', world.network.chain, second())
}
const confirmed = async (amount: number) => {
  const deposit = await world.ask(investor, amount)
  send(deposit.payment.address, amount)
  world.network.mine(2)
  await syncTwice()
  return deposit
}

describe('[C-14] a payment that a second source must show', () => {
  test('is credited automatically once both show it in the same block', async () => {
    const deposit = await confirmed(500)
    expect(asked).toBe(1)
    expect(await shown(deposit._id)).toMatchObject({
      status: 'paid',
      credited: 500,
      flags: [],
      needsReview: false,
    })
    await syncTwice()
    expect([asked, await available()]).toEqual([1, 50_000n])
    await world.expectSoundBooks()
  })

  test('below the limit needs one source only', async () => {
    const deposit = await confirmed(499.99)
    expect([asked, (await shown(deposit._id)).status]).toEqual([0, 'paid'])
  })

  test.each([
    ['shows no transfer', scanned => ({ ...scanned, transfers: [] })],
    [
      'shows another amount',
      scanned => ({
        ...scanned,
        transfers: scanned.transfers.map(one => ({ ...one, units: one.units - 1n })),
      }),
    ],
    [
      'shows another block',
      scanned => ({
        ...scanned,
        blocks: scanned.blocks.map(block => ({ ...block, hash: 'ab' })),
      }),
    ],
    [
      'cannot be reached',
      () => {
        throw new ChainError('the second source cannot be reached')
      },
    ],
  ] as [string, typeof answers][])('waits with words while it %s; staff can credit it', async (_, answer) => {
    answers = answer
    const deposit = await confirmed(600)
    expect(asked).toBeGreaterThan(0)
    expect(await shown(deposit._id)).toMatchObject({
      status: 'pending',
      flags: ['second_source'],
      needsReview: true,
      label:
        'Confirmed: 600 USDT. A second source has to show it too before we credit it, or our team compares it. The payment is safe.',
    })
    expect(await available()).toBe(0n)
    const { seen } = await shown(deposit._id)
    const params = { id: deposit._id }
    expect(await world.call(call.creditDeposit, world.admin, { params, body: { seen } })).toMatchObject({
      status: 200,
    })
    expect(await available()).toBe(60_000n)
  })

  test('after a reorg it must be shown in the new block', async () => {
    const deposit = await world.ask(investor, 700)
    const transaction = send(deposit.payment.address, 700)
    answers = scanned => ({ ...scanned, transfers: [] })
    world.network.mine(2)
    await syncTwice()
    answers = honest
    world.network.reorg(2)
    world.network.mine(2)
    expect(world.network.isMined(transaction)).toBe(true)
    await syncTwice()
    expect(await shown(deposit._id)).toMatchObject({ status: 'paid', credited: 700 })
  })

  test('agreed payments are not bounded by the daily limit', async () => {
    for (const amount of [900, 900]) expect((await shown((await confirmed(amount))._id)).status).toBe('paid')
    for (const amount of [400, 400]) expect((await shown((await confirmed(amount))._id)).status).toBe('paid')
    const beyond = await confirmed(300)
    // Held for the limit, asked, and shown by both.
    expect(await shown(beyond._id)).toMatchObject({ status: 'paid', credited: 300, flags: [] })
    expect(await available()).toBe(290_000n)
  })

  // Last: what it leaves is compared in any order with what comes later.
  test('is credited however many others the second source never shows', async () => {
    for (const name of ['Otto Other', 'Petra Person', 'Ada Another']) {
      const person = await world.person(name)
      for (let count = 0; count < 7; count += 1) send((await world.ask(person, 600)).payment.address, 600)
    }
    const deposit = await world.ask(investor, 700)
    const agreed = send(deposit.payment.address, 700)
    answers = scanned => ({
      ...scanned,
      transfers: scanned.transfers.filter(({ transactionId }) => transactionId === agreed),
    })
    world.network.mine(2)
    await expect
      .poll(
        async () => {
          await syncTwice()
          return (await shown(deposit._id)).status
        },
        { timeout: 30_000 },
      )
      .toBe('paid')
  })
})

test.skipIf(withoutAnvil)('the second source of Ethereum is a node of its own', async () => {
  const [first, other] = [await openAnvil(), await openAnvil()]
  const settings = { ...rails.ethereum, chainId: 31_337, rpcUrl: first.url }
  const of = (secondRpcUrl: string | null) =>
    secondChainOf({ mode: 'demo', rails: { ...rails, ethereum: { ...settings, secondRpcUrl } } }, 'ethereum')
  expect(of(null)).toBeUndefined()
  await other.mine(3)
  expect((await of(other.url)!.tip()).height).toBe(3)
  expect((await of(first.url)!.tip()).height).toBe(0)
})
