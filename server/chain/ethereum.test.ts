import { type Hex, parseGwei, parseTransaction } from 'viem'
import { beforeAll, describe, expect, test } from 'vitest'
import { checkBooks } from '#server/ledger/invariants.ts'
import { syncNetwork } from '#server/process/sync-network.ts'
import type { Chain } from '#server/rails/chain.ts'
import { chainOf } from '#server/rails/chains.ts'
import type { EthereumPayoutFile } from '#server/rails/ethereum/plans.ts'
import { getWithdrawal } from '#shared/contract/withdrawals.ts'
import { openAnvil, payer, type TestChain, withoutAnvil } from '#test/support/anvil.ts'
import { payoutsIn } from '#test/support/payouts.ts'
import { until } from '#test/support/processes.ts'
import { derivedRails } from '#test/support/watched.ts'
import { withdrawalsIn } from '#test/support/withdrawals.ts'
import { isWaitedFor, kill, lockTable, startWorker } from '#test/support/worker.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'

/** Payouts end to end on a real chain, with a node and a wallet that signs the files. */
describe.skipIf(withoutAnvil)('payouts of ethereum on a real chain', () => {
  /** The wallet's own address. */
  const signer = 1
  const confirmations = 3
  let network: TestChain
  let token: `0x${string}`
  let world: World
  let chain: Chain
  let investor: Person
  beforeAll(async () => {
    network = await openAnvil()
    token = await network.token(signer)
    const rails = derivedRails()
    world = await openWorld({
      rails: {
        ...rails,
        ethereum: {
          ...rails.ethereum,
          rpcUrl: network.url,
          chainId: 31_337,
          contracts: { USDT: token },
          confirmations,
          payoutAddress: payer(signer).address,
        },
      },
      rateLimit: false,
    })
    chain = chainOf(world.services.config, 'ethereum')!
    investor = await world.person('Ines Investor')
    await world.fund(investor, 10_000_000n)
    await syncNow()
  })
  const syncNow = (of: Chain = chain) => syncNetwork(world.services, 'ethereum', of)
  const { ask, approve } = withdrawalsIn(() => world)
  const { make, get, cancel, download, sign: signed } = payoutsIn(() => world)
  let destinations = 0
  async function approved(amount: number, wallet = 'USDT ERC-20') {
    destinations += 1
    const walletAddress = `0x${(0xaa00 + destinations).toString(16).padStart(40, '0')}`
    const { data } = await ask(investor, amount, { wallet, walletAddress })
    const { data: withdrawal } = await approve(data._id)
    // Nonces are read while a withdrawal waits to be paid.
    await syncNow()
    return withdrawal
  }
  async function batch(...withdrawals: { _id: string }[]) {
    const { data, message } = await make(withdrawals.map(({ _id }) => _id))
    expect(data, message).not.toBeNull()
    return data
  }
  const fileOf = async (id: string): Promise<EthereumPayoutFile['transactions']> =>
    (JSON.parse((await download(id)).body) as EthereumPayoutFile).transactions
  /** Signs what the file says, by default with its fee. */
  const sign = ({ unsigned }: { unsigned: Hex }, gwei?: string): Promise<Hex> => {
    const plan = parseTransaction(unsigned as `0x02${string}`)
    const price =
      gwei === undefined ? {} : { maxFeePerGas: parseGwei(gwei), maxPriorityFeePerGas: parseGwei(gwei) }
    return payer(signer).signTransaction({ ...plan, ...price })
  }
  const send = (serializedTransaction: Hex) => network.client.sendRawTransaction({ serializedTransaction })
  const tokensOf = async (address: string) => (await chain.balances([address.toLowerCase()])).get('USDT')!
  const stateOf = async (id: string) => (await world.call(getWithdrawal, investor, { params: { id } })).data
  const expectSoundBooks = async () => {
    const { checks } = await checkBooks(world.services.pool, world.services.log)
    expect(checks.filter(({ faults }) => faults > 0)).toEqual([])
  }

  test('[K-02, C-12, D7] a batch signed elsewhere is seen and marks its withdrawals as paid', async () => {
    const before = await world.balances(investor)
    const withdrawals = [await approved(100), await approved(120.5)]
    const { _id: id } = await batch(...withdrawals)
    const transactions = await fileOf(id)
    const sent = new Map<string, Hex>()
    for (const transaction of transactions) {
      sent.set(transaction.reference, await send(await sign(transaction)))
    }
    await syncNow()
    expect((await get(id)).data).toMatchObject({ status: 'broadcast', paid: 0 })
    await network.mine(confirmations - 1)
    await syncNow()
    expect((await get(id)).data.payments[0]!.confirmations).toEqual({ have: 2, needed: 3 })
    await network.mine()
    await syncNow()
    expect((await get(id)).data).toMatchObject({ status: 'final', paid: 2, alerts: 0 })
    for (const { _id, invoiceId, walletAddress, amount } of withdrawals) {
      expect(await stateOf(_id)).toMatchObject({ status: 'paid', transactionId: sent.get(invoiceId) })
      expect(await tokensOf(walletAddress)).toBe(BigInt(amount * 1_000_000))
    }
    const after = await world.balances(investor)
    expect([before.available - after.available, after.held]).toEqual([22_050n, before.held])
    await expectSoundBooks()
  })

  test('[S-04] a file signed twice, with a higher fee, is mined once, in ether as well', async () => {
    const withdrawal = await approved(50, 'Ethereum (ETH)')
    const { data } = await make([withdrawal._id], { wallet: 'Ethereum (ETH)' })
    const [transaction] = await fileOf(data._id)
    const first = await send(await sign(transaction!))
    await syncNow()
    const second = await send(await sign(transaction!, '90'))
    expect(second).not.toBe(first)
    await network.mine(confirmations)
    await syncNow()
    expect((await get(data._id)).data).toMatchObject({ status: 'final', alerts: 0 })
    expect((await stateOf(withdrawal._id)).transactionId).toBe(second)
    await expect(send(await sign(transaction!, '95'))).rejects.toThrow(/nonce too low/i)
    await network.mine()
    await syncNow()
    const wei = await network.client.getBalance({ address: withdrawal.walletAddress as Hex })
    expect(wei).toBe(BigInt(transaction!.transaction.value))
    await expectSoundBooks()
  })

  test('[S-04] a signed file given to us is broadcast, and again when its node has lost it', async () => {
    const withdrawal = await approved(45)
    const { _id: id } = await batch(withdrawal)
    const [transaction] = await fileOf(id)
    expect((await signed(id, await sign(transaction!))).data.status).toBe('signed')
    await syncNow()
    expect((await get(id)).data.status).toBe('broadcast')
    const { transactionId } = (await get(id)).data.payments[0]!.signed[0]!
    await network.client.dropTransaction({ hash: transactionId as Hex })
    world.clock.pass({ minutes: 2 })
    await syncNow()
    await network.mine(confirmations)
    await syncNow()
    expect(await stateOf(withdrawal._id)).toMatchObject({ status: 'paid', transactionId })
    expect(await tokensOf(withdrawal.walletAddress)).toBe(45_000_000n)
    await expectSoundBooks()
  })

  test('[S-04] of a payment and its cancellation, the network takes one: the payment', async () => {
    const withdrawal = await approved(70)
    const { _id: id } = await batch(withdrawal)
    const kept = await sign((await fileOf(id))[0]!)
    await syncNow()
    expect(await cancel(id)).toMatchObject({ status: 200, data: { status: 'drafted' } })
    const cancelling = await sign((await fileOf(id))[0]!)
    await send(kept)
    await network.mine(confirmations)
    expect((await signed(id, cancelling)).status).toBe(200)
    await syncNow()
    expect((await get(id)).data).toMatchObject({ status: 'final', paid: 1 })
    expect((await stateOf(withdrawal._id)).status).toBe('paid')
    await expectSoundBooks()
  })

  test('[S-04] of a payment and its cancellation, the network takes one: the cancellation', async () => {
    const withdrawal = await approved(70)
    const { _id: id } = await batch(withdrawal)
    const kept = await sign((await fileOf(id))[0]!)
    await syncNow()
    await cancel(id)
    await signed(id, await sign((await fileOf(id))[0]!))
    await syncNow()
    await network.mine(confirmations)
    await expect(send(kept)).rejects.toThrow(/nonce too low/i)
    await syncNow()
    expect((await get(id)).data).toMatchObject({ status: 'void', alerts: 0 })
    const { _id: next } = await batch(withdrawal)
    await send(await sign((await fileOf(next))[0]!))
    await network.mine(confirmations)
    await syncNow()
    expect((await get(next)).data).toMatchObject({ status: 'final', paid: 1 })
    expect(await tokensOf(withdrawal.walletAddress)).toBe(70_000_000n)
    await expectSoundBooks()
  })

  test('[S-04] a transaction of the payout address that no payout explains is told', async () => {
    const { outgoing } = payoutsIn(() => world)
    const transactionId = await network.send(signer, { to: payer(2).address, value: 1n })
    await network.mine()
    await syncNow()
    const { data } = await outgoing()
    expect(data.map(one => one.transactionId)).toContain(transactionId)
  })

  test('[K-03] a transfer mined between reading blocks and mempool stays seen', async () => {
    const { _id: id } = await batch(await approved(30))
    const [transaction] = await fileOf(id)
    await send(await sign(transaction!))
    await syncNow()
    const racing: Chain = {
      ...chain,
      pending: async watched => {
        await network.mine()
        return chain.pending(watched)
      },
    }
    await syncNow(racing)
    const [item] = (await get(id)).data.items
    expect(item!.transactionId).not.toBeNull()
    await network.mine(confirmations)
    await syncNow()
    expect((await get(id)).data.status).toBe('final')
  })

  test('[K-03] a reorg before confirmation reverts nothing; the payment counts once', async () => {
    const withdrawal = await approved(40)
    const { _id: id } = await batch(withdrawal)
    const [transaction] = await fileOf(id)
    const signed = await sign(transaction!)
    const base = await network.client.snapshot()
    await send(signed)
    await network.mine()
    await syncNow()
    expect((await get(id)).data.payments[0]!.confirmations).toEqual({ have: 1, needed: 3 })
    await network.fork(base, 1)
    await syncNow()
    expect((await get(id)).data.status).toBe('broadcast')
    // The same signed transaction again.
    await send(signed)
    await network.mine(confirmations)
    await syncNow()
    expect((await get(id)).data).toMatchObject({ status: 'final', alerts: 0 })
    expect(await tokensOf(withdrawal.walletAddress)).toBe(40_000_000n)
    await expectSoundBooks()
  })

  test('[K-02, S-04] a worker killed between seeing and paying a payout pays it once later', async () => {
    const before = await world.balances(investor)
    const withdrawal = await approved(60)
    const { _id: id } = await batch(withdrawal)
    const [transaction] = await fileOf(id)
    const transactionId = await send(await sign(transaction!))
    await network.mine(confirmations)
    const env = {
      ETHEREUM_RPC_URL: network.url,
      ETHEREUM_CHAIN_ID: '31337',
      ETHEREUM_CONFIRMATIONS: `${confirmations}`,
      ETHEREUM_USDT_CONTRACT: token,
      ETHEREUM_PAYOUT_ADDRESS: payer(signer).address,
    }
    const held = await world.database.owner.connect()
    try {
      // Stop it here, after storing the scan.
      await lockTable(held, 'ledger.transactions')
      const worker = startWorker(world, env)
      await until(() => isWaitedFor(world, 'ledger.transactions'))
      await kill(worker)
    } finally {
      await held.query('ROLLBACK').finally(() => held.release(true))
    }
    expect(await stateOf(withdrawal._id)).toMatchObject({ status: 'approved' })
    expect((await get(id)).data).toMatchObject({ status: 'broadcast', paid: 0 })
    const next = startWorker(world, env)
    // It pays the withdrawal first, and ends the batch in a step of its own.
    await until(async () => (await get(id)).data.status === 'final')
    await kill(next)
    await syncNow()
    expect(await stateOf(withdrawal._id)).toMatchObject({ status: 'paid', transactionId })
    expect((await get(id)).data).toMatchObject({ status: 'final', paid: 1, alerts: 0 })
    const after = await world.balances(investor)
    expect([before.available - after.available, after.held]).toEqual([6_000n, before.held])
    await expectSoundBooks()
  })
})
