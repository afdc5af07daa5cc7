import { type Address, type Hex, parseTransaction, type TransactionSerializable } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { readCoverage } from '#server/chain/coverage.ts'
import { publicMnemonic } from '#server/demo/anvil.ts'
import { demoAccount } from '#server/demo/chain.ts'
import { syncNetwork } from '#server/process/sync-network.ts'
import { type Chain, ChainError } from '#server/rails/chain.ts'
import { chainOf } from '#server/rails/chains.ts'
import type { EthereumPayoutFile } from '#server/rails/ethereum/plans.ts'
import type { SweepWallet } from '#shared/batch-coins.ts'
import { getDeposit, newDeposit } from '#shared/contract/deposits.ts'
import type { Deposit } from '#shared/contract/entities.ts'
import type { PayoutDetail } from '#shared/contract/payouts.ts'
import * as call from '#shared/contract/sweeps.ts'
import { parseDecimal } from '#shared/money.ts'
import { openAnvil, payer, type TestChain, withoutAnvil } from '#test/support/anvil.ts'
import { payoutsIn } from '#test/support/payouts.ts'
import { derivedRails } from '#test/support/watched.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'
import { readHoldings } from './holdings.ts'
import { sendersOf } from './wallets.ts'

const confirmations = 3
const gwei = 10n ** 9n
const payoutAddress = payer(1).address

