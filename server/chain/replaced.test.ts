import { expect, test } from 'vitest'
import { expireDeposits } from '#server/deposits/expire.ts'
import { syncNetwork } from '#server/process/sync-network.ts'
import { addressKey } from '#shared/addresses.ts'
import * as call from '#shared/contract/deposits.ts'
import { approveInvestment, getInvestment, newInvestment } from '#shared/contract/investments.ts'
import { approveWithdrawal, declineWithdrawal, newWithdrawal } from '#shared/contract/withdrawals.ts'
import { scriptedChain } from '#test/support/scripted-chain.ts'
import { usdtPayments } from '#test/support/usdt-payments.ts'
import { derivedRails, openWatchedWorld, type WatchedWorld } from '#test/support/watched.ts'
import { openWorld, type Person } from '#test/support/world.ts'

let world: WatchedWorld
let investor: Person
const { usdt, send, confirmed, available, shown } = usdtPayments(scene => {
  ;({ world, investor } = scene)
})
const statusOf = async (id: string) =>
  (await world.call(getInvestment, investor, { params: { id } })).data.status

async function invest(amount: number) {
  const { data } = await world.call(newInvestment, investor, {
    body: { method: 'usdt', plan: 'Beginner', amount },
  })
  return { id: data._id, deposit: data.deposit!, address: data.deposit!.payment!.address }
}

test('[B-03] a transaction that pays another deposit is no evidence, confirmed or not', async () => {
  const other = await world.person('Otto Other')
  const mine = await world.ask(investor, 250)
  const theirs = await world.ask(other, 250)
  const transactionId = send(theirs.payment.address, 250)
  world.network.mine(1)
  await world.sync()
  expect(
    await world.call(call.approveDeposit, world.admin, { params: { id: mine._id }, body: { transactionId } }),
  ).toMatchObject({ code: 'transaction_reused' })
  world.network.mine(2)
  await world.sync()
  expect([await available(), await available(other)]).toEqual([0n, 25_000n])
})

test('a reversed deposit expires although its investment has started', async () => {
  const { id, deposit, address } = await invest(500)
  const transaction = send(address, 500)
  world.network.mine(2)
  await world.sync()
  await world.call(approveInvestment, world.admin, { params: { id } })
  world.network.reorg(2, { drop: [transaction] })
  await world.sync()
  world.clock.pass({ days: 2 })
  await world.sync()
  await expireDeposits(world.services)
  expect((await shown(deposit._id)).status).toBe('unpaid')
  expect(await statusOf(id)).toBe('active')
})

test('an unpaid deposit that was paid late and reversed is unpaid again', async () => {
  const deposit = await world.ask(investor, 500)
  world.clock.pass({ days: 2 })
  await world.sync()
  await expireDeposits(world.services)
  const transaction = send(deposit.payment.address, 500)
  world.network.mine(2)
  await world.sync()
  expect((await shown(deposit._id)).status).toBe('paid')
  world.network.reorg(2, { drop: [transaction] })
  await world.sync()
  world.clock.pass({ days: 2 })
  await world.sync()
  await expireDeposits(world.services)
  expect((await shown(deposit._id)).status).toBe('unpaid')
})

test('a reversal applies to a frozen account, whatever else has arrived', async () => {
  const deposit = await confirmed(250)
  await world.owner(
    `UPDATE app.users SET frozen_at = now(), frozen_by = '${world.admin.id}', freeze_reason = 'x' WHERE id = '${investor.id}'`,
  )
  world.network.reorg(2, { drop: [deposit.transaction] })
  send(deposit.payment.address, 251)
  world.network.mine(2)
  await world.sync()
  expect(await available()).toBe(0n)
})

test('a manual credit whose transfer was dropped is flagged', async () => {
  const deposit = await confirmed(250, 250, 1)
  await world.call(call.approveDeposit, world.admin, { params: { id: deposit._id }, body: {} })
  world.network.mine(2)
  await world.sync()
  world.network.reorg(3, { drop: [deposit.transaction] })
  await world.sync()
  expect((await shown(deposit._id)).flags).toContain('reversed')
})

test('[B-03] a replacement counts only once the sync has reached the tip', async () => {
  const deposit = await confirmed(250)
  const byHand = await confirmed(300, 300, 1)
  await world.call(call.approveDeposit, world.admin, { params: { id: byHand._id }, body: {} })
  world.network.mine(1)
  await world.sync()
  world.network.reorg(4, { drop: [deposit.transaction, byHand.transaction] })
  send(deposit.payment.address, 250)
  send(byHand.payment.address, 300)
  world.network.mine(60)
  let scans = 0
  world.network.setBefore(what => {
    if (what !== 'scan') return
    scans += 1
    if (scans === 2) throw new Error('away')
  })
  await expect(world.sync()).rejects.toThrow('away')
  world.network.setBefore(undefined)
  expect(await available()).toBe(55_000n)
  await world.sync()
  expect(await available()).toBe(55_000n)
  await world.expectSoundBooks()
})

