import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { demoAccount } from '#server/demo/chain.ts'
import { checkBooks } from '#server/ledger/invariants.ts'
import { syncNetwork } from '#server/process/sync-network.ts'
import { chainOf } from '#server/rails/chains.ts'
import { type DepositMethod, paymentMethods, railNames } from '#shared/coins.ts'
import { chainOverview } from '#shared/contract/console.ts'
import {
  approveDeposit,
  creditDeposit,
  getDeposit,
  newDeposit,
  quoteDeposit,
} from '#shared/contract/deposits.ts'
import { openAnvil, type TestChain, withoutAnvil } from '#test/support/anvil.ts'
import { firmBalance } from '#test/support/books.ts'
import { derivedRails } from '#test/support/watched.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'
import { readCoverage } from './coverage.ts'

type Hex = `0x${string}`

/** Deposits in tokens on a real chain: they share Ethereum's addresses with ether. */
describe.skipIf(withoutAnvil)('deposits in USDT and USDC on Ethereum', () => {
  const confirmations = 3
  /** Who deployed the tokens, and pays. */
  const wallet = 1
  const tokens = {} as Record<'USDT' | 'USDC', Hex>
  let network: TestChain
  let world: World
  let investor: Person
  const settingsWith = (paymentTokens: World['services']['config']['rails']['ethereum']['paymentTokens']) => {
    const rails = derivedRails({ ethereum: demoAccount })
    const ethereum = {
      ...rails.ethereum,
      rpcUrl: network.url,
      chainId: 31_337,
      contracts: tokens,
      confirmations,
    }
    return { rails: { ...rails, ethereum: { ...ethereum, paymentTokens } }, rateLimit: false }
  }
  beforeAll(async () => {
    network = await openAnvil()
    tokens.USDT = await network.token(wallet)
    tokens.USDC = await network.token(wallet)
    world = await openWorld(settingsWith(['usdt-erc20', 'usdc-erc20']))
    await sync()
  })
  beforeEach(async () => {
    investor = await world.person('Ines Investor')
  })
  const sync = (of: World = world) =>
    syncNetwork(of.services, 'ethereum', chainOf(of.services.config, 'ethereum')!)
  const ask = async (method: DepositMethod, amount: number, who: Person = investor) => {
    const { data, message } = await world.call(newDeposit, who, { body: { method, amount } })
    expect(data, message).not.toBeNull()
    return data
  }
  const get = async (id: string) => (await world.call(getDeposit, investor, { params: { id } })).data
  const pay = (asset: 'USDT' | 'USDC', to: string, units: bigint) =>
    network.sendToken(wallet, tokens[asset], to as Hex, units)
  const payEther = (to: string, value: bigint) => network.send(wallet, { to: to as Hex, value })
  const confirm = async () => {
    await network.mine(confirmations)
    await sync()
  }
  const expectSoundBooks = async () => {
    const { checks } = await checkBooks(world.services.pool, world.services.log)
    expect(checks.filter(({ faults }) => faults > 0)).toEqual([])
  }

  test.each([
    ['usdt-erc20', 'USDT', '0.99'],
    ['usdc-erc20', 'USDC', '1.00'],
  ] as const)('[K-02, D5] %s is asked for and credited one to one', async (method, asset, rate) => {
    const custody = await firmBalance(world.database.db, 'custody', asset)
    const { _id, payment } = await ask(method, 150.25)
    expect(payment).toMatchObject({ asset, amountCrypto: '150.250000', rate, uri: payment.address })
    await pay(asset, payment.address, 150_250_000n)
    await sync()
    expect(await get(_id)).toMatchObject({ stage: 'seen', seen: '150.250000' })
    await confirm()
    expect(await get(_id)).toMatchObject({ status: 'paid', credited: 150.25, deviation: null, flags: [] })
    expect((await world.balances(investor)).available).toBe(15_025n)
    expect((await firmBalance(world.database.db, 'custody', asset)) - custody).toBe(-150_250_000n)
    await expectSoundBooks()
  })

  test('[D5] an underpaid token deposit is credited as it is, the rest when it comes', async () => {
    const { _id, payment } = await ask('usdc-erc20', 200)
    await pay('USDC', payment.address, 80_000_000n)
    await confirm()
    expect(await get(_id)).toMatchObject({ missing: '120.000000', missingUri: payment.address })
    await pay('USDC', payment.address, 125_000_000n)
    await confirm()
    expect(await get(_id)).toMatchObject({ status: 'paid', credited: 205, deviation: 'overpaid' })
    await expectSoundBooks()
  })

  test.each([
    ['usdt-erc20', 'USDC'],
    ['usdc-erc20', 'USDT'],
    ['usdt-erc20', 'ETH'],
    ['ethereum', 'USDT'],
  ] as const)('[D5] a deposit by %s is never credited with %s, which is flagged', async (method, asset) => {
    const { _id, payment } = await ask(method, 100)
    if (asset === 'ETH') await payEther(payment.address, 10n ** 18n)
    else await pay(asset, payment.address, 100_000_000n)
    await confirm()
    const deposit = await get(_id)
    expect(deposit).toMatchObject({
      status: 'pending',
      seen: null,
      flags: ['wrong_asset'],
      needsReview: true,
    })
    const refused = await world.call(creditDeposit, world.admin, { params: { id: _id }, body: {} })
    expect(refused.status).toBe(409)
    expect((await world.balances(investor)).available).toBe(0n)
    await expectSoundBooks()
  })

  test('[B-03] the database takes no transfer of another coin for a payment', async () => {
    const { _id, payment } = await ask('usdt-erc20', 100)
    await payEther(payment.address, 10n ** 18n)
    await confirm()
    const { rows } = await world.owner(
      `SELECT token, app.is_paid_by('${_id}', id) AS is_payment FROM app.chain_transfers
        WHERE address = app.address_key('${payment.address}')`,
    )
    expect(rows).toEqual([{ token: 'ETH', is_payment: false }])
  })

  test('the methods share one sequence of addresses, so no address serves two deposits', async () => {
    const methods = ['ethereum', 'usdt-erc20', 'usdc-erc20', 'usdt-erc20'] as const
    const addresses: string[] = []
    for (const method of methods) addresses.push((await ask(method, 100)).payment.address)
    expect(new Set(addresses).size).toBe(methods.length)
    const { rows } = await world.owner(
      `SELECT address_index - first_value(address_index) OVER (ORDER BY address_index) AS step
         FROM app.payment_addresses WHERE user_id = '${investor.id}' AND deposit_id IS NOT NULL`,
    )
    expect(rows.map(({ step }) => step)).toEqual([0, 1, 2, 3])
  })

  test('a payment before the request counts only in the coin of the request', async () => {
    const query = { method: 'usdc-erc20', amount: '100' } as const
    const { quote, address } = (await world.call(quoteDeposit, investor, { query })).data
    await pay('USDC', address, 100_000_000n)
    await sync()
    const ether = await world.call(quoteDeposit, investor, { query: { method: 'ethereum', amount: '100' } })
    expect(ether.data.address).not.toBe(address)
    const body = { method: 'usdc-erc20', amount: 100, quote } as const
    const { data } = await world.call(newDeposit, investor, { body })
    await confirm()
    expect(await get(data._id)).toMatchObject({ status: 'paid', credited: 100, flags: [] })
  })

  test('a quote for ether that is paid in USDT becomes a deposit in ether with a flag', async () => {
    const query = { method: 'ethereum', amount: '100' } as const
    const { quote, address } = (await world.call(quoteDeposit, investor, { query })).data
    await pay('USDT', address, 100_000_000n)
    await sync()
    const body = { method: 'ethereum', amount: 100, quote } as const
    const { data } = await world.call(newDeposit, investor, { body })
    expect(await get(data._id)).toMatchObject({ seen: null, flags: ['wrong_asset'] })
    await confirm()
    expect(await get(data._id)).toMatchObject({ status: 'pending', flags: ['wrong_asset'] })
  })

  test('an unsolicited token payment becomes a deposit in that token', async () => {
    const query = { method: 'ethereum', amount: '100' } as const
    const { address } = (await world.call(quoteDeposit, investor, { query })).data
    await pay('USDC', address, 90_000_000n)
    await confirm()
    await payEther(address, 10n ** 18n)
    await confirm()
    const { rows } = await world.owner(`SELECT id FROM app.deposits WHERE address = '${address}'`)
    expect(await get(rows[0]!.id)).toMatchObject({
      method: 'usdc-erc20',
      status: 'paid',
      credited: 90,
      flags: expect.arrayContaining(['unsolicited', 'wrong_asset']),
    })
    await expectSoundBooks()
  })

  test('[C-12] coverage counts each token, and USDC is no stray coin where it is offered', async () => {
    await readCoverage(world.services, () => [])
    const { data } = await world.call(chainOverview, world.admin)
    expect(data.assets.map(({ asset }) => asset)).toEqual(['BTC', 'ETH', 'USDT', 'USDC'])
    const usdc = data.assets.find(({ asset }) => asset === 'USDC')!
    expect(Number(usdc.received)).toBeGreaterThan(0)
    expect(Number(usdc.onChain!.amountCrypto)).toBeGreaterThanOrEqual(Number(usdc.received))
    expect(usdc.rate).toMatchObject({ rate: '1.00', source: 'Fixed by the firm' })
    expect(data.stray).toEqual([])
  })

  test('where they are not offered, nothing is requested and tokens stay a wrong coin', async () => {
    const other = await openWorld(settingsWith([]))
    const person = await other.person('Ines Investor')
    for (const method of ['usdt-erc20', 'usdc-erc20'] as const) {
      const refused = await other.call(newDeposit, person, { body: { method, amount: 100 } })
      expect(refused).toMatchObject({ status: 400, code: 'invalid_input' })
    }
    const query = { method: 'ethereum', amount: '100' } as const
    const { address } = (await other.call(quoteDeposit, person, { query })).data
    await sync(other)
    await pay('USDC', address, 90_000_000n)
    await network.mine(confirmations)
    await sync(other)
    const { rows } = await other.owner(
      `SELECT method, status, flags FROM app.deposits WHERE address = '${address}'`,
    )
    expect(rows).toEqual([
      { method: 'ethereum', status: 'unpaid', flags: expect.arrayContaining(['unsolicited', 'wrong_asset']) },
    ])
  })

  test('[N-06] at the fixed address of ether, staff credit a token one to one', async () => {
    const { rails } = settingsWith(['usdc-erc20'])
    const other = await openWorld({ rails: { ...rails, ethereum: { ...rails.ethereum, xpub: null } } })
    const person = await other.person('Ines Investor')
    const body = { method: 'usdc-erc20', amount: 100 } as const
    const { data } = await other.call(newDeposit, person, { body })
    expect(data.payment.address).toBe(other.services.config.paymentAddresses.ethereum)
    const received = { received: '80', transactionId: `0x${'a'.repeat(64)}` }
    const approve = (transactionId: string) =>
      other.call(approveDeposit, other.admin, {
        params: { id: data._id },
        body: { ...received, transactionId },
      })
    expect((await approve('a'.repeat(64))).status).toBe(400)
    const { data: approved } = await approve(received.transactionId)
    expect(approved).toMatchObject({ status: 'paid', credited: 80, received: '80.000000' })
    expect((await other.balances(person)).available).toBe(8_000n)
  })

  test('the database knows the rail of every method', async () => {
    for (const [method, { rail }] of Object.entries(paymentMethods)) {
      const { rows } = await world.owner(`SELECT app.rail_of('${method}') AS rail`)
      expect(rows).toEqual([{ rail }])
      expect(railNames).toContain(rail)
    }
  })

  test('[D5] a late token payment is credited one to one', async () => {
    const { _id, payment } = await ask('usdt-erc20', 120)
    world.clock.pass({ minutes: 120 })
    await network.client.increaseTime({ seconds: 2 * 3600 })
    await pay('USDT', payment.address, 120_000_000n)
    await confirm()
    expect(await get(_id)).toMatchObject({ status: 'paid', credited: 120, deviation: 'late' })
  })
})