describe.skipIf(withoutAnvil)('moving deposits to the payout address', () => {
  let network: TestChain
  let usdt: Address
  let usdc: Address
  let world: World
  let chain: Chain
  let investor: Person
  beforeAll(async () => {
    network = await openAnvil()
    usdt = await network.token(8, { answers: false })
    usdc = await network.token(8)
    const rails = derivedRails({ ethereum: demoAccount })
    const settings = { rpcUrl: network.url, chainId: 31_337, confirmations, payoutAddress }
    world = await openWorld({
      rails: {
        ...rails,
        ethereum: { ...rails.ethereum, ...settings, contracts: { USDT: usdt, USDC: usdc } },
      },
      rateLimit: false,
    })
    chain = chainOf(world.services.config, 'ethereum')!
    await network.mine(4)
    await sync()
  })
  beforeEach(async () => {
    investor = await world.person('Ines Investor')
    await world.refreshPrices()
    await network.mine(confirmations)
    await sync()
  })
  const acts = payoutsIn(() => world)
  const { cancel, download, get, outgoing, raiseFee, sign } = acts
  const sync = () => syncNetwork(world.services, 'ethereum', chain)
  const mineAndSync = async (blocks = confirmations) => {
    await network.mine(blocks)
    await sync()
  }
  const ask = async (amount = 100): Promise<Deposit> =>
    (await world.call(newDeposit, investor, { body: { method: 'ethereum', amount } })).data
  const addressOf = ({ payment }: Deposit) => payment.address as Address
  const due = ({ payment }: Deposit) => parseDecimal(payment.amountCrypto, 9)!
  const paysEther = (deposit: Deposit, units = due(deposit)) =>
    network.send(8, { to: addressOf(deposit), value: units * gwei })
  const shown = async ({ _id }: Deposit) =>
    (await world.call(getDeposit, investor, { params: { id: _id } })).data
  const keyOf = (index: number) => mnemonicToAccount(publicMnemonic, { accountIndex: 1, addressIndex: index })
  const balanceOf = (address: Address) => network.client.getBalance({ address })
  const tokenOf = async (contract: Address, address: Address) =>
    BigInt(
      (await network.client.call({ to: contract, data: `0x70a08231${address.slice(2).padStart(64, '0')}` }))
        .data!,
    )

  /** What the addresses hold now, as a worker reads it after staff have asked. */
  const read = async (wallet: SweepWallet, who = world.admin) => {
    await world.call(call.readHoldings, who, { body: { wallet } })
    await sync()
    await readHoldings(world.services, 'ethereum', chain)
    return held(wallet)
  }
  const held = async (wallet: SweepWallet = 'Ethereum (ETH)') => {
    const { data } = await world.call(call.depositHoldings, world.admin)
    return data.find(one => one.wallet === wallet)!
  }
  const preview = (wallet: SweepWallet) => world.call(call.previewSweep, world.admin, { query: { wallet } })
  const make = (wallet: SweepWallet, who = world.admin) =>
    world.call(call.newSweep, who, { body: { wallet } })
  const sweep = async (wallet: SweepWallet): Promise<PayoutDetail> => {
    await read(wallet)
    const { status, data, message } = await make(wallet)
    expect(status, message).toBe(200)
    return data
  }
  const fileOf = async ({ _id }: PayoutDetail) => JSON.parse((await download(_id)).body) as EthereumPayoutFile
  /** Signs as a wallet that finds each key by its path; the payout address has none in the file. */
  const signFile = async ({ transactions }: EthereumPayoutFile, changes: object = {}) => {
    const signed = transactions.map(({ derivationPath, transaction, unsigned }) => {
      const account =
        derivationPath === undefined ? payer(1) : keyOf(Number(derivationPath.split('/').at(-1)))
      expect(account.address).toBe(transaction.from)
      return account.signTransaction({
        ...parseTransaction(unsigned as `0x02${string}`),
        ...changes,
      } as TransactionSerializable)
    })
    return Promise.all(signed)
  }
  const signs = async (batch: PayoutDetail) => {
    const { status, message } = await sign(batch._id, (await signFile(await fileOf(batch))).join('\n'))
    expect(status, message).toBe(200)
  }
  /** Signed, broadcast and final. */
  const completes = async (batch: PayoutDetail) => {
    await signs(batch)
    for (let round = 0; round < 3; round += 1) {
      world.clock.pass({ minutes: 2 })
      await sync()
      await mineAndSync()
    }
    return (await get(batch._id)).data
  }
  const coverage = async (token: string) => {
    await readCoverage(world.services, sendersOf, rail => (rail === 'ethereum' ? chain : undefined))
    const { rows } = await world.owner(
      `SELECT units::text FROM app.coverage_readings WHERE token = '${token}' ORDER BY at DESC LIMIT 1`,
    )
    return BigInt(rows[0].units)
  }
  /** What transactions cost, in wei. */
  const costOf = async ({ payments }: PayoutDetail) => {
    const receipts = await Promise.all(
      payments.map(({ usedBy }) => network.client.getTransactionReceipt({ hash: usedBy as Hex })),
    )
    return receipts.reduce((sum, { gasUsed, effectiveGasPrice }) => sum + gasUsed * effectiveGasPrice, 0n)
  }
  /** Empties all addresses, so that the next test finds only its own deposits. */
  const clear = async () => {
    for (const wallet of ['USDT ERC-20', 'USDC ERC-20', 'Ethereum (ETH)'] as const) {
      await read(wallet)
      const { status, data } = await make(wallet)
      if (status === 200) await completes(data)
    }
  }

  test('[S-04] sweeps ether, and what is ours stays the same but for the fees', async () => {
    const deposits = [await ask(100), await ask(200)]
    for (const deposit of deposits) await paysEther(deposit)
    await mineAndSync()
    expect(await read('Ethereum (ETH)')).toMatchObject({ addresses: 2, unavailable: null })
    const before = { covered: await coverage('ETH'), payout: await balanceOf(payoutAddress) }
    const { data: planned } = await preview('Ethereum (ETH)')
    expect(planned).toMatchObject({ count: 2, to: payoutAddress, topUps: null, left: [] })
    const batch = await sweep('Ethereum (ETH)')
    expect(batch).toMatchObject({
      purpose: 'sweep',
      asset: 'ETH',
      count: 2,
      amount: null,
      amountCrypto: planned.amountCrypto,
      sender: payoutAddress,
      items: [],
      moves: [
        { kind: 'sweep', address: payoutAddress, from: addressOf(deposits[1]!) },
        { kind: 'sweep', address: payoutAddress, from: addressOf(deposits[0]!) },
      ],
    })
    expect((await fileOf(batch)).transactions[0]).toMatchObject({
      derivationPath: expect.stringMatching(/^m\/44'\/60'\/1'\/0\/\d+$/),
      transaction: { gas: '0x5208' },
    })
    const done = await completes(batch)
    expect(done).toMatchObject({ status: 'final', count: 2, paid: 2, alerts: 0 })
    const swept = parseDecimal(batch.amountCrypto, 9)! * gwei
    expect(await balanceOf(payoutAddress)).toBe(before.payout + swept)
    const lost = (before.covered - (await coverage('ETH'))) * gwei
    const cost = await costOf(done)
    expect(lost >= cost - gwei && lost <= cost + gwei).toBe(true)
    expect((await outgoing()).data).toEqual([])
    expect((await shown(deposits[0]!)).credited).toBe(100)
    await clear()
  })

  test.each(['USDT', 'USDC'] as const)(
    '[S-04] sweeps %s after a top-up of the fee, which credits nobody',
    async token => {
      const contract = token === 'USDT' ? usdt : usdc
      const [poor, rich] = [await ask(100), await ask(200)]
      await paysEther(rich)
      for (const deposit of [poor, rich])
        await network.sendToken(8, contract, addressOf(deposit), 50_000_000n)
      await mineAndSync()
      await read(`${token} ERC-20`)
      const before = { covered: await coverage(token), ether: (await shown(poor)).credited }
      const { data: planned } = await preview(`${token} ERC-20`)
      expect(planned).toMatchObject({ count: 2, amountCrypto: '100.000000', topUps: { count: 1 } })
      const batch = await sweep(`${token} ERC-20`)
      expect(batch.moves.map(({ kind, asset, from }) => [kind, asset, from])).toEqual(
        expect.arrayContaining([
          ['top_up', 'ETH', payoutAddress],
          ['sweep', token, addressOf(poor)],
          ['sweep', token, addressOf(rich)],
        ]),
      )
      expect(batch.moves[0]).toMatchObject({ kind: 'top_up', address: addressOf(poor) })
      await signs(batch)
      await sync()
      const waiting = (await get(batch._id)).data.payments
      const transferOf = (deposit: Deposit) =>
        batch.moves.find(({ kind, from }) => kind === 'sweep' && from === addressOf(deposit))!.payment
      expect(waiting[transferOf(poor)]).toMatchObject({
        waitsForTopUp: true,
        signed: [{ broadcastAt: null }],
      })
      expect(waiting[transferOf(rich)]).toMatchObject({ waitsForTopUp: false, signed: [{ refused: null }] })
      await mineAndSync(1)
      expect((await get(batch._id)).data.payments[transferOf(poor)]).toMatchObject({
        waitsForTopUp: false,
        signed: [{ refused: null, broadcastAt: expect.any(String) }],
      })
      await mineAndSync()
      expect((await get(batch._id)).data).toMatchObject({ status: 'final', paid: 2, alerts: 0 })
      expect(await tokenOf(contract, payoutAddress)).toBeGreaterThanOrEqual(100_000_000n)
      expect(await coverage(token)).toBe(before.covered)
      expect((await shown(poor)).credited).toBe(before.ether)
      expect((await outgoing()).data).toEqual([])
      await clear()
    },
  )

  test('[S-04] credits what arrives while the address is swept', async () => {
    const deposit = await ask(100)
    const half = due(deposit) / 2n
    await paysEther(deposit, half)
    await mineAndSync()
    const batch = await sweep('Ethereum (ETH)')
    await paysEther(deposit, due(deposit) - half)
    await mineAndSync()
    const done = await completes(batch)
    expect(done).toMatchObject({ status: 'final', paid: 1 })
    expect(await shown(deposit)).toMatchObject({ status: 'paid', credited: 100 })
    await read('Ethereum (ETH)')
    expect((await preview('Ethereum (ETH)')).data.count).toBe(1)
    await clear()
  })

  test('[S-04] a transaction that pays somebody else is a fault with its id', async () => {
    const deposit = await ask(100)
    await paysEther(deposit)
    await mineAndSync()
    const batch = await sweep('Ethereum (ETH)')
    const thief = payer(6).address
    const [raw] = await signFile(await fileOf(batch), { to: thief })
    const refused = await sign(batch._id, raw!)
    expect(refused).toMatchObject({ status: 409, message: expect.stringContaining(`ETH to ${thief}`) })
    const transactionId = await network.client.sendRawTransaction({ serializedTransaction: raw! })
    await mineAndSync()
    const { data } = await get(batch._id)
    expect(data).toMatchObject({ status: 'void', paid: 0, alerts: 1, moves: [{ state: 'released' }] })
    expect(data.moves[0]!.alert).toMatchObject({
      kind: 'otherwise',
      transactionId,
      amountCrypto: '0.000000000',
    })
    expect((await outgoing()).data).toMatchObject([
      { transactionId, sender: addressOf(deposit).toLowerCase() },
    ])
    await acts.explain(transactionId)
    await acts.acknowledge(batch._id, [transactionId])
    await clear()
  })

  test('[S-04] cancels at once while nobody has the file, then by the network', async () => {
    const deposit = await ask(100)
    await network.sendToken(8, usdt, addressOf(deposit), 50_000_000n)
    await mineAndSync()
    expect((await cancel((await sweep('USDT ERC-20'))._id)).data).toMatchObject({ status: 'void' })
    const batch = await sweep('USDT ERC-20')
    await signFile(await fileOf(batch))
    const { data } = await cancel(batch._id)
    expect(data).toMatchObject({ status: 'drafted', cancelledAt: expect.any(String) })
    // The address can pay for its cancellation only with the top-up.
    expect((await fileOf(data)).transactions.map(({ pays }) => [pays.recipient, pays.token])).toEqual([
      [addressOf(deposit), 'ETH'],
      [addressOf(deposit), 'ETH'],
    ])
    expect(await completes(data)).toMatchObject({
      status: 'final',
      paid: 0,
      alerts: 0,
      moves: [
        { kind: 'top_up', state: 'paid' },
        { kind: 'sweep', state: 'released' },
      ],
    })
    expect(await tokenOf(usdt, addressOf(deposit))).toBe(50_000_000n)
    await clear()
  })

  test('[S-04] sends no top-up for a cancelled sweep whose file nobody has', async () => {
    const [first, second] = [await ask(100), await ask(200)]
    await network.sendToken(8, usdt, addressOf(first), 50_000_000n)
    await mineAndSync()
    const batch = await sweep('USDT ERC-20')
    await network.sendToken(8, usdt, addressOf(second), 60_000_000n)
    await mineAndSync()
    const later = await sweep('USDT ERC-20')
    const { data } = await cancel(batch._id)
    const states = data.moves.map(({ kind, state }) => `${kind} ${state}`)
    expect(new Set(states)).toEqual(new Set(['top_up open', 'sweep released']))
    // The later batch waits for these nonces, so the payout address uses them, and pays itself nothing.
    for (const { transaction } of (await fileOf(data)).transactions)
      expect(transaction).toMatchObject({ from: payoutAddress, to: payoutAddress, value: '0x0' })
    expect(await completes(data)).toMatchObject({ status: 'void', paid: 0, alerts: 0 })
    expect(await balanceOf(addressOf(first))).toBe(0n)
    expect(await completes(later)).toMatchObject({ status: 'final', paid: 1 })
    await clear()
  })

  test('[S-04] raises the fee as far as the address can pay it', async () => {
    const deposit = await ask(100)
    await paysEther(deposit)
    await mineAndSync()
    const batch = await sweep('Ethereum (ETH)')
    await signs(batch)
    await sync()
    expect((await get(batch._id)).data.payments[0]).toMatchObject({ status: 'broadcast' })
    await world.owner(`UPDATE app.fee_estimates SET price = price * 10 WHERE rail = 'ethereum'`)
    const { data: raised, status } = await raiseFee(batch._id)
    expect(status).toBe(200)
    expect(await raiseFee(batch._id)).toMatchObject({ reason: 'fee_room_used' })
    expect((await fileOf(raised)).transactions[0]).toMatchObject({
      derivationPath: expect.any(String),
      pays: { recipient: payoutAddress, amount: batch.moves[0]!.amountCrypto },
    })
    const [raw] = await signFile(await fileOf(raised))
    const done = await completes(raised)
    expect(done).toMatchObject({ status: 'final', paid: 1, alerts: 0 })
    expect(await network.client.getTransaction({ hash: done.payments[0]!.usedBy as Hex })).toMatchObject({
      maxFeePerGas: parseTransaction(raw as `0x02${string}`).maxFeePerGas,
    })
    await clear()
  })

  test('[S-04] leaves out dust and what another batch moves, and says how much', async () => {
    const deposits = [await ask(100), await ask(200), await ask(300)]
    await paysEther(deposits[0]!)
    await read('Ethereum (ETH)')
    // Half as much again as what stays for the fee.
    const { rows } = await world.owner(`SELECT price::text FROM app.fee_estimates WHERE rail = 'ethereum'`)
    await paysEther(deposits[1]!, (21_000n * BigInt(rows[0].price) * 9n) / 4n / gwei)
    await mineAndSync()
    await sweep('Ethereum (ETH)')
    await paysEther(deposits[2]!)
    await mineAndSync()
    await read('Ethereum (ETH)')
    const { data } = await preview('Ethereum (ETH)')
    expect(data.count).toBe(1)
    expect(data.left).toEqual(
      expect.arrayContaining([
        { why: 'busy', count: 1, amountCrypto: deposits[0]!.payment.amountCrypto.padEnd(11, '0') },
        { why: 'dust', count: expect.any(Number), amountCrypto: expect.any(String) },
      ]),
    )
    await completes(await sweep('Ethereum (ETH)'))
  })

  test('[S-04] leaves what the reading did not try for the next batch', async () => {
    const deposits = [await ask(100), await ask(200)]
    for (const deposit of deposits) await paysEther(deposit)
    await mineAndSync()
    const { addresses, amountCrypto } = await read('Ethereum (ETH)')
    const untried = addressOf(deposits[0]!).toLowerCase()
    await world.owner(`UPDATE app.holdings SET gas = NULL, next_nonce = NULL WHERE address = '${untried}'`)
    expect(await held()).toMatchObject({ addresses, amountCrypto })
    const { left } = (await preview('Ethereum (ETH)')).data
    expect(left).toContainEqual({
      why: 'more',
      count: 1,
      amountCrypto: deposits[0]!.payment.amountCrypto.padEnd(11, '0'),
    })
    await clear()
  })

  test('[S-04] needs balances that were read lately, and the right to decide', async () => {
    const auditor = await world.person('Asta Auditor', 'auditor')
    await paysEther(await ask(100))
    await mineAndSync()
    await read('Ethereum (ETH)')
    expect((await make('Ethereum (ETH)', auditor)).code).toBe('forbidden')
    world.clock.pass({ minutes: 16 })
    expect(await make('Ethereum (ETH)')).toMatchObject({ reason: 'holdings_outdated' })
    await world.refreshPrices()
    await clear()
  })

  test('[S-04] leaves what a Safe cannot top up, and says so', async () => {
    const deposit = await ask(100)
    await network.sendToken(8, usdt, addressOf(deposit), 50_000_000n)
    await mineAndSync()
    await read('USDT ERC-20')
    await world.owner(`UPDATE app.sender_nonces SET safe_version = '1.4.1'`)
    expect(await preview('USDT ERC-20')).toMatchObject({
      reason: 'nothing_to_sweep',
      message:
        'No USDT can be moved now. Addresses: 1 without ether for the fee, which a Safe does not send.',
    })
    await read('USDT ERC-20')
    expect((await preview('USDT ERC-20')).data.count).toBe(1)
    await clear()
  })

  test('[K-03] a reorg of a final sweep is told, and ends when it returns', async () => {
    const deposit = await ask(100)
    await paysEther(deposit)
    await mineAndSync()
    const batch = await sweep('Ethereum (ETH)')
    const [raw] = await signFile(await fileOf(batch))
    const base = await network.client.snapshot()
    await sign(batch._id, raw!)
    await sync()
    await mineAndSync()
    expect((await get(batch._id)).data).toMatchObject({ status: 'final', paid: 1 })
    await network.fork(base, confirmations + 1)
    await sync()
    expect((await get(batch._id)).data.moves[0]!.alert).toMatchObject({ kind: 'dropped', reviewed: null })
    // We broadcast it again.
    world.clock.pass({ minutes: 2 })
    await sync()
    await mineAndSync()
    expect((await get(batch._id)).data).toMatchObject({ alerts: 0, moves: [{ state: 'paid', alert: null }] })
    await clear()
  })

  test('[S-04] a node that cannot read balances is asked once', async () => {
    await world.call(call.readHoldings, world.admin, { body: { wallet: 'Ethereum (ETH)' } })
    expect(await held()).toMatchObject({ isReading: true, failure: null })
    let asked = 0
    const holdings = async () => {
      asked += 1
      throw new ChainError('no answer')
    }
    for (let n = 0; n < 2; n += 1) await readHoldings(world.services, 'ethereum', { holdings })
    expect(asked).toBe(1)
    expect(await held()).toMatchObject({ isReading: false, failure: 'no answer' })
    expect(await read('Ethereum (ETH)')).toMatchObject({ isReading: false, failure: null })
  })

  test('[S-04] a reading that no worker has done is no longer due after 15 minutes', async () => {
    await world.call(call.readHoldings, world.admin, { body: { wallet: 'Ethereum (ETH)' } })
    expect(await held()).toMatchObject({ isReading: true })
    world.clock.pass({ minutes: 16 })
    expect(await held()).toMatchObject({ isReading: false })
    await world.refreshPrices()
  })

  test('[S-04] refuses top-ups that the payout address cannot pay', async () => {
    const deposit = await ask(100)
    await network.sendToken(8, usdt, addressOf(deposit), 50_000_000n)
    await mineAndSync()
    await read('USDT ERC-20')
    await world.owner(`UPDATE app.holding_readings SET payout_units = 1000`)
    expect(await make('USDT ERC-20')).toMatchObject({ reason: 'too_little_for_top_ups' })
    await clear()
  })

  test('[S-04] neither gives out nor broadcasts a sweep to a former payout address', async () => {
    const deposit = await ask(100)
    await paysEther(deposit)
    await mineAndSync()
    const batch = await sweep('Ethereum (ETH)')
    const raw = (await signFile(await fileOf(batch))).join('\n')
    expect((await sign(batch._id, raw)).status).toBe(200)
    const { ethereum } = world.services.config.rails
    ethereum.payoutAddress = payer(2).address
    try {
      await sync()
      expect((await get(batch._id)).data.payments[0]).toMatchObject({ signed: [{ broadcastAt: null }] })
      const refusal = { reason: 'former_payout_address', message: expect.stringContaining(payoutAddress) }
      expect(await sign(batch._id, raw)).toMatchObject(refusal)
      expect(await raiseFee(batch._id)).toMatchObject(refusal)
      expect(JSON.parse((await download(batch._id)).body)).toMatchObject(refusal)
      const cancelled = await completes((await cancel(batch._id)).data)
      expect(cancelled).toMatchObject({ status: 'void', paid: 0, alerts: 0 })
    } finally {
      ethereum.payoutAddress = payoutAddress
    }
    await clear()
  })

  test('[S-04] the database refuses a sweep to any other address', async () => {
    const deposit = await ask(100)
    await paysEther(deposit)
    await mineAndSync()
    const { _id } = await sweep('Ethereum (ETH)')
    const thief = payer(6).address
    const insert = (kind: string, address: string, token = 'ETH') =>
      world.database.app.query(
        `INSERT INTO app.payout_items (batch_id, position, payment, kind, address, token, units)
         VALUES ($1, 40, 0, $2, $3, $4, 1)`,
        [_id, kind, address, token],
      )
    await expect(insert('sweep', thief)).rejects.toThrow(/is no sweep of it/)
    await expect(insert('sweep', payoutAddress, 'USDT')).rejects.toThrow(/is no sweep of it/)
    await expect(insert('top_up', addressOf(deposit))).rejects.toThrow(/is no top_up of it/)
    await world.owner(`UPDATE app.payout_payments SET sender = '${payoutAddress}' WHERE batch_id = '${_id}'`)
    await expect(insert('top_up', thief)).rejects.toThrow(/is no top_up of it/)
    await expect(insert('sweep', payoutAddress)).rejects.toThrow(/is no sweep of it/)
  })
})
