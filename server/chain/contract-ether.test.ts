import { type Address, encodeAbiParameters, type Hex } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Services } from '#server/context.ts'
import { publicMnemonic } from '#server/demo/anvil.ts'
import { demoAccount } from '#server/demo/chain.ts'
import { checkBooks } from '#server/ledger/invariants.ts'
import { sendersOf } from '#server/payouts/wallets.ts'
import { openDatabase, openPool } from '#server/platform/database/pool.ts'
import { startWatching } from '#server/process/chain-worker.ts'
import { syncNetwork } from '#server/process/sync-network.ts'
import type { Chain } from '#server/rails/chain.ts'
import { chainOf } from '#server/rails/chains.ts'
import { chainOverview } from '#shared/contract/console.ts'
import { getDeposit, newDeposit, quoteDeposit } from '#shared/contract/deposits.ts'
import type { Deposit } from '#shared/contract/entities.ts'
import { parseDecimal } from '#shared/money.ts'
import { openAnvil, payer, type TestChain, withoutAnvil } from '#test/support/anvil.ts'
import { atEnd } from '#test/support/clean-up.ts'
import { proxyCode, walletCode } from '#test/support/evm.ts'
import { until } from '#test/support/processes.ts'
import { derivedRails, xpubs } from '#test/support/watched.ts'
import { isWaitedFor, kill, lockTable, startWorker } from '#test/support/worker.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'
import { readCoverage } from './coverage.ts'

