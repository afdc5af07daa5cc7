import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { readCoverage } from '#server/chain/coverage.ts'
import { unitsInLedger } from '#server/chain/overview.ts'
import { sendersOf } from '#server/payouts/wallets.ts'
import { syncNetwork } from '#server/process/sync-network.ts'
import { chainOf } from '#server/rails/chains.ts'
import { nodeAt } from '#server/rails/ethereum/node.ts'
import { chainOverview } from '#shared/contract/console.ts'
import { approveDeposit, getDeposit, newDeposit } from '#shared/contract/deposits.ts'
import { parseDecimal } from '#shared/money.ts'
import { payer, withoutAnvil } from '#test/support/anvil.ts'
import { atEnd } from '#test/support/clean-up.ts'
import { until } from '#test/support/processes.ts'
import { openWorld } from '#test/support/world.ts'
import { openDemoChain } from './chain.ts'
import { payFromDemoWallet } from './wallet.ts'

const title = withoutAnvil === undefined ? '' : ` (${withoutAnvil})`

test.skipIf(withoutAnvil)(`[T-06] the local chain has what the ledger has, fees apart${title}`, async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'probity-demo-'))
  atEnd(() => rmSync(dataDir, { recursive: true }))
  const { services } = await openWorld()
  const demo = await openDemoChain({ ...services.config, dataDir, demoChain: 'anvil' as const }, services.log)
  atEnd(() => demo.stop())
  const world = await openWorld({ demoChain: 'anvil', dataDir, rails: demo.config.rails })
  const investor = await world.person('Ines Investor')
  const chain = chainOf(world.services.config, 'ethereum')!
  const deposit = async (amount: number) =>
    (await world.call(newDeposit, investor, { body: { method: 'ethereum', amount } })).data
  // The past of the sample is on no chain.
  const past = await deposit(5_000)
  await world.call(approveDeposit, world.admin, { params: { id: past._id } })
  const inLedger = await unitsInLedger(world.services, 'ETH')
  expect(inLedger).toBe(parseDecimal(past.payment.amountCrypto, 9))
  await demo.begin(inLedger, () => readCoverage(world.services, sendersOf))

  const comparison = async () => {
    await syncNetwork(world.services, 'ethereum', chain)
    world.clock.pass({ minutes: 2 })
    await readCoverage(world.services, sendersOf)
    const { assets } = (await world.call(chainOverview, world.admin)).data
    expect(assets.filter(({ watched }) => watched).map(({ asset }) => asset)).toEqual(['ETH'])
    const { difference, fees } = assets.find(({ asset }) => asset === 'ETH')!
    return { difference, fees }
  }
  const nothing = { difference: '0.000000000', fees: '0.000000000' }
  expect(await comparison()).toEqual(nothing)

  const paid = await deposit(300)
  await payFromDemoWallet(world.services, { deposit: paid._id, part: 'all' })
  const statusOf = async () =>
    (await world.call(getDeposit, investor, { params: { id: paid._id } })).data.status
  await until(async () => {
    await syncNetwork(world.services, 'ethereum', chain)
    return (await statusOf()) === 'paid'
  })
  expect(await comparison()).toEqual(nothing)

  // Payments of nothing cost their fees; the price of gas has fractions of a gwei.
  const node = nodeAt(demo.config.rails.ethereum.rpcUrl!)
  for (const nonce of ['0x0', '0x1']) {
    const payment = { from: payer(1).address, to: payer(1).address, value: '0x0', gas: '0x5208', nonce }
    await node.ask('eth_sendTransaction', [{ ...payment, gasPrice: '0x77359407' }], z.string())
  }
  // 21,000 gas at 2.000000007 gwei, twice.
  await until(async () => (await comparison()).fees === '0.000084001')
  expect(await comparison()).toEqual({ difference: '-0.000084001', fees: '0.000084001' })
})
