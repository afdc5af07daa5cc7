import { HDKey } from '@scure/bip32'
import { Transaction } from '@scure/btc-signer'
import type { Signer } from '@scure/btc-signer/transaction.js'
import { beforeAll, describe, expect, test } from 'vitest'
import { checkBooks } from '#server/ledger/invariants.ts'
import { syncNetwork } from '#server/process/sync-network.ts'
import { addressAt, bitcoinAccount } from '#server/rails/bitcoin/addresses.ts'
import { bitcoinNetworks } from '#server/rails/bitcoin/networks.ts'
import type { Chain } from '#server/rails/chain.ts'
import { chainOf } from '#server/rails/chains.ts'
import { addressOf } from '#shared/call-address.ts'
import * as call from '#shared/contract/deposits.ts'
import { payoutFile } from '#shared/contract/payouts.ts'
import { getWithdrawal } from '#shared/contract/withdrawals.ts'
import { parseDecimal } from '#shared/money.ts'
import { atEnd } from '#test/support/clean-up.ts'
import { type Litecoind, startLitecoind, withoutLitecoind } from '#test/support/litecoind.ts'
import { payoutsIn } from '#test/support/payouts.ts'
import { derivedRails } from '#test/support/watched.ts'
import { withdrawalsIn } from '#test/support/withdrawals.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'

