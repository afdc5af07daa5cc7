import { describe, expect, test } from 'vitest'
import { resumeAfter } from '#server/chain/resume.ts'
import { syncNetwork } from '#server/process/sync-network.ts'
import type { Chain } from '#server/rails/chain.ts'
import { addressKey } from '#shared/addresses.ts'
import { chainOverview, freezeUser, unfreezeUser } from '#shared/contract/console.ts'
import * as calls from '#shared/contract/payouts.ts'
import { getWithdrawal } from '#shared/contract/withdrawals.ts'
import { fundedInvestor, payingRails, payoutsIn, senders } from '#test/support/payouts.ts'
import { openWatchedWorld } from '#test/support/watched.ts'
import { addresses, withdrawalsIn } from '#test/support/withdrawals.ts'

/**
 * A machine with a wrong clock. The network's state at a batch's creation tells its own transfers from others, so the
 * blocks here have their own times, which do not follow the product's clock.
 */

const wallets = { usdt: 'USDT TRC-20', ethereum: 'USDT ERC-20' } as const
const methods = ['usdt', 'ethereum'] as const
const units = 100_000_000n

/** A network with a block every three seconds, and a machine that is this many minutes ahead of it. */
async function opened(method: (typeof methods)[number], minutes = 0) {
  let time = Date.now() - 60_000
  const now = () => {
    time += 3_000
    return new Date(time)
  }
  const world = await openWatchedWorld(
    method,
    { token: 'USDT', now },
    { rails: payingRails.rails, rateLimit: false },
  )
  const investor = await fundedInvestor(world, 1_000_000n)
  let used = 0
  const chain: Chain = {
    ...world.network.chain,
    ...(method === 'ethereum' && { nonces: async () => ({ next: used, settled: used }) }),
  }
  const syncNow = () => syncNetwork(world.services, method, chain)
  const mined = async (count = 1) => {
    world.network.mine(count)
    await syncNow()
  }
  await syncNow()
  world.clock.pass({ minutes })
  const payouts = payoutsIn(() => world)
  const wallet = wallets[method]
  /** All to one address. */
  const approved = async () => {
    const to = { wallet, walletAddress: addresses[wallet] }
    return (await withdrawalsIn(() => world).approved(investor, 100, to))._id
  }
  return {
    ...payouts,
    world,
    investor,
    chain,
    syncNow,
    mined,
    approved,
    wallet: { wallet },
    /** A batch of one new withdrawal. */
    made: async () => {
      const withdrawal = await approved()
      await syncNow()
      return { withdrawal, ...(await payouts.make([withdrawal], { wallet })).data }
    },
    /** A transfer by the sender, unconfirmed. */
    sent: () => {
      used += 1
      return world.network.send({ to: addresses[wallet], units, from: [addressKey(senders[method])] })
    },
    /** A block whose producer's clock is this many minutes ahead of all others. */
    misdated: async (ahead: number) => {
      time += ahead * 60_000
      await mined()
      time -= ahead * 60_000
    },
    /** Time passes for everyone. */
    pass: (hours: number) => {
      time += hours * 3_600_000
      world.clock.pass({ minutes: hours * 60 })
    },
    item: async (id: string) => (await payouts.get(id)).data.items[0]!,
    statusOf: async (id: string) =>
      (await world.call(getWithdrawal, investor, { params: { id } })).data.status,
  }
}

const clocks = [
  { clock: 'ten minutes ahead', minutes: 10 },
  { clock: 'four minutes behind', minutes: -4 },
]
const cases = methods.flatMap(method => clocks.map(of => ({ method, ...of })))