describe.skipIf(withoutAnvil)('ether that a contract sends', () => {
  const confirmations = 3
  /** Blocks until balances have certainly been read in a block with enough confirmations. */
  const untilRead = confirmations + 5
  /** The same for an address whose deposit is not pending. */
  const untilReadAgain = confirmations + 50
  const gwei = 10n ** 9n
  const ether = 10n ** 9n
  let network: TestChain
  let wallet: Address
  let safe: Address
  let world: World
  let chain: Chain
  let investor: Person
  beforeAll(async () => {
    network = await openAnvil()
    wallet = await network.deploy(8, walletCode())
    safe = await network.deploy(8, proxyCode(wallet))
    for (const to of [wallet, safe]) await network.send(8, { to, value: 1_000n * ether * gwei })
    await network.mine(4)
    const rails = derivedRails({ ethereum: demoAccount })
    const settings = { rpcUrl: network.url, chainId: 31_337, confirmations, payoutAddress: payer(1).address }
    world = await openWorld({
      rails: { ...rails, ethereum: { ...rails.ethereum, ...settings } },
      rateLimit: false,
    })
    chain = chainOf(world.services.config, 'ethereum')!
    await syncNow()
    await network.mine(untilRead)
    await syncNow()
  })
  beforeEach(async () => {
    await network.mine(untilRead)
    await syncNow()
    investor = await world.person('Ines Investor')
  })
  const syncNow = (of: Chain = chain) => syncNetwork(world.services, 'ethereum', of)
  const ask = async (amount: number) =>
    (await world.call(newDeposit, investor, { body: { method: 'ethereum', amount } })).data
  const due = ({ payment }: Deposit) => parseDecimal(payment.amountCrypto, 9)!
  const shown = async ({ _id }: Deposit) =>
    (await world.call(getDeposit, investor, { params: { id: _id } })).data
  const available = async () => (await world.balances(investor)).available
  /** The contract sends ether: a transaction to the contract, not to the address. */
  const paysBy = (contract: Address, { payment }: { payment: { address: string } }, units: bigint) =>
    network.send(9, {
      to: contract,
      data: encodeAbiParameters(
        [{ type: 'address' }, { type: 'uint256' }],
        [payment.address as Address, units * gwei],
      ),
    })
  const mineAndSync = async (blocks = untilRead) => {
    await network.mine(blocks)
    await syncNow()
  }
  /** Sends all but the fee away, as the firm's wallet does. */
  async function sweep({ payment }: Deposit, index: number): Promise<void> {
    const account = mnemonicToAccount(publicMnemonic, { accountIndex: 1, addressIndex: index })
    expect(account.address.toLowerCase()).toBe(payment.address.toLowerCase())
    const price = 10n * gwei
    const value = (await network.client.getBalance({ address: account.address })) - 21_000n * price
    const signed: Hex = await account.signTransaction({
      type: 'eip1559',
      chainId: 31_337,
      to: payer(7).address,
      value,
      gas: 21_000n,
      nonce: await network.client.getTransactionCount({ address: account.address, blockTag: 'pending' }),
      maxFeePerGas: price,
      maxPriorityFeePerGas: price,
    })
    await network.client.sendRawTransaction({ serializedTransaction: signed })
  }
  const indexOf = async ({ payment }: Deposit) => {
    const { rows } = await world.owner(
      `SELECT address_index FROM app.payment_addresses WHERE address = '${payment.address}'`,
    )
    return rows[0].address_index as number
  }
  const expectSoundBooks = async () => {
    const { checks } = await checkBooks(world.services.pool, world.services.log)
    expect(checks.filter(({ faults }) => faults > 0)).toEqual([])
  }

  test.each(['a wallet', 'a proxy like a Safe'])(
    '[D-17, B-03] of %s is credited once, with the block that shows it',
    async kind => {
      const deposit = await ask(250)
      await mineAndSync()
      await paysBy(kind === 'a wallet' ? wallet : safe, deposit, due(deposit))
      await network.mine()
      const { number, hash } = await network.client.getBlock()
      await mineAndSync()
      const expected = {
        status: 'paid',
        credited: 250,
        deviation: null,
        flags: ['by_contract'],
        transfers: [
          { transactionId: null, block: { height: Number(number), hash }, state: 'credited', late: false },
        ],
      }
      expect(await shown(deposit)).toMatchObject(expected)
      await mineAndSync()
      expect(await shown(deposit)).toMatchObject(expected)
      expect((await shown(deposit)).transfers).toHaveLength(1)
      expect(await available()).toBe(25_000n)
      await expectSoundBooks()
    },
  )

  test('counts beside plain transfers of the same block, each for itself', async () => {
    const deposit = await ask(300)
    const third = due(deposit) / 3n
    // Less than a gwei counts for nobody.
    await network.send(8, { to: deposit.payment.address as Address, value: third * gwei + gwei - 1n })
    await paysBy(wallet, deposit, third)
    await paysBy(safe, deposit, due(deposit) - 2n * third)
    await mineAndSync()
    const { status, credited, transfers } = await shown(deposit)
    expect({ status, credited }).toEqual({ status: 'paid', credited: 300 })
    expect(
      transfers.map(({ transactionId, amountCrypto }) => [transactionId === null, amountCrypto]),
    ).toEqual(
      expect.arrayContaining([
        [false, amountOf(third)],
        [true, amountOf(due(deposit) - third)],
      ]),
    )
    await expectSoundBooks()
  })

  test('is found block by block', async () => {
    const deposit = await ask(200)
    await paysBy(wallet, deposit, due(deposit) / 2n)
    await network.mine(3)
    await paysBy(safe, deposit, due(deposit) - due(deposit) / 2n)
    await mineAndSync()
    const { transfers } = await shown(deposit)
    expect(transfers.map(({ block }) => block!.height)).toEqual([
      transfers[0]!.block!.height,
      transfers[0]!.block!.height + 3,
    ])
    expect(await available()).toBe(20_000n)
  })

  test('of blocks that a node has forgotten is shown by the first that it knows', async () => {
    const deposit = await ask(100)
    await mineAndSync()
    await paysBy(wallet, deposit, due(deposit))
    await mineAndSync(150)
    const tip = Number(await network.client.getBlockNumber())
    const { status, transfers } = await shown(deposit)
    expect({ status, heights: transfers.map(({ block }) => block!.height) }).toEqual({
      status: 'paid',
      heights: [tip - 100],
    })
    await mineAndSync(untilReadAgain)
    expect((await shown(deposit)).transfers).toHaveLength(1)
  })

  test('makes its address used, so that coverage agrees and nobody else gets it', async () => {
    const query = { method: 'ethereum', amount: '100' } as const
    const { data: quote } = await world.call(quoteDeposit, investor, { query })
    await mineAndSync()
    await paysBy(wallet, { payment: quote }, ether)
    await mineAndSync(untilReadAgain)
    const deposit = await ask(100)
    expect(deposit.payment.address).not.toBe(quote.address)
    const difference = async () => {
      await readCoverage(world.services, sendersOf, rail => (rail === 'ethereum' ? chain : undefined))
      const { data } = await world.call(chainOverview, world.admin, {})
      return parseDecimal(data.assets.find(({ asset }) => asset === 'ETH')!.difference!, 9)
    }
    const before = await difference()
    await paysBy(wallet, deposit, due(deposit))
    await mineAndSync()
    world.clock.pass({ minutes: 1 })
    expect(await difference()).toBe(before)
  })

  test('is found beside a sweep of the firm, whose fee is no loss', async () => {
    const deposit = await ask(150)
    const index = await indexOf(deposit)
    await network.send(8, { to: deposit.payment.address as Address, value: due(deposit) * gwei })
    await mineAndSync()
    expect(await available()).toBe(15_000n)
    await sweep(deposit, index)
    await network.mine()
    await paysBy(wallet, deposit, ether)
    await network.mine()
    await sweep(deposit, index)
    await mineAndSync(untilReadAgain)
    expect((await shown(deposit)).transfers.map(({ amountCrypto }) => amountCrypto)).toContain(
      amountOf(ether),
    )
    expect(await network.client.getBalance({ address: deposit.payment.address as Address })).toBe(0n)
    const { transfers } = await shown(deposit)
    await mineAndSync(untilReadAgain)
    expect((await shown(deposit)).transfers).toEqual(transfers)
    await expectSoundBooks()
  })

  test('what an address had before it was given to an investor is not credited', async () => {
    // The accounts of this key have 10,000 ether each.
    const rails = {
      ...derivedRails(),
      ethereum: { ...world.services.config.rails.ethereum, xpub: xpubs.ethereum },
    }
    const other = await openWorld({ rails })
    await syncNetwork(other.services, 'ethereum', chain)
    const person = await other.person('Oskar Other')
    const { data } = await other.call(newDeposit, person, { body: { method: 'ethereum', amount: 100 } })
    await network.mine(untilRead)
    await syncNetwork(other.services, 'ethereum', chain)
    await paysBy(wallet, data, ether)
    await network.mine(untilRead)
    await syncNetwork(other.services, 'ethereum', chain)
    const { data: later } = await other.call(getDeposit, person, { params: { id: data._id } })
    expect(later.transfers.map(({ amountCrypto }) => amountCrypto)).toEqual([amountOf(ether)])
  })

  test('a call of our own wallet in the block makes it an internal transfer', async () => {
    const deposit = await ask(120)
    await network.send(1, {
      to: wallet,
      data: encodeAbiParameters(
        [{ type: 'address' }, { type: 'uint256' }],
        [deposit.payment.address as Address, due(deposit) * gwei],
      ),
    })
    await mineAndSync()
    const { status, transfers } = await shown(deposit)
    expect({ status, states: transfers.map(({ state }) => state) }).toEqual({
      status: 'pending',
      states: ['internal'],
    })
  })

  test('a call of an address of ours by a stranger hides no arrival', async () => {
    const [deposit, another] = [await ask(130), await ask(140)]
    await paysBy(wallet, deposit, due(deposit))
    await network.send(8, { to: another.payment.address as Address, data: '0x01' })
    await mineAndSync()
    expect((await shown(deposit)).status).toBe('paid')
  })

  test('a reorg before the confirmations shows nothing of it', async () => {
    const deposit = await ask(100)
    const base = await network.client.snapshot()
    await paysBy(wallet, deposit, due(deposit))
    await mineAndSync(confirmations - 1)
    await network.fork(base, confirmations - 1)
    await mineAndSync()
    expect(await shown(deposit)).toMatchObject({ status: 'pending', transfers: [] })
  })

  test('[B-03] a reorg after the credit reverses it, and it is credited again in its new block', async () => {
    const deposit = await ask(100)
    await mineAndSync()
    const base = await network.client.snapshot()
    const pay = () => paysBy(wallet, deposit, due(deposit))
    await pay()
    await mineAndSync()
    expect(await available()).toBe(10_000n)
    await network.fork(base, untilRead)
    await syncNow()
    expect(await available()).toBe(0n)
    expect(await shown(deposit)).toMatchObject({ status: 'pending', credited: null })
    await pay()
    await mineAndSync()
    expect(await shown(deposit)).toMatchObject({ status: 'paid', credited: 100 })
    expect(await available()).toBe(10_000n)
    await expectSoundBooks()
  })

  test('[B-03] a worker killed while it stores it credits it once later', async () => {
    const deposit = await ask(100)
    await mineAndSync()
    await paysBy(safe, deposit, due(deposit))
    await network.mine(untilRead)
    const env = {
      ETHEREUM_XPUB: demoAccount,
      ETHEREUM_RPC_URL: network.url,
      ETHEREUM_CHAIN_ID: '31337',
      ETHEREUM_CONFIRMATIONS: `${confirmations}`,
    }
    const held = await world.database.owner.connect()
    try {
      await lockTable(held, 'app.ether_balances')
      const worker = startWorker(world, env)
      await until(() => isWaitedFor(world, 'app.ether_balances'))
      await kill(worker)
    } finally {
      await held.query('ROLLBACK').finally(() => held.release(true))
    }
    expect(await shown(deposit)).toMatchObject({ status: 'pending', transfers: [] })
    const next = startWorker(world, env)
    await until(async () => (await shown(deposit)).status === 'paid')
    await kill(next)
    await mineAndSync()
    expect(await available()).toBe(10_000n)
    await expectSoundBooks()
  })

  test('[B-03] two workers credit it once', async () => {
    const pool = openPool({ url: world.database.appUrl, as: 'app', name: 'probity test', max: 5 })
    atEnd(() => pool.end())
    const other: Services = { ...world.services, pool, db: openDatabase(pool) }
    const chainFor = (rail: string) => (rail === 'ethereum' ? chain : undefined)
    const deposit = await ask(100)
    const stops = [world.services, other].map(services => startWatching(services, { chainFor, pauseMs: 5 }))
    try {
      await paysBy(wallet, deposit, due(deposit))
      for (let n = 0; n < untilRead + 5; n += 1) await network.mine()
      await until(async () => (await shown(deposit)).status === 'paid')
    } finally {
      await Promise.all(stops.map(stop => stop()))
    }
    await mineAndSync()
    expect(await available()).toBe(10_000n)
    expect((await shown(deposit)).transfers).toHaveLength(1)
    await expectSoundBooks()
  })

  // The last one: it moves the chain's clock.
  test('[D5] after the window is late: the rate is that of its block', async () => {
    const deposit = await ask(100)
    await mineAndSync()
    world.clock.pass({ minutes: 40 })
    await world.refreshPrices()
    world.clock.pass({ minutes: 1 })
    const timestamp = BigInt(Math.floor(world.clock.now().getTime() / 1000))
    await network.client.setNextBlockTimestamp({ timestamp })
    await paysBy(wallet, deposit, due(deposit))
    await mineAndSync()
    const { status, deviation, transfers } = await shown(deposit)
    expect({ status, deviation, late: transfers[0]!.late }).toEqual({
      status: 'paid',
      deviation: 'late',
      late: true,
    })
    expect(new Date(transfers[0]!.arrivedAt).getTime()).toBe(Number(timestamp) * 1000)
  })
})

/** Gwei as the API writes ether. */
function amountOf(units: bigint): string {
  const digits = `${units}`.padStart(10, '0')
  return `${digits.slice(0, -9)}.${digits.slice(-9)}`
}
