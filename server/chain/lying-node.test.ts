import { beforeAll, describe, expect, test } from 'vitest'
import { demoAccount } from '#server/demo/chain.ts'
import { syncNetwork } from '#server/process/sync-network.ts'
import { chainOf } from '#server/rails/chains.ts'
import { getDeposit, newDeposit } from '#shared/contract/deposits.ts'
import { parseDecimal } from '#shared/money.ts'
import { openAnvil, type TestChain, withoutAnvil } from '#test/support/anvil.ts'
import { type LyingNode, openLyingNode } from '#test/support/lying-node.ts'
import { derivedRails } from '#test/support/watched.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'

/** What a node's lies do where it is the only source: why a second one must show large payments (C-14). */
describe.skipIf(withoutAnvil)(`a node that lies${withoutAnvil ? ` (${withoutAnvil})` : ''}`, () => {
  let network: TestChain
  let node: LyingNode
  let world: World
  let investor: Person
  beforeAll(async () => {
    network = await openAnvil()
    node = await openLyingNode(network.url)
    const rails = derivedRails({ ethereum: demoAccount })
    const ethereum = { ...rails.ethereum, chainId: 31_337, rpcUrl: node.url, confirmations: 3 }
    world = await openWorld({ rateLimit: false, rails: { ...rails, ethereum } })
    investor = await world.person('Ines Investor')
    await network.mine(10)
    await sync()
  })
  const sync = () =>
    syncNetwork(world.services, 'ethereum', chainOf(world.services.config, 'ethereum')!, undefined)
  const ask = async () => {
    const { data } = await world.call(newDeposit, investor, { body: { method: 'ethereum', amount: 150 } })
    await sync()
    const value = parseDecimal(data.payment.amountCrypto, 9)! * 10n ** 9n
    const shown = async () => (await world.call(getDeposit, investor, { params: { id: data._id } })).data
    return { to: data.payment.address as `0x${string}`, value, shown }
  }
  const truth = async () => {
    await node.tell(null)
    await network.mine(6)
    await sync()
  }

  test('[B-03] by old blocks it holds a payment up, which is credited with the truth', async () => {
    const { to, value, shown } = await ask()
    await node.tell('old blocks')
    await network.send(1, { to, value })
    await network.mine(4)
    await sync()
    expect(await shown()).toMatchObject({ status: 'pending', transfers: [] })
    await truth()
    expect(await shown()).toMatchObject({ status: 'paid', credited: 150 })
  })

  test('[B-03] by a false fork it gets a payment credited, which is reversed with the truth', async () => {
    const { to, value, shown } = await ask()
    await node.tell('false fork', [{ to, value }])
    await sync()
    expect(await shown()).toMatchObject({ status: 'paid', credited: 150 })
    await truth()
    expect(await shown()).toMatchObject({ status: 'pending', credited: null })
  })

  test('[B-03] by its mempool it shows a payment, which is gone with the truth', async () => {
    const { to, value, shown } = await ask()
    await node.tell('invented mempool', [{ to, value }])
    await sync()
    expect((await shown()).stage).toBe('seen')
    await truth()
    expect(await shown()).toMatchObject({ stage: 'dropped', status: 'pending' })
  })

  test('[B-03] in a true block it invents a payment, which only a second source betrays', async () => {
    const { to, value, shown } = await ask()
    await node.tell('invented payments', [{ to, value }])
    await network.mine(4)
    await sync()
    await truth()
    expect(await shown()).toMatchObject({ status: 'paid', credited: 150 })
  })
})