test('a debt blocks withdrawals; a declined one repays it', async () => {
  const deposit = await confirmed(250)
  const body = {
    amount: 200,
    wallet: 'Bitcoin (BTC)',
    address: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq',
  } as const
  const { data } = await world.call(newWithdrawal, investor, { body })
  world.network.reorg(2, { drop: [deposit.transaction] })
  await world.sync()
  const params = { id: data._id }
  expect(await world.call(approveWithdrawal, world.admin, { params })).toMatchObject({
    status: 409,
    code: 'wrong_state',
  })
  await world.call(declineWithdrawal, world.admin, { params, body: { reason: 'Payment reversed' } })
  expect(await available()).toBe(0n)
  await world.expectSoundBooks()
})

test('approving without an amount is refused if the network shows less', async () => {
  const deposit = await world.ask(investor, 250)
  send(deposit.payment.address, 100)
  // Confirmed, it would be credited at once.
  world.network.mine(1)
  await world.sync()
  const approve = (body: { received?: string }) =>
    world.call(call.approveDeposit, world.admin, { params: { id: deposit._id }, body })
  expect(await approve({})).toMatchObject({ status: 400, code: 'invalid_input' })
  expect(await approve({ received: '100' })).toMatchObject({ status: 200 })
  expect(await available()).toBe(10_000n)
})

test('a transfer mined during a sync is not marked as dropped', async () => {
  const { deposit, address } = await invest(500)
  send(address, 500)
  await world.sync()
  world.clock.pass({ days: 1, minutes: 16 })
  world.network.setBefore(what => {
    if (what !== 'pending') return
    world.network.setBefore(undefined)
    world.network.mine(1)
  })
  await world.sync()
  await expireDeposits(world.services)
  expect((await shown(deposit._id)).status).toBe('pending')
})

test('a deposit waits for its seen remainder beyond its deadline', async () => {
  const { id, address } = await invest(500)
  send(address, 100)
  world.network.mine(2)
  await world.sync()
  world.clock.pass({ days: 1, minutes: 10 })
  send(address, 400)
  await world.sync()
  world.clock.pass({ minutes: 6 })
  await world.sync()
  expect(await statusOf(id)).toBe('pending')
})

test('[D5] a dropped transfer that returns counts at its new rate', async () => {
  const there = await openWatchedWorld('bitcoin')
  const who = await there.person('Ines Investor')
  await there.sync()
  const deposit = await there.ask(who, 5000)
  const units = BigInt(Math.round(Number(deposit.payment.amountCrypto) * 1e8))
  const payment = { id: 'ab'.repeat(32), to: deposit.payment.address, units }
  there.network.send(payment)
  await there.sync()
  there.network.drop(payment.id)
  await there.sync()
  there.clock.pass({ days: 10 })
  await there.sync()
  await there.refreshPrices()
  there.network.send(payment)
  there.network.mine(2)
  await there.sync()
  expect(await there.deposit(who, deposit._id)).toMatchObject({ status: 'paid', deviation: 'late' })
})

test.each([
  { missed: 14, deviation: null },
  { missed: 16, deviation: 'late' },
])(
  '[D5] a transfer missing from the mempool for $missed minutes: $deviation',
  async ({ missed, deviation }) => {
    const deposit = await world.ask(investor, 250)
    const payment = { id: `${missed}`.repeat(32), to: deposit.payment.address, units: usdt(250) }
    world.clock.pass({ minutes: 5 })
    world.network.send(payment)
    await world.sync()
    world.network.drop(payment.id)
    await world.sync()
    world.clock.pass({ minutes: missed })
    world.network.send(payment)
    await world.sync()
    world.network.mine(2)
    await world.sync()
    expect(await shown(deposit._id)).toMatchObject({ status: 'paid', deviation })
  },
)

test('a transfer to a shared address is never credited automatically', async () => {
  const there = await openWorld({ rails: derivedRails({ usdt: null }) })
  const network = scriptedChain({ token: 'USDT', now: () => there.clock.now() })
  const who = await there.person('Theo Investor')
  await syncNetwork(there.services, 'usdt', network.chain)
  const { data } = await there.call(call.newDeposit, who, { body: { method: 'usdt', amount: 100 } })
  network.mine(3)
  await there.owner(`
    INSERT INTO app.chain_transfers (rail, transaction_id, position, address, token, units, senders, seen_at,
                                     block_height, block_hash, block_time)
    VALUES ('usdt', '${'c'.repeat(64)}', 1, '${addressKey(data.payment.address)}', 'USDT', 5000000000, '{}', now(),
            101, 'h', now())`)
  await syncNetwork(there.services, 'usdt', network.chain)
  expect(await there.call(call.creditOwnDeposit, who, { params: { id: data._id } })).toMatchObject({
    code: 'wrong_state',
  })
  expect((await there.balances(who)).available).toBe(0n)
})
