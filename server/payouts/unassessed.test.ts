import { expect, test } from 'vitest'
import { syncNetwork } from '#server/process/sync-network.ts'
import { addressKey } from '#shared/addresses.ts'
import { getWithdrawal } from '#shared/contract/withdrawals.ts'
import {
  bitcoinOutput,
  bitcoinTransaction,
  payeeAddress,
  payingBitcoinRails,
} from '#test/support/bitcoin-payouts.ts'
import { atEnd } from '#test/support/clean-up.ts'
import {
  ethereumTransaction,
  fundedInvestor,
  payingRails,
  payoutsIn,
  senders,
} from '#test/support/payouts.ts'
import { until } from '#test/support/processes.ts'
import { derivedRails, openWatchedWorld } from '#test/support/watched.ts'
import { withdrawalsIn } from '#test/support/withdrawals.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'

/**
 * A sync first stores transfers and then assesses them, so a process that ends in between leaves some unassessed. A
 * file's own payment never counts as a conflicting transaction.
 */

const unreviewedPayment = {
  status: 409,
  code: 'wrong_state',
  reason: 'unreviewed_payment',
}
const transfersUnsettled = {
  status: 409,
  reason: 'transfers_unsettled',
}

/** A world with payouts on Ethereum and TRON, and helpers for it. */
async function opened(of?: Parameters<typeof openWorld>[0]) {
  const world = await openWorld(of ?? { ...payingRails, rateLimit: false })
  const investor = await fundedInvestor(world, 1_000_000n)
  return { world, investor, ...actsIn(world, investor) }
}

function actsIn(world: World, investor: Person) {
  const { approved, decline } = withdrawalsIn(() => world)
  const acts = payoutsIn(() => world)
  return {
    ...acts,
    decline,
    approved: (to: Parameters<typeof approved>[2] = {}, amount = 100) => approved(investor, amount, to),
    /** Mined with nonce 0 and confirmed: stored together with the nonces. */
    isSent: async ({ walletAddress }: { walletAddress: string }, dollars = 100) => {
      const transactionId = ethereumTransaction(1)
      await acts.sees({
        transactionId,
        address: walletAddress,
        units: BigInt(dollars) * 1_000_000n,
        block: 990,
      })
      await acts.numbered(1)
      return transactionId
    },
  }
}

test('[S-04] Ethereum: a cancelled file’s payment, which used its nonce, blocks other batches', async () => {
  const { world, approved, make, giveUp, tip, assess, get, isSent } = await opened()
  await tip(1_000)
  const one = await approved()
  const first = (await make([one._id])).data
  await giveUp(first._id)
  const transactionId = await isSent(one)
  const before = await world.state()
  expect(await make([one._id])).toMatchObject(unreviewedPayment)
  expect(await world.state()).toBe(before)
  const { data } = await world.call(getWithdrawal, world.admin, { params: { id: one._id } })
  expect(data.filesOut[0]).toMatchObject({
    number: first.number,
    transactionId,
    words: `The file of cancelled batch ${first.number}, which pays this withdrawal, was broadcast: the network shows its transaction ${transactionId}.`,
  })
  await assess()
  expect((await get(first._id)).data.items[0]!.alert).toMatchObject({
    kind: 'paid_after_cancel',
    transactionId,
  })
  expect(await make([one._id])).toMatchObject(unreviewedPayment)
})

test('[S-04] the next batch is neither downloaded nor cancelled after such a payment', async () => {
  const { approved, make, giveUp, download, cancel, tip, assess, get, isSent } = await opened()
  await tip(1_000)
  const one = await approved()
  const first = (await make([one._id])).data
  await giveUp(first._id)
  const second = (await make([one._id])).data
  await isSent(one)
  const { status, code, reason } = unreviewedPayment
  expect((await download(second._id)).json()).toMatchObject({ code, reason })
  expect((await download(second._id)).statusCode).toBe(status)
  expect(await cancel(second._id)).toMatchObject(transfersUnsettled)
  await assess()
  expect((await get(second._id)).data).toMatchObject({ status: 'paid', paid: 1, alerts: 0 })
})

test('[S-04] TRON: so does one that confirmed before its file expired', async () => {
  const { world, approved, make, giveUp, tip, sees } = await opened()
  await tip(1_000, 'usdt')
  const wallet = { wallet: 'USDT TRC-20' }
  const one = await approved({ ...wallet, walletAddress: 'TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7' })
  const first = (await make([one._id], wallet)).data
  await giveUp(first._id, 'usdt')
  world.clock.pass({ minutes: 1260 })
  await sees({
    method: 'usdt',
    transactionId: ethereumTransaction(1).slice(2),
    address: one.walletAddress,
    units: 100_000_000n,
    from: [addressKey(senders.usdt)],
    block: 1_010,
  })
  await tip(1_030, 'usdt')
  expect(await make([one._id], wallet)).toMatchObject(unreviewedPayment)
})