describe.each(cases)('[S-04] $method, by a clock that is $clock', ({ method, minutes }) => {
  test('a transfer confirmed at once is recognised and marks its withdrawal as paid once', async () => {
    const { world, investor, made, sent, mined, syncNow, get, item, cancel, download, statusOf } =
      await opened(method, minutes)
    const { _id: id, withdrawal } = await made()
    expect((await download(id)).statusCode).toBe(200)
    const transactionId = sent()
    await mined()
    expect(await item(id)).toMatchObject({ state: 'open', transactionId })
    expect(await cancel(id)).toMatchObject({ status: 409, code: 'wrong_state' })
    await mined()
    expect((await get(id)).data).toMatchObject({ status: 'paid', paid: 1, alerts: 0 })
    expect(await statusOf(withdrawal)).toBe('paid')
    const after = await world.balances(investor)
    expect(after).toEqual({ available: 990_000n, held: 0n, invested: 0n })
    await mined()
    await syncNow()
    expect(await world.balances(investor)).toEqual(after)
    await world.expectSoundBooks()
  })

  test('a paid but unassessed batch is neither cancelled nor paid again', async () => {
    const { world, investor, made, make, wallet, sent, mined, get, cancel, download, pass } = await opened(
      method,
      minutes,
    )
    const { _id: id, withdrawal } = await made()
    await download(id)
    const params = { id: investor.id }
    const reason = { reason: 'Asked for' }
    await world.call(freezeUser, world.admin, { params, body: reason })
    sent()
    await mined(3)
    // It has expired, and its nonce is used.
    pass(22)
    await mined(3)
    for (const who of [world.admin, world.secondAdmin]) {
      expect(await cancel(id, who)).toMatchObject({
        status: 409,
        reason: 'transfers_unsettled',
      })
    }
    expect((await make([withdrawal], wallet)).status).not.toBe(200)
    await world.call(unfreezeUser, world.admin, { params, body: reason })
    await mined()
    expect((await get(id)).data).toMatchObject({ status: 'paid', paid: 1 })
    expect(await cancel(id)).toMatchObject({ status: 409, code: 'wrong_state' })
  })

  test('an older transfer of the same amount to the same payee does not pay it', async () => {
    const { made, sent, mined, cancel, item } = await opened(method, minutes)
    // The worker syncs this address for the first batch, so it stores the transfer before the second batch is created.
    const before = await made()
    expect((await cancel(before._id)).status).toBe(200)
    sent()
    await mined()
    const { _id: id } = await made()
    await mined(3)
    expect(await item(id)).toMatchObject({ state: 'open', transactionId: null, alert: null })
    const transactionId = sent()
    await mined(2)
    expect(await item(id)).toMatchObject({ state: 'paid', transactionId })
  })

  test('nor does one that was unconfirmed when the batch was created', async () => {
    const { world, made, sent, mined, syncNow, cancel, item } = await opened(method, minutes)
    const before = await made()
    expect((await cancel(before._id)).status).toBe(200)
    const older = sent()
    await syncNow()
    const { _id: id } = await made()
    expect(world.network.isMined(older)).toBe(false)
    await mined(3)
    expect(await item(id)).toMatchObject({ state: 'open', transactionId: null, alert: null })
  })

  test('nor does one that is first found when older blocks are synced again', async () => {
    const { world, chain, made, sent, mined, syncNow, item } = await opened(method, minutes)
    const height = world.network.height()
    sent()
    await mined(11)
    const { _id: id } = await made()
    await resumeAfter(world.services, { method, chain, height })
    await syncNow()
    const { rows } = await world.owner(`SELECT block_height FROM app.chain_transfers`)
    expect(rows).toEqual([{ block_height: height + 1 }])
    expect(await item(id)).toMatchObject({ state: 'open', transactionId: null, alert: null })
    const transactionId = sent()
    await mined(2)
    expect(await item(id)).toMatchObject({ state: 'paid', transactionId })
  })

  test('a transfer is recognised although the last block before it was dated ahead', async () => {
    const { made, mined, misdated, sent, item } = await opened(method, Math.max(0, minutes))
    await mined(5)
    await misdated(4)
    const { _id: id } = await made()
    const transactionId = sent()
    await mined(2)
    expect(await item(id)).toMatchObject({ state: 'paid', transactionId })
  })

  test('a transfer in a reorganised block is recognised', async () => {
    const { world, made, sent, mined, syncNow, item } = await opened(method, minutes)
    await mined(3)
    const { _id: id } = await made()
    const transactionId = sent()
    // Three blocks are replaced, and it is in the first new one.
    world.network.cut(3)
    world.network.mine(4)
    await syncNow()
    expect(await item(id)).toMatchObject({ state: 'paid', transactionId })
  })
})

test('[S-04] TRON: with a clock ahead, a dropped transfer may confirm for a day past expiry', async () => {
  const { world, made, sent, mined, syncNow, cancel, download, pass } = await opened('usdt', 10)
  const { _id: id } = await made()
  await download(id)
  const transactionId = sent()
  await mined()
  world.network.reorg(1)
  world.network.drop(transactionId)
  await syncNow()
  pass(22)
  await mined(3)
  expect(await cancel(id)).toMatchObject({
    status: 409,
    reason: 'transfer_dropped',
  })
  pass(3)
  await mined(3)
  expect((await cancel(id)).status).toBe(200)
})

describe.each(methods)('[S-04] %s, by a clock that is ten minutes behind', method => {
  test('no batch is created, and the console says why, until the clock is right', async () => {
    const { world, approved, make, wallet, mined, unchanged } = await opened(method, -10)
    const withdrawal = await approved()
    await expect(mined()).rejects.toThrow(/is in the future/)
    await unchanged(async () =>
      expect(await make([withdrawal], wallet)).toMatchObject({
        status: 409,
        code: 'wrong_state',
        reason: 'not_synced',
      }),
    )
    const { data } = await world.call(chainOverview, world.admin)
    expect(data.rails.find(rail => rail.method === method)?.cursor?.syncError).toMatch(
      /is in the future: the node or this machine's clock is wrong$/,
    )
    world.clock.pass({ minutes: 10 })
    await mined()
    expect((await make([withdrawal], wallet)).status).toBe(200)
  })

  test('an earlier batch cannot be cancelled meanwhile, and is recognised afterwards', async () => {
    const { world, made, sent, mined, cancel, download, get } = await opened(method)
    const { _id: id } = await made()
    await download(id)
    sent()
    world.clock.pass({ minutes: -10 })
    await expect(mined()).rejects.toThrow(/is in the future/)
    expect(await cancel(id)).toMatchObject({ status: 409, code: 'wrong_state' })
    world.clock.pass({ minutes: 10 })
    await mined()
    expect((await get(id)).data).toMatchObject({ status: 'paid', paid: 1 })
  })
})

test('[S-04] TRON batches need a recent sync, so that no older transfer is mistaken for one', async () => {
  const { world, approved, syncNow, wallet } = await opened('usdt')
  const withdrawal = await approved()
  const make = () =>
    world.call(calls.newPayout, world.admin, { body: { ...wallet, withdrawals: [withdrawal] } })
  world.clock.pass({ minutes: 3 })
  expect(await make()).toMatchObject({
    status: 409,
    code: 'wrong_state',
    reason: 'not_synced',
  })
  await syncNow()
  expect((await make()).status).toBe(200)
})