/** End to end on a real network, with a node and an offline wallet. */
describe.skipIf(withoutLitecoind)('bitcoin on a real network', () => {
  const root = HDKey.fromMasterSeed(new Uint8Array(32).fill(5), {
    public: 0x04_35_87_cf,
    private: 0x04_35_83_94,
  })
  const origin = `${root.fingerprint.toString(16).padStart(8, '0')}/84h/1h/0h`
  const xpub = `wpkh([${origin}]${root.derive("m/84'/1'/0'").publicExtendedKey}/<0;1>/*)`
  let node: Litecoind
  let world: World
  let chain: Chain
  let investor: Person
  beforeAll(async () => {
    node = await startLitecoind()
    atEnd(node.remove)
    const rails = derivedRails()
    const backend = { kind: 'core', url: node.url } as const
    const bitcoin = { network: 'litecoin-regtest', xpub, backend, second: null, confirmations: 2 } as const
    world = await openWorld({ rails: { ...rails, bitcoin }, rateLimit: false })
    chain = chainOf(world.services.config, 'bitcoin')!
    investor = await world.person('Ines Investor')
    await syncNow()
  })
  const syncNow = () => syncNetwork(world.services, 'bitcoin', chain)
  const expectSoundBooks = async () => {
    const { checks } = await checkBooks(world.services.pool, world.services.log)
    expect(checks.filter(({ faults }) => faults > 0)).toEqual([])
  }
  const available = async () => (await world.balances(investor)).available
  const shown = async (id: string) => (await world.call(call.getDeposit, investor, { params: { id } })).data
  /** A deposit and its payment from a wallet. */
  async function paid(amount: number) {
    const { data } = await world.call(call.newDeposit, investor, { body: { method: 'bitcoin', amount } })
    const satoshi = parseDecimal(data.payment.amountCrypto, 8)!
    await node.pay({ address: data.payment.address, satoshi })
    return { id: data._id, address: data.payment.address }
  }

  test('[K-02, K-03, C-14] a deposit is seen, confirmed and credited automatically', async () => {
    const before = await available()
    const { id, address } = await paid(250)
    expect(address).toMatch(/^rltc1q/)
    await syncNow()
    expect(await shown(id)).toMatchObject({ stage: 'seen' })
    await node.mine()
    await syncNow()
    expect(await shown(id)).toMatchObject({ stage: 'confirming', confirmations: { have: 1, needed: 2 } })
    await node.mine()
    await syncNow()
    expect(await shown(id)).toMatchObject({ status: 'paid', stage: 'paid', credited: 250 })
    expect((await available()) - before).toBe(25_000n)
  })

  test('[K-02, C-12] a payout signed offline is broadcast and marks its withdrawals as paid', async () => {
    const { ask, approve } = withdrawalsIn(() => world)
    const { make, get } = payoutsIn(() => world)
    const withdrawals = []
    for (const amount of [100, 120]) {
      // Legacy addresses are the same on both coins' test networks.
      const walletAddress = await node.call<string>('getnewaddress', '', 'legacy')
      const { data } = await ask(investor, amount, { walletAddress })
      withdrawals.push((await approve(data._id)).data)
    }
    const ids = withdrawals.map(({ _id }) => _id)
    const batch = await make(ids, { wallet: 'Bitcoin (BTC)', feeRate: 5 })
    expect(batch).toMatchObject({ status: 200 })
    const file = await world.app.inject({
      url: addressOf(payoutFile, { params: { id: batch.data._id } }),
      headers: { authorization: `Bearer ${world.tokenOf(world.admin)}` },
    })
    const transaction = Transaction.fromPSBT(file.rawPayload)
    // An offline device checks amounts against the full transactions (BIP-174).
    for (let at = 0; at < transaction.inputsLength; at += 1) {
      const { nonWitnessUtxo, witnessUtxo, index } = transaction.getInput(at)
      expect(nonWitnessUtxo?.outputs[index!]?.amount).toBe(witnessUtxo!.amount)
    }
    transaction.sign(root as unknown as Signer)
    transaction.finalize()
    expect(await node.call('sendrawtransaction', transaction.hex)).toBe(transaction.id)
    await syncNow()
    expect((await get(batch.data._id)).data.status).toBe('broadcast')
    await node.mine(2)
    await syncNow()
    expect((await get(batch.data._id)).data).toMatchObject({ status: 'final', paid: 2 })
    for (const { _id, walletAddress, payout } of withdrawals) {
      const { data } = await world.call(getWithdrawal, investor, { params: { id: _id } })
      expect(data).toMatchObject({ status: 'paid', transactionId: transaction.id })
      const received = await node.call<number>('getreceivedbyaddress', walletAddress, 1)
      expect(received.toFixed(8)).toBe(payout!.amountCrypto)
    }
    // Our change pays the next one.
    expect((await chain.balances([batch.data.files[0]!.change!.address])).get('BTC')).toBe(
      parseDecimal(batch.data.files[0]!.change!.amountCrypto, 8),
    )
    await expectSoundBooks()
  })

  test('[K-03, S-04] a payout replaced by RBF and moved by a reorg pays once', async () => {
    const { ask, approve } = withdrawalsIn(() => world)
    const { make, get, download } = payoutsIn(() => world)
    await paid(150)
    await node.mine(2)
    await syncNow()
    const before = await world.balances(investor)
    const walletAddress = await node.call<string>('getnewaddress', '', 'legacy')
    const { data: withdrawal } = await ask(investor, 90, { walletAddress })
    await approve(withdrawal._id)
    const { data: batch } = await make([withdrawal._id], { wallet: 'Bitcoin (BTC)', feeRate: 2 })
    const { rawPayload } = await download(batch._id)
    const sign = (transaction: Transaction) => {
      transaction.sign(root as unknown as Signer)
      transaction.finalize()
      return transaction
    }
    const first = sign(Transaction.fromPSBT(rawPayload))
    await node.call('sendrawtransaction', first.hex)
    await syncNow()
    expect((await get(batch._id)).data.items[0]!.transactionId).toBe(first.id)
    const bumped = Transaction.fromPSBT(rawPayload)
    const last = bumped.outputsLength - 1
    bumped.updateOutput(last, { amount: bumped.getOutput(last).amount! - 5_000n })
    const second = sign(bumped)
    await node.call('sendrawtransaction', second.hex)
    await syncNow()
    await node.mine()
    await syncNow()
    expect((await get(batch._id)).data.payments[0]).toMatchObject({
      usedBy: second.id,
      confirmations: { have: 1, needed: 2 },
    })
    await node.disconnectBlocks(1)
    await node.mine(2, { empty: true })
    await syncNow()
    expect((await get(batch._id)).data.status).toBe('broadcast')
    await node.mine(2)
    await syncNow()
    expect((await get(batch._id)).data).toMatchObject({ status: 'final', alerts: 0 })
    const { data } = await world.call(getWithdrawal, investor, { params: { id: withdrawal._id } })
    expect(data).toMatchObject({ status: 'paid', transactionId: second.id })
    const after = await world.balances(investor)
    expect([before.available - after.available, after.held]).toEqual([9_000n, before.held])
    await expectSoundBooks()
  })

  test("[K-03] change to an address of the wallet's choice is ours; payees' is not", async () => {
    const { ask, approve } = withdrawalsIn(() => world)
    const { make } = payoutsIn(() => world)
    const account = bitcoinAccount(xpub, bitcoinNetworks['litecoin-regtest'])
    const highest = async () => {
      const { rows } = await world.owner(
        'SELECT max(address_index) AS last FROM app.payment_addresses WHERE branch = 1',
      )
      return rows[0].last as number
    }
    const walletAddress = await node.call<string>('getnewaddress', '', 'legacy')
    const { data: withdrawal } = await ask(investor, 60, { walletAddress })
    await approve(withdrawal._id)
    await make([withdrawal._id], { wallet: 'Bitcoin (BTC)', feeRate: 2 })
    const chosen = (await highest()) + 15
    const change = addressAt(account, 1, chosen)
    const transactionId = await node.pay({ address: change, satoshi: 123_456n })
    const foreign = await node.pay({ address: walletAddress, satoshi: 55_000n })
    await node.mine(2)
    await syncNow()
    const { rows } = await world.owner(
      `SELECT transaction_id, address, units FROM app.chain_transfers
        WHERE transaction_id IN ('${transactionId}', '${foreign}')`,
    )
    expect(rows).toEqual([{ transaction_id: transactionId, address: change, units: 123_456n }])
    expect(await highest()).toBe(chosen)
    // Addresses in between are watched too.
    const between = addressAt(account, 1, chosen - 3)
    await node.pay({ address: between, satoshi: 50_000n })
    await node.mine(2)
    await syncNow()
    const { rows: known } = await world.owner(
      `SELECT address_index FROM app.payment_addresses WHERE address = '${between}'`,
    )
    expect(known).toEqual([{ address_index: chosen - 3 }])
  })

  test('[K-02, D5] a restarted node does not drop payments that it has not loaded yet', async () => {
    const { id } = await paid(250)
    await syncNow()
    expect(await shown(id)).toMatchObject({ stage: 'seen' })
    // Otherwise the wallet would rebroadcast its own transaction.
    await node.call('unloadwallet', 'wallet', false)
    await node.stop()
    const load = await node.startUnloaded()
    await expect(syncNow()).rejects.toThrow('the node is still loading its mempool')
    expect(await shown(id)).toMatchObject({ stage: 'seen' })
    world.clock.pass({ minutes: 20 })
    await load()
    await syncNow()
    await node.call('loadwallet', 'wallet', true)
    await node.mine(2)
    await syncNow()
    expect(await shown(id)).toMatchObject({ status: 'paid', deviation: null, credited: 250 })
  })
})
