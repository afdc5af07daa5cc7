import type { Address } from 'viem'
import { beforeAll, describe, expect, test } from 'vitest'
import { demoAccount } from '#server/demo/chain.ts'
import { sendersOf } from '#server/payouts/wallets.ts'
import { isDue, syncNetwork } from '#server/process/sync-network.ts'
import type { Chain } from '#server/rails/chain.ts'
import { chainOf } from '#server/rails/chains.ts'
import { getDeposit, newDeposit } from '#shared/contract/deposits.ts'
import { openAnvil, payer, type TestChain, withoutAnvil } from '#test/support/anvil.ts'
import { type CountingNode, countingNode } from '#test/support/counting-node.ts'
import { derivedRails } from '#test/support/watched.ts'
import { withdrawalsIn } from '#test/support/withdrawals.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'
import { readCoverage } from './coverage.ts'

describe.skipIf(withoutAnvil)('requests to an Ethereum node', () => {
  /** Of the main network. */
  const slotSeconds = 12
  const confirmations = 3
  const stranger = '0x00000000000000000000000000000000000051ab'
  let network: TestChain
  let node: CountingNode
  let world: World
  let chain: Chain
  let token: Address
  let investor: Person
  beforeAll(async () => {
    network = await openAnvil()
    node = await countingNode(network.url)
    token = await network.token(2)
    const contracts = { USDT: token, USDC: await network.token(2) }
    const rails = derivedRails({ ethereum: demoAccount })
    const settings = { rpcUrl: node.url, chainId: 31_337, contracts, confirmations }
    const ethereum = { ...rails.ethereum, ...settings, payoutAddress: payer(1).address }
    world = await openWorld({ rails: { ...rails, ethereum }, rateLimit: false })
    chain = chainOf(world.services.config, 'ethereum')!
    investor = await world.person('Ines Investor')
    await world.fund(investor, 1_000_000n)
    await pollFor(1)
  })
  const { ask, approve } = withdrawalsIn(() => world)
  const newOne = async () =>
    (await world.call(newDeposit, investor, { body: { method: 'ethereum', amount: 100 } })).data

  /** A worker's polls while strangers pay each other USDT in every block; balances are read as the job reads them. */
  async function pollFor(blocks: number): Promise<void> {
    for (let block = 0; block < blocks; block += 1) {
      await network.sendToken(2, token, stranger, 1n)
      await network.mine()
      for (let second = 0; second < slotSeconds; second += 1) {
        world.clock.pass({ minutes: 1 / 60 })
        if (await isDue(world.services, 'ethereum', chain))
          await syncNetwork(world.services, 'ethereum', chain)
      }
      if (block % 50 === 49)
        await readCoverage(world.services, sendersOf, rail => (rail === 'ethereum' ? chain : undefined))
    }
  }
  /** Requests in each block, on average. */
  async function measured(blocks: number): Promise<number> {
    node.reset()
    await pollFor(blocks)
    return node.total() / blocks
  }

  test('[K-02] at rest, a block costs fewer than three requests', async () => {
    const deposit = await newOne()
    const wei = BigInt(Math.round(Number(deposit.payment.amountCrypto) * 1e9)) * 10n ** 9n
    await network.send(4, { to: deposit.payment.address as Address, value: wei })
    await pollFor(confirmations)
    const { data } = await world.call(getDeposit, investor, { params: { id: deposit._id } })
    expect(data.status).toBe('paid')
    expect(await measured(50), JSON.stringify([...node.counts])).toBeLessThan(3)
  })

  test('[D-17] while a payment is expected, the node is asked every second', async () => {
    await world.refreshPrices()
    expect((await newOne()).status).toBe('pending')
    await pollFor(1)
    const perBlock = await measured(10)
    expect(node.counts.get('eth_getTransactionCount')).toBeUndefined()
    expect([perBlock > 2 * slotSeconds, perBlock < 2 * slotSeconds + 3]).toEqual([true, true])
  })

  test('[S-04] nonces are read while a withdrawal waits to be paid', async () => {
    const walletAddress = '0x00000000000000000000000000000000000052ab'
    const { data } = await ask(investor, 20, { wallet: 'Ethereum (ETH)', walletAddress })
    await approve(data._id)
    await measured(1)
    expect(node.counts.get('eth_getTransactionCount')).toBe(2 * slotSeconds)
  })
})
