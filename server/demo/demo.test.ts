import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { startWorker } from '#server/jobs/runner.ts'
import { Lifetime } from '#server/process/lifetime.ts'
import { syncNetwork } from '#server/process/sync-network.ts'
import type { Chain } from '#server/rails/chain.ts'
import { chainOf } from '#server/rails/chains.ts'
import { addressKey } from '#shared/addresses.ts'
import { type DemoPart, payFromDemoWallet } from '#shared/contract/demo.ts'
import { declineDeposit, getDeposit, newDeposit } from '#shared/contract/deposits.ts'
import type { Deposit } from '#shared/contract/entities.ts'
import { formatDecimal, parseDecimal } from '#shared/money.ts'
import { withoutAnvil } from '#test/support/anvil.ts'
import { atEnd } from '#test/support/clean-up.ts'
import { descendantsOf, until } from '#test/support/processes.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'
import { anvilProgram } from './anvil.ts'
import { type DemoChain, openDemoChain } from './chain.ts'
import { sampleFirm } from './firm.ts'
import { payFromDemoWallet as sendFromWallet } from './wallet.ts'

let world: World
let investor: Person

const ask = async (method: Deposit['method'] = 'ethereum', amount = 100) =>
  (await world.call(newDeposit, investor, { body: { method, amount } })).data
const now = async ({ _id }: Deposit) => (await world.call(getDeposit, investor, { params: { id: _id } })).data
const pay = ({ _id }: Deposit, part: DemoPart = 'all', by: Person = investor) =>
  world.call(payFromDemoWallet, by, { params: { id: _id }, body: { part } })

describe.skipIf(withoutAnvil !== undefined)(
  `on a local chain${withoutAnvil ? ` (${withoutAnvil})` : ''}`,
  () => {
    let demo: DemoChain
    let chain: Chain
    beforeAll(async () => {
      const dataDir = mkdtempSync(join(tmpdir(), 'probity-demo-'))
      atEnd(() => rmSync(dataDir, { recursive: true }))
      const plain = await openWorld()
      const config = { ...plain.services.config, dataDir, demoChain: 'anvil' as const }
      demo = await openDemoChain(config, plain.services.log)
      atEnd(() => demo.stop())
      await demo.begin(0n, async () => {})
      world = await openWorld({ demoChain: 'anvil', dataDir, rails: demo.config.rails })
      investor = await world.person('Ines Investor')
      chain = chainOf(world.services.config, 'ethereum')!
      // The first sync: earlier transfers belong to no deposit.
      await syncNetwork(world.services, 'ethereum', chain)
      const life = new Lifetime()
      atEnd(() => life.end())
      await startWorker(world.services, life)
    })

    /** Polls the deposit's address until it has this much. */
    const received = (deposit: Deposit, units: bigint) =>
      expect
        .poll(async () => (await chain.balances([addressKey(deposit.payment.address)])).get('ETH'))
        .toBe(units)
    const unitsOf = ({ payment }: Deposit) => parseDecimal(payment.amountCrypto, 9)!
    const stages = async (deposit: Deposit, last: Deposit['stage']) => {
      const seen = new Set<string>()
      await until(async () => {
        await syncNetwork(world.services, 'ethereum', chain)
        seen.add((await now(deposit)).stage)
        return seen.has(last)
      })
      return [...seen]
    }

    test('[D-16] a deposit paid from the demo wallet is seen, confirmed and credited', async () => {
      const deposit = await ask()
      expect(await pay(deposit)).toMatchObject({ status: 200, message: 'Sent from the demo wallet' })
      await stages(deposit, 'paid')
      await received(deposit, unitsOf(deposit))
      expect(await now(deposit)).toMatchObject({ status: 'paid', credited: 100 })
      expect((await world.balances(investor)).available).toBeGreaterThanOrEqual(10_000n)
    })

    test('a repeated request pays once; after half, it pays the rest', async () => {
      const deposit = await ask('ethereum', 250)
      const units = unitsOf(deposit)
      await pay(deposit, 'half')
      await received(deposit, units / 2n)
      await stages(deposit, 'paid_under')
      expect((await now(deposit)).missing).toBe(formatDecimal(units - units / 2n, 9))
      await Promise.all([pay(deposit), pay(deposit), pay(deposit, 'half')])
      await stages(deposit, 'paid')
      await received(deposit, units)
      expect(await now(deposit)).toMatchObject({ status: 'paid', deviation: null, credited: 250 })
    })

    test('credits an overpayment of half as much again in full', async () => {
      const deposit = await ask('ethereum', 1000)
      await pay(deposit, 'more')
      await stages(deposit, 'paid_over')
      expect(await now(deposit)).toMatchObject({ deviation: 'overpaid', credited: 1500 })
    })

    test('a payment outlives the killed chain, and is credited after a restart', async () => {
      const deposit = await ask('ethereum', 300)
      await sendFromWallet(world.services, { deposit: deposit._id, part: 'all' })
      const [anvil] = [...descendantsOf(process.pid)].find(([, command]) =>
        command.startsWith(anvilProgram()!),
      )!
      process.kill(anvil, 'SIGKILL')
      expect((await demo.broken).message).toContain('exited')
      demo = await openDemoChain(world.services.config, world.services.log)
      await demo.begin(0n, async () => {})
      chain = chainOf(demo.config, 'ethereum')!
      await stages(deposit, 'paid')
      expect(await now(deposit)).toMatchObject({ status: 'paid', credited: 300 })
    })

    test("refuses another user's, closed and non-ether deposits", async () => {
      const deposit = await ask()
      const other = await world.person('Otto Other')
      expect(await pay(deposit, 'all', other)).toMatchObject({ status: 403, code: 'forbidden' })
      expect(await pay(deposit, 'all', world.admin)).toMatchObject({ status: 403, code: 'forbidden' })
      // A worker and the chain go on beside this test, so it compares its own deposit alone.
      await syncNetwork(world.services, 'ethereum', chain)
      expect(await now(deposit)).toMatchObject({ stage: 'waiting', status: 'pending', transfers: [] })
      await received(deposit, 0n)
      expect(await pay(await ask('usdt'))).toMatchObject({ status: 409, reason: 'not_payable' })
      const declining = { params: { id: deposit._id }, body: { reason: 'Asked for by mistake' } }
      await world.call(declineDeposit, world.admin, declining)
      expect(await pay(deposit)).toMatchObject({ status: 409, reason: 'not_payable' })
    })
  },
)

test('the call does not exist without a local chain or in live mode', async () => {
  const live = { mode: 'live', firm: sampleFirm, demoChain: null } as const
  for (const changes of [{}, live]) {
    world = await openWorld(changes)
    investor = await world.person('Ines Investor')
    const id = '018f3c2e-0000-7000-8000-000000000000'
    const answer = await world.call(payFromDemoWallet, investor, { params: { id }, body: { part: 'all' } })
    expect(answer).toMatchObject({
      status: 404,
      code: 'not_found',
      message: expect.stringContaining('no such call'),
    })
  }
})
