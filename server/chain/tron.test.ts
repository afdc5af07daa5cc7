import { beforeAll, beforeEach, expect, test } from 'vitest'
import { checkBooks } from '#server/ledger/invariants.ts'
import { syncNetwork } from '#server/process/sync-network.ts'
import type { Chain } from '#server/rails/chain.ts'
import { tronAddress } from '#server/rails/tron/addresses.ts'
import type { TronPayoutFile } from '#server/rails/tron/payouts.ts'
import { tronChain } from '#server/rails/tron/trongrid.ts'
import { tronNetwork } from '#server/rails/tron.ts'
import { getWithdrawal } from '#shared/contract/withdrawals.ts'
import { payoutsIn } from '#test/support/payouts.ts'
import { startTronGrid, type TronGrid, tronWallet } from '#test/support/tron-grid.ts'
import { derivedRails } from '#test/support/watched.ts'
import { withdrawalsIn } from '#test/support/withdrawals.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'

/** TRON payouts end to end, with a chain and a wallet that signs the files. */

const wallet = 'USDT TRC-20'
const confirmations = 3
const { contract } = tronNetwork({ testNetwork: true })
let grid: TronGrid
let world: World
let chain: Chain
let investor: Person
beforeAll(async () => {
  grid = await startTronGrid(contract)
  const rails = derivedRails()
  const usdt = { ...rails.usdt, url: grid.url, confirmations, payoutAddress: tronWallet.address }
  world = await openWorld({ rails: { ...rails, usdt }, rateLimit: false })
  chain = tronChain({
    url: grid.url,
    apiKey: undefined,
    contract,
    confirmations,
    requestsPerSecond: 100_000,
  })
  // Blocks from the hour before the installation.
  grid.tip.timestamp = world.clock.now().getTime() - 3_600_000
  for (let n = 0; n < 60; n += 1) grid.add()
})
beforeEach(async () => {
  mine(confirmations)
  await syncNow()
  investor = await world.person('Ines Investor')
  await world.fund(investor, 10_000_000n)
})

const { ask, approve } = withdrawalsIn(() => world)
const { make, get, download } = payoutsIn(() => world)
const syncNow = () => syncNetwork(world.services, 'usdt', chain)
/** Mines current blocks; the first contains everything sent. */
function mine(blocks = 1) {
  for (let n = 0; n < blocks; n += 1) grid.add().timestamp = world.clock.now().getTime()
}

let destinations = 0
/** An unused address. */
function destination() {
  destinations += 1
  return tronAddress(Buffer.alloc(20, destinations))
}

/** A batch of approved withdrawals with its file's transactions. */
async function batchOf(...amounts: number[]) {
  const withdrawals = []
  for (const amount of amounts) {
    const { data } = await ask(investor, amount, { wallet, walletAddress: destination() })
    withdrawals.push((await approve(data._id)).data)
  }
  const made = await make(
    withdrawals.map(({ _id }) => _id),
    { wallet },
  )
  expect(made).toMatchObject({ status: 200 })
  const { transfers } = JSON.parse((await download(made.data._id)).body) as TronPayoutFile
  return { id: made.data._id, withdrawals, transfers }
}
const stateOf = async (id: string) => (await world.call(getWithdrawal, investor, { params: { id } })).data
const postings = async (id: string) => {
  const { rows } = await world.owner(
    `SELECT event FROM ledger.transactions WHERE reference_id = '${id}' ORDER BY id`,
  )
  return rows.map(({ event }) => event)
}
const paidOnce = ['withdrawal.requested', 'withdrawal.paid']
async function expectSoundBooks() {
  const { checks } = await checkBooks(world.services.pool, world.services.log)
  expect(checks.filter(({ faults }) => faults > 0)).toEqual([])
}

test('[K-02, C-12, D7] a batch signed elsewhere is seen and pays its withdrawals once', async () => {
  const before = await world.balances(investor)
  const { id, withdrawals, transfers } = await batchOf(100, 120.5)
  const sent = new Map<string, string>()
  for (const { reference, transaction } of transfers) {
    const received = await grid.broadcast(await tronWallet.sign(transaction))
    expect(received).toEqual({ result: true, txid: transaction.txID })
    sent.set(reference, transaction.txID)
  }
  await syncNow()
  expect((await get(id)).data).toMatchObject({ status: 'drafted', paid: 0 })
  mine()
  await syncNow()
  expect((await get(id)).data).toMatchObject({ status: 'broadcast', paid: 0 })
  mine(confirmations - 2)
  await syncNow()
  const [payment] = (await get(id)).data.payments
  expect(payment!.confirmations).toEqual({ have: confirmations - 1, needed: confirmations })
  mine()
  await syncNow()
  expect((await get(id)).data).toMatchObject({ status: 'final', paid: 2, alerts: 0 })
  mine()
  await syncNow()
  for (const { _id, invoiceId } of withdrawals) {
    expect(await stateOf(_id)).toMatchObject({ status: 'paid', transactionId: sent.get(invoiceId) })
    expect(await postings(_id)).toEqual(paidOnce)
  }
  expect(await chain.balances(withdrawals.map(({ walletAddress }) => walletAddress))).toEqual(
    new Map([['USDT', 220_500_000n]]),
  )
  const after = await world.balances(investor)
  expect([before.available - after.available, after.held]).toEqual([22_050n, before.held])
  await expectSoundBooks()
})

test('[S-04] a file signed and broadcast twice pays once', async () => {
  const { id, withdrawals, transfers } = await batchOf(50)
  const { transaction } = transfers[0]!
  const [first, second] = [await tronWallet.sign(transaction), await tronWallet.sign(transaction)]
  expect(second.signature).not.toEqual(first.signature)
  expect(await grid.broadcast(first)).toMatchObject({ result: true })
  expect(await grid.broadcast(second)).toMatchObject({ code: 'DUP_TRANSACTION_ERROR' })
  mine(confirmations)
  await syncNow()
  expect(await grid.broadcast(second)).toMatchObject({ code: 'DUP_TRANSACTION_ERROR' })
  mine(confirmations)
  await syncNow()
  expect((await get(id)).data).toMatchObject({ status: 'final', paid: 1, alerts: 0 })
  expect(await postings(withdrawals[0]!._id)).toEqual(paidOnce)
  await expectSoundBooks()
})

test('[K-03] a payout waits again after a reorg, and counts where it is mined then', async () => {
  const { id, withdrawals, transfers } = await batchOf(75)
  const signed = await tronWallet.sign(transfers[0]!.transaction)
  await grid.broadcast(signed)
  mine(confirmations - 1)
  await syncNow()
  expect((await get(id)).data).toMatchObject({ status: 'broadcast', paid: 0 })
  grid.fork(confirmations - 1)
  mine(confirmations)
  await syncNow()
  expect((await get(id)).data).toMatchObject({ paid: 0, alerts: 0 })
  expect(await grid.broadcast(signed)).toMatchObject({ result: true })
  mine(confirmations)
  await syncNow()
  expect((await get(id)).data).toMatchObject({ status: 'final', paid: 1, alerts: 0 })
  expect(await postings(withdrawals[0]!._id)).toEqual(paidOnce)
  await expectSoundBooks()
})
