import type { Address, Hex } from 'viem'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { syncNetwork } from '#server/process/sync-network.ts'
import { chainOf } from '#server/rails/chains.ts'
import { addressKey } from '#shared/addresses.ts'
import type { PayoutDetail } from '#shared/contract/payouts.ts'
import { getWithdrawal } from '#shared/contract/withdrawals.ts'
import { openAnvil, payer, type TestChain, withoutAnvil } from '#test/support/anvil.ts'
import { fundedInvestor, payoutsIn } from '#test/support/payouts.ts'
import { openSafe, type SafeVersion } from '#test/support/safe.ts'
import { derivedRails } from '#test/support/watched.ts'
import { withdrawalsIn } from '#test/support/withdrawals.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'

describe.skipIf(withoutAnvil).each(['1.3.0', '1.4.1'] as const)('payouts by a Safe %s', payoutsBySafe)

const confirmations = 3
type Coin = 'Ethereum (ETH)' | 'USDT ERC-20'

function payoutsBySafe(version: SafeVersion): void {
  let network: TestChain
  let safe: Awaited<ReturnType<typeof openSafe>>
  let token: Address
  let world: World
  let investor: Person
  beforeAll(async () => {
    network = await openAnvil()
    safe = await openSafe(network, version)
    token = await network.token(0, { answers: false })
    await network.sendToken(0, token, safe.address, 10n ** 12n)
    await network.mine()
    const rails = derivedRails()
    const settings = { rpcUrl: network.url, chainId: 31_337, contracts: { USDT: token }, confirmations }
    const ethereum = { ...rails.ethereum, ...settings, payoutAddress: safe.address }
    world = await openWorld({ rails: { ...rails, ethereum }, rateLimit: false })
    await sync()
  })
  beforeEach(async () => {
    investor = await fundedInvestor(world)
  })
  const { make, get, download, cancel, raiseFee, sign, outgoing, alertOf, acknowledge } = payoutsIn(
    () => world,
  )
  const { approved } = withdrawalsIn(() => world)
  const sync = () => syncNetwork(world.services, 'ethereum', chainOf(world.services.config, 'ethereum')!)
  const mine = async (blocks = 1) => {
    await network.mine(blocks)
    await sync()
  }
  let recipients = 0
  const recipient = () => {
    recipients += 1
    return `0x${recipients.toString(16).padStart(40, '7')}` as Address
  }
  const nonceOf = ({ payments }: Pick<PayoutDetail, 'payments'>) =>
    Number(payments[0]!.slots[0]!.slot.split(':')[1])
  const batchOf = async (count: number, wallet: Coin) => {
    const withdrawals = []
    for (let n = 0; n < count; n += 1)
      withdrawals.push(await approved(investor, 10 + n, { wallet, walletAddress: recipient() }))
    await sync()
    const { data } = await make(
      withdrawals.map(({ _id }) => _id),
      { wallet },
    )
    return { ...data, nonce: nonceOf(data), withdrawals }
  }
  type Batch = Awaited<ReturnType<typeof batchOf>>
  const built = async ({ _id }: Pick<Batch, '_id'>) => safe.built((await download(_id)).body)
  const statusOf = async ({ _id }: Pick<Batch, '_id'>) => (await get(_id)).data.status
  const received = async (address: string, wallet: Coin) =>
    wallet === 'Ethereum (ETH)'
      ? (await network.client.getBalance({ address: address as Address })) / 10n ** 9n
      : network.client.readContract({
          address: token,
          abi: [
            {
              type: 'function',
              name: 'balanceOf',
              stateMutability: 'view',
              inputs: [{ name: 'of', type: 'address' }],
              outputs: [{ type: 'uint256' }],
            },
          ],
          functionName: 'balanceOf',
          args: [address as Address],
        })
  const told = async () => (await outgoing()).data.map(({ transactionId }) => transactionId)
  /** What else the owners may execute: nothing of ours. */
  const other = (value = 1n) => ({ to: recipient(), value, data: '0x' as Hex, operation: 0 as const })

  test.each([
    ['Ethereum (ETH)', 3],
    ['USDT ERC-20', 3],
    ['Ethereum (ETH)', 1],
    ['USDT ERC-20', 1],
  ] as const)('[C-15] the owners execute our file, and it pays: %s, %d', async (wallet, count) => {
    const batch = await batchOf(count, wallet)
    expect(batch).toMatchObject({ bySafe: true, sender: safe.address, payments: [{ status: 'drafted' }] })
    const tx = await built(batch)
    expect(batch.files[0]?.safeTxHash).toBe(await safe.hashOf(tx, batch.nonce))
    const transactionId = await safe.execute(tx, batch.nonce)
    await mine()
    expect((await get(batch._id)).data).toMatchObject({
      status: 'broadcast',
      payments: [{ usedBy: transactionId, confirmations: { have: 1, needed: confirmations } }],
    })
    await mine(confirmations - 1)
    const { data } = await get(batch._id)
    expect(data).toMatchObject({ status: 'final', paid: count, alerts: 0 })
    for (const { address, amountCrypto } of data.items) {
      const decimals = wallet === 'Ethereum (ETH)' ? 9 : 6
      const units = BigInt(Math.round(Number(amountCrypto) * 10 ** decimals))
      expect(await received(address, wallet)).toBe(units)
    }
    const paid = await world.call(getWithdrawal, world.admin, { params: { id: batch.withdrawals[0]!._id } })
    expect(paid.data).toMatchObject({ status: 'paid', transactionId })
    expect(await told()).toEqual([])
  })

  test('[C-15] batches of different coins take one nonce each, in order', async () => {
    const first = await batchOf(2, 'Ethereum (ETH)')
    const second = await batchOf(2, 'USDT ERC-20')
    expect(second.nonce).toBe(first.nonce + 1)
    await safe.execute(await built(first), first.nonce)
    await network.mine()
    await safe.execute(await built(second), second.nonce)
    await mine(confirmations)
    expect([await statusOf(first), await statusOf(second)]).toEqual(['final', 'final'])
  })

  test('[C-15] one transaction that executes two batches pays both', async () => {
    const first = await batchOf(2, 'USDT ERC-20')
    const second = await batchOf(1, 'USDT ERC-20')
    const usedBy = await safe.executeTogether(first.nonce, await built(first), await built(second))
    await mine(confirmations)
    for (const { _id } of [first, second])
      expect((await get(_id)).data).toMatchObject({ status: 'final', alerts: 0, payments: [{ usedBy }] })
  })

  test('[S-04] no two open batches of a coin pay one address, for one transaction could', async () => {
    const first = await batchOf(1, 'USDT ERC-20')
    const { walletAddress } = first.withdrawals[0]!
    const same = await approved(investor, 11, { wallet: 'USDT ERC-20', walletAddress })
    expect(await make([same._id])).toMatchObject({ status: 409, reason: 'payee_in_open_batch' })
    const ether = await approved(investor, 12, { wallet: 'Ethereum (ETH)', walletAddress })
    const { data: other } = await make([ether._id], { wallet: 'Ethereum (ETH)' })
    await safe.executeTogether(first.nonce, await built(first), await built(other))
    await mine(confirmations)
    expect([await statusOf(first), await statusOf(other)]).toEqual(['final', 'final'])
    const { data: next } = await make([same._id])
    await safe.execute(await built(next), nonceOf(next))
    await mine(confirmations)
    expect(await statusOf(next)).toBe('final')
  })

  test('[S-04] a rejected batch is not paid by what the same transaction pays elsewhere', async () => {
    const batch = await batchOf(1, 'USDT ERC-20')
    const payment = await built(batch)
    await cancel(batch._id)
    const transactionId = await safe.executeTogether(batch.nonce, await built(batch), payment)
    await mine(confirmations)
    expect((await get(batch._id)).data).toMatchObject({ status: 'void', paid: 0 })
    expect(await told()).toContain(transactionId)
  })

  test.each(['Ethereum (ETH)', 'USDT ERC-20'] as const)(
    '[S-04] a cancelled batch that is paid by another hash needs a review: %s',
    async wallet => {
      const batch = await batchOf(1, wallet)
      const payment = await built(batch)
      await cancel(batch._id)
      const transactionId = await safe.execute({ ...payment, safeTxGas: 100_000n }, batch.nonce)
      await mine(confirmations)
      expect(await received(batch.withdrawals[0]!.walletAddress, wallet)).toBeGreaterThan(0n)
      expect((await get(batch._id)).data).toMatchObject({ status: 'void', paid: 0, alerts: 1 })
      expect(await alertOf(batch._id)).toMatchObject({ kind: 'otherwise', transactionId })
      expect(await told()).toContain(transactionId)
      const ids = batch.withdrawals.map(({ _id }) => _id)
      expect(await make(ids, { wallet })).toMatchObject({ reason: 'unreviewed_alert' })
    },
  )

  test('[S-04] nothing is signed here, and the executor chooses the fee', async () => {
    const batch = await batchOf(1, 'Ethereum (ETH)')
    await download(batch._id)
    expect(await sign(batch._id, '0x02')).toMatchObject({ reason: 'signed_in_safe' })
    expect(await raiseFee(batch._id)).toMatchObject({ reason: 'safe_executor_pays' })
    await safe.execute(await built(batch), batch.nonce)
    await mine(confirmations)
  })

  test('[S-04] another transaction at its nonce is a fault with its id, and is told', async () => {
    const batch = await batchOf(2, 'Ethereum (ETH)')
    await download(batch._id)
    const transactionId = await safe.execute(other(), batch.nonce)
    await mine()
    expect(await alertOf(batch._id)).toMatchObject({ kind: 'otherwise', transactionId })
    expect(await told()).toContain(transactionId)
    await mine(confirmations)
    expect(await statusOf(batch)).toBe('void')
    expect((await acknowledge(batch._id, [transactionId])).status).toBe(200)
  })

  test('[S-04] one that fails uses its nonce, and pays nobody', async () => {
    const batch = await batchOf(1, 'Ethereum (ETH)')
    await download(batch._id)
    const tooMuch = { ...other(10n ** 30n), safeTxGas: 50_000n }
    const transactionId = await safe.execute(tooMuch, batch.nonce)
    await mine(confirmations)
    expect(await alertOf(batch._id)).toMatchObject({
      kind: 'otherwise',
      transactionId,
      amountCrypto: '0.000000000',
    })
    expect(await statusOf(batch)).toBe('void')
  })

  test('[S-04] a payment that the recipient refuses stops the whole batch and uses nothing', async () => {
    const refusing = await network.deploy(8, '0x6005600c60003960056000f360006000fd')
    const good = await approved(investor, 11, { wallet: 'Ethereum (ETH)', walletAddress: recipient() })
    const bad = await approved(investor, 12, { wallet: 'Ethereum (ETH)', walletAddress: refusing })
    await sync()
    const { data } = await make([good._id, bad._id], { wallet: 'Ethereum (ETH)' })
    const nonce = nonceOf(data)
    const tx = await built(data)
    await expect(safe.simulate(tx, nonce)).rejects.toThrow()
    await safe.execute(tx, nonce)
    await mine(confirmations)
    expect((await get(data._id)).data).toMatchObject({
      status: 'drafted',
      alerts: 0,
      payments: [{ usedBy: null }],
    })
    expect(await received(good.walletAddress, 'Ethereum (ETH)')).toBe(0n)
    await cancel(data._id)
    await safe.execute(await built(data), nonce)
    await mine(confirmations)
    expect(await statusOf(data)).toBe('void')
  })

  test('[S-04] a rejection at its nonce cancels it, without an alert', async () => {
    const batch = await batchOf(2, 'USDT ERC-20')
    await download(batch._id)
    expect((await cancel(batch._id)).data).toMatchObject({ files: [{}, { purpose: 'cancellation' }] })
    const tx = await built(batch)
    // As the app makes it with "Reject transaction".
    expect(tx).toEqual({ to: safe.address, value: 0n, data: '0x', operation: 0 })
    await safe.execute(tx, batch.nonce)
    await mine()
    expect(await alertOf(batch._id)).toBeNull()
    await mine(confirmations)
    expect(await statusOf(batch)).toBe('void')
    expect(await told()).not.toContain((await get(batch._id)).data.payments[0]?.usedBy)
  })

  test('[S-04] of a batch that is being cancelled, the payment may still win', async () => {
    const batch = await batchOf(2, 'Ethereum (ETH)')
    const tx = await built(batch)
    await cancel(batch._id)
    await safe.execute(tx, batch.nonce)
    await mine(confirmations)
    expect((await get(batch._id)).data).toMatchObject({ status: 'final', paid: 2 })
  })

  test('[K-03] a reorg opens it again, until another block has it', async () => {
    const batch = await batchOf(2, 'Ethereum (ETH)')
    const tx = await built(batch)
    const base = await network.client.snapshot()
    await safe.execute(tx, batch.nonce)
    await mine()
    expect(await statusOf(batch)).toBe('broadcast')
    await network.fork(base, 1)
    await sync()
    expect((await get(batch._id)).data).toMatchObject({ payments: [{ usedBy: null }], paid: 0 })
    const again = await safe.execute(tx, batch.nonce)
    await mine(confirmations)
    expect((await get(batch._id)).data).toMatchObject({ status: 'final', payments: [{ usedBy: again }] })
  })

  test('[S-04] whatever else leaves the Safe is told, also by a module and without a batch', async () => {
    const before = (await batchOf(1, 'Ethereum (ETH)')).nonce
    const ids = [await safe.execute(safe.enableModule(payer(7).address), before)]
    await network.mine()
    ids.push(await safe.actAsModule(7, recipient(), 5n))
    await mine()
    expect(await told()).toEqual(expect.arrayContaining(ids))
    await mine(confirmations)
  })

  test('[S-04] our file at another nonce is told, and pays nothing in the books', async () => {
    const first = await batchOf(1, 'Ethereum (ETH)')
    const second = await batchOf(1, 'Ethereum (ETH)')
    await download(first._id)
    const transactionId = await safe.execute(await built(second), first.nonce)
    await mine(confirmations)
    expect(await told()).toContain(transactionId)
    expect(await alertOf(first._id)).toMatchObject({ kind: 'otherwise', transactionId })
    expect((await get(second._id)).data).toMatchObject({ status: 'drafted', paid: 0 })
    await cancel(second._id)
    await safe.execute(await built(second), second.nonce)
    await mine(confirmations)
  })

  test('[C-15] the database settles no payment with another hash than the planned one', async () => {
    const batch = await batchOf(2, 'Ethereum (ETH)')
    await built(batch)
    const transactionId = await safe.execute(other(), batch.nonce)
    await mine()
    const { app } = world.database
    const where = `batch_id = '${batch._id}'`
    const paid = `UPDATE app.payout_items SET state = 'paid', transaction_id = '${transactionId}' WHERE ${where}`
    const released = `UPDATE app.payout_items SET state = 'released' WHERE ${where}`
    const final = `UPDATE app.payout_payments SET status = 'final' WHERE ${where}`
    const inOne = (...statements: string[]) => app.query(`BEGIN; ${statements.join('; ')}; COMMIT`)
    await expect(inOne(paid)).rejects.toThrow(/item 0 .* is not paid/)
    for (const first of [paid, released])
      await expect(inOne(first, final)).rejects.toThrow(/does not execute what was planned/)
    await mine(confirmations)
    expect(await statusOf(batch)).toBe('void')
  })

  test('[T-06] no batch is made while another contract is at the address', async () => {
    const { _id } = await approved(investor, 10, { wallet: 'Ethereum (ETH)', walletAddress: recipient() })
    const at = { address: safe.address }
    const code = (await network.client.getCode(at))!
    await network.client.setCode({ ...at, bytecode: (await network.client.getCode({ address: token }))! })
    await expect(sync()).rejects.toThrow('is a contract')
    expect(await make([_id], { wallet: 'Ethereum (ETH)' })).toMatchObject({ reason: 'not_synced' })
    await network.client.setCode({ ...at, bytecode: code })
    await sync()
    const { data } = await make([_id], { wallet: 'Ethereum (ETH)' })
    expect(data).toMatchObject({ bySafe: true })
    await safe.execute(await built(data), nonceOf(data))
    await mine(confirmations)
  })

  test('[T-06] a former payout address that is no Safe of ours holds up no batch', async () => {
    const former = await batchOf(1, 'Ethereum (ETH)')
    await cancel(former._id)
    const { owner } = world.database
    await owner.query('UPDATE app.payout_batches SET sender = $2 WHERE id = $1', [former._id, token])
    await sync()
    const batch = await batchOf(1, 'Ethereum (ETH)')
    await safe.execute(await built(batch), batch.nonce)
    await mine(confirmations)
    expect(await statusOf(batch)).toBe('final')
  })

  test('[T-06] two executions in one block use successive nonces', async () => {
    const batch = await batchOf(1, 'Ethereum (ETH)')
    const tx = await built(batch)
    const paying = await safe.execute(tx, batch.nonce)
    const next = await safe.execute(other(), batch.nonce + 1)
    await mine(confirmations)
    const { rows } = await world.database.owner.query(
      `SELECT slot, transaction_id FROM app.chain_spends WHERE transaction_id IN ($1, $2) ORDER BY slot`,
      [paying, next],
    )
    const slot = (nonce: number) => `${addressKey(safe.address)}:${nonce}`
    expect(rows).toEqual(
      [
        { slot: slot(batch.nonce), transaction_id: paying },
        { slot: slot(batch.nonce + 1), transaction_id: next },
      ].toSorted((one, other) => (one.slot < other.slot ? -1 : 1)),
    )
    expect(await statusOf(batch)).toBe('final')
  })

  test('[T-06] a nonce is known in blocks whose state the node has forgotten', async () => {
    const batch = await batchOf(1, 'Ethereum (ETH)')
    const tx = await built(batch)
    await safe.execute(tx, batch.nonce)
    await network.mine()
    await safe.execute(other(), batch.nonce + 1)
    await mine(150)
    expect(await statusOf(batch)).toBe('final')
  })
}
