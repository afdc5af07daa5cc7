import { beforeAll, describe, expect, test } from 'vitest'
import { loadConfig } from '#server/config.ts'
import { syncNetwork } from '#server/process/sync-network.ts'
import { chainOf } from '#server/rails/chains.ts'
import { getDeposit, newDeposit } from '#shared/contract/deposits.ts'
import { parseDecimal } from '#shared/money.ts'
import { withoutAnvil } from '#test/support/anvil.ts'
import { withoutLitecoind } from '#test/support/litecoind.ts'
import { lyingBitcoin } from '#test/support/lying-networks/bitcoin.ts'
import { lyingEthereum } from '#test/support/lying-networks/ethereum.ts'
import type { LyingNetwork, Paid } from '#test/support/lying-networks/network.ts'
import { lyingTron } from '#test/support/lying-networks/tron.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'
import { resumeAfter } from './resume.ts'

/** Blocks until the balance of an address of a paid deposit is read again, with some to spare. */
const balancesReadAgain = 60

/** What a node's lies do where it is the only source: why a second one must show large payments (C-14). */
const networks = [
  { name: 'Bitcoin', open: lyingBitcoin, without: withoutLitecoind },
  { name: 'Ethereum', open: lyingEthereum, without: withoutAnvil },
  { name: 'TRON', open: lyingTron, without: undefined },
]
for (const { name, open, without } of networks)
  describe.skipIf(without)(`a node of ${name} that lies${without ? ` (${without})` : ''}`, () =>
    lies(name, open),
  )

function lies(name: string, open: () => Promise<LyingNetwork>): void {
  let network: LyingNetwork
  let world: World
  let investor: Person
  beforeAll(async () => {
    network = await open()
    const { rails } = loadConfig({ TOKEN_SECRET: 'x'.repeat(32), ...network.environment })
    world = await openWorld({ rateLimit: false, rails })
    investor = await world.person('Ines Investor')
    await network.mine(10)
    await sync()
  })
  const chain = () => chainOf(world.services.config, network.rail)!
  const sync = () => syncNetwork(world.services, network.rail, chain(), undefined)
  const ask = async () => {
    const { method, decimals } = network
    const { data } = await world.call(newDeposit, investor, { body: { method, amount: 150 } })
    await sync()
    const asked: Paid = {
      address: data.payment.address,
      units: parseDecimal(data.payment.amountCrypto, decimals)!,
    }
    const shown = async () => (await world.call(getDeposit, investor, { params: { id: data._id } })).data
    return { asked, shown }
  }
  const truth = async () => {
    await network.tell(null)
    await network.mine(6)
    await sync()
  }
  const paid = { status: 'paid', credited: 150 }
  const unpaid = { status: 'pending', credited: null }

  test('[B-03] by old blocks it holds a payment up, which is credited with the truth', async () => {
    const { asked, shown } = await ask()
    await network.tell('old blocks')
    await network.pay(asked)
    await network.mine(4)
    await sync()
    expect(await shown()).toMatchObject({ status: 'pending', transfers: [] })
    await truth()
    expect(await shown()).toMatchObject(paid)
  })

  test('[B-03] by a false fork it gets a payment credited, which is reversed with the truth', async () => {
    const { asked, shown } = await ask()
    await network.tell('false fork', [asked])
    await sync()
    expect(await shown()).toMatchObject(paid)
    await truth()
    expect(await shown()).toMatchObject(unpaid)
  })

  // TRON's payments are looked for in blocks alone.
  if (name !== 'TRON')
    test('[B-03] by its mempool it shows a payment, which is gone with the truth', async () => {
      const { asked, shown } = await ask()
      await network.tell('invented mempool', [asked])
      await sync()
      expect((await shown()).stage).toBe('seen')
      await truth()
      expect(await shown()).toMatchObject({ stage: 'dropped', status: 'pending' })
    })

  if (name !== 'Bitcoin')
    test('[B-03] in a true block it invents a payment, which only a second source betrays', async () => {
      const { asked, shown } = await ask()
      await network.tell('invented payments', [asked])
      await network.mine(4)
      await sync()
      await truth()
      expect(await shown()).toMatchObject(paid)
    })

  const inBlock = ['hidden payments', 'changed amounts', 'changed receivers']
  if (name === 'Bitcoin')
    test.each(['invented payments', ...inBlock])(
      '[B-03] a true block with %s is refused, and read when it is told truly',
      async lie => {
        const [honest, other] = [await ask(), await ask()]
        await network.tell(lie, [other.asked])
        await network.pay(honest.asked)
        await network.mine(4)
        await expect(sync()).rejects.toThrow('came with other transactions than its own')
        await truth()
        expect(await honest.shown()).toMatchObject(paid)
        expect(await other.shown()).toMatchObject(unpaid)
      },
    )
  if (name !== 'Bitcoin')
    test.each(inBlock)('[B-03] %s of a true block are put right once it is read again', async lie => {
      const [honest, other] = [await ask(), await ask()]
      const height = await network.height()
      await network.tell(lie, [other.asked])
      await network.pay(honest.asked)
      await network.mine(1)
      await sync()
      const isBetrayed = name === 'Ethereum' && lie !== 'changed amounts'
      if (isBetrayed) await expect(truth()).rejects.toThrow('has more than the blocks read so far explain')
      else await truth()
      expect(await honest.shown()).not.toMatchObject(paid)
      await resumeAfter(world.services, { rail: network.rail, chain: chain(), height })
      await sync()
      expect(await honest.shown()).toMatchObject(paid)
      expect(await other.shown()).toMatchObject(unpaid)
    })
  if (name === 'Ethereum')
    test('[B-03] a payment seen by its balance alone is credited once, also if read anew', async () => {
      const { asked, shown } = await ask()
      const { available } = await world.balances(investor)
      const height = await network.height()
      await network.tell('hidden payments')
      const id = await network.pay(asked)
      await network.mine(10)
      await sync()
      const seen = await shown()
      expect(seen).toMatchObject({ ...paid, flags: ['by_contract'], transfers: [{ transactionId: null }] })
      await truth()
      await resumeAfter(world.services, { rail: network.rail, chain: chain(), height })
      await network.mine(balancesReadAgain)
      await sync()
      expect(await shown()).toMatchObject({
        ...paid,
        transfers: expect.arrayContaining([expect.objectContaining({ transactionId: id })]),
      })
      expect((await world.balances(investor)).available - available).toBe(15_000n)
    })
}