test('[S-04] Bitcoin: so does one that spent its inputs; nor is its batch cancelled', async () => {
  const { world, investor, approved, make, giveUp, download, cancel, tip, looks, sees } = await opened({
    rails: payingBitcoinRails(),
    rateLimit: false,
  })
  await tip(500, 'bitcoin', 2)
  const received = (n: number) =>
    bitcoinOutput(world, {
      owner: investor,
      index: n,
      transactionId: bitcoinTransaction(n),
      units: 1_000_000n,
      block: 400,
    })
  const bitcoin = { wallet: 'Bitcoin (BTC)', feeRate: 5 }
  const batchOf = async (n: number) => {
    await received(n)
    const one = await approved({ wallet: 'Bitcoin (BTC)', walletAddress: payeeAddress(n) })
    return { one, batch: (await make([one._id], bitcoin)).data }
  }
  /** Sent, mined and confirmed. */
  const isSent = async (n: number, { one, batch }: Awaited<ReturnType<typeof batchOf>>) => {
    const { outpoint } = batch.inputs[0]!
    const units = BigInt(batch.amountCrypto.replace('.', ''))
    await sees({
      method: 'bitcoin',
      token: 'BTC',
      transactionId: bitcoinTransaction(n),
      position: 0,
      address: one.walletAddress,
      units,
      from: [outpoint],
      block: 450,
    })
    await world.owner(
      `UPDATE app.chain_transfers SET spent_by = '${bitcoinTransaction(n)}', spent_height = 450 WHERE transaction_id = '${outpoint.split(':')[0]}'`,
    )
  }
  const cancelled = await batchOf(1)
  await giveUp(cancelled.batch._id, 'bitcoin')
  await isSent(99, cancelled)
  await received(2)
  expect(await make([cancelled.one._id], bitcoin)).toMatchObject(unreviewedPayment)
  const open = await batchOf(3)
  await download(open.batch._id)
  await isSent(100, open)
  await looks('bitcoin')
  for (const who of [world.admin, world.secondAdmin]) {
    expect(await cancel(open.batch._id, who)).toMatchObject({
      status: 409,
      reason: 'may_confirm',
    })
  }
})

test('[S-04] a batch with a transfer in a block is neither cancelled nor downloaded again', async () => {
  const { approved, make, cancel, download, tip, looks, isSent } = await opened()
  await tip(1_000)
  const one = await approved()
  const first = (await make([one._id])).data
  await download(first._id)
  await looks()
  expect((await download(first._id)).statusCode).toBe(200)
  await isSent(one)
  await looks()
  expect((await download(first._id)).json().reason).toBe('transfers_seen')
  expect(await cancel(first._id)).toMatchObject(transfersUnsettled)
})

test('[S-04] a withdrawal that a cancelled file paid cannot be declined', async () => {
  const world = await openWatchedWorld(
    'usdt',
    {},
    { rails: { ...derivedRails(), ethereum: payingRails.rails.ethereum }, rateLimit: false },
  )
  const investor = await world.person('Ines Investor')
  const { approved, make, giveUp, decline, tip, isSent } = actsIn(world, investor)
  await tip(1_000)
  world.network.mine(25)
  await world.sync()
  // $600 is on hold, and $100 of it owed once the network reverses the payment.
  await world.fund(investor, 50_000n)
  const deposit = await world.ask(investor, 100)
  const transaction = world.network.send({ to: deposit.payment.address, units: 100_000_000n })
  world.network.mine(2)
  await world.sync()
  const one = await approved({}, 600)
  await giveUp((await make([one._id])).data._id)
  world.network.reorg(2, { drop: [transaction] })
  await world.sync()
  await isSent(one, 600)
  const before = await world.state()
  expect(await decline(one._id)).toMatchObject(unreviewedPayment)
  expect(await world.state()).toBe(before)
})

test('[S-04] a sync that began before the export does not prove that nothing was broadcast', async () => {
  const world = await openWatchedWorld('usdt', {}, { rails: payingRails.rails, rateLimit: false })
  const investor = await fundedInvestor(world, 1_000_000n)
  const { approved, make, download, cancel } = actsIn(world, investor)
  await world.sync()
  const { _id: paid } = await approved({
    wallet: 'USDT TRC-20',
    walletAddress: 'TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7',
  })
  const { data } = await make([paid], { wallet: 'USDT TRC-20' })
  const { pending } = world.network.chain
  await syncNetwork(world.services, 'usdt', {
    ...world.network.chain,
    // Between reading the tip and storing the scan.
    pending: async watched => {
      world.clock.pass({ minutes: 0.1 })
      expect((await download(data._id)).statusCode).toBe(200)
      world.clock.pass({ minutes: 0.1 })
      return pending(watched)
    },
  })
  expect(await cancel(data._id)).toMatchObject({ status: 409, code: 'wrong_state' })
  await world.sync()
  expect((await cancel(data._id)).status).toBe(200)
})

test('[S-04] a sync that commits during a cancellation allows it only if it found nothing', async () => {
  const { world, approved, make, download, cancel, tip, isSent } = await opened()
  await tip(1_000)
  const one = await approved()
  const first = (await make([one._id])).data
  await download(first._id)
  const look = await world.database.owner.connect()
  atEnd(() => look.release(true))
  await look.query('BEGIN; LOCK TABLE app.chain_cursors')
  const decided = cancel(first._id)
  await until(async () => {
    const { rows } = await world.owner(
      "SELECT FROM pg_locks WHERE NOT granted AND relation = 'app.chain_cursors'::regclass",
    )
    return rows.length > 0
  })
  await isSent(one)
  await look.query("UPDATE app.chain_cursors SET polled_at = polled_at + interval '1 second'; COMMIT")
  expect(await decided).toMatchObject(transfersUnsettled)
})
