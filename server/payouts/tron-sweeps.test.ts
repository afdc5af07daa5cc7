import { bytesToHex } from '@noble/hashes/utils.js'
import { HDKey } from '@scure/bip32'
import { mnemonicToSeedSync } from '@scure/bip39'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { readCoverage } from '#server/chain/coverage.ts'
import { publicMnemonic } from '#server/demo/anvil.ts'
import { startWatching } from '#server/process/chain-worker.ts'
import { syncNetwork } from '#server/process/sync-network.ts'
import type { Chain } from '#server/rails/chain.ts'
import type { TronPayoutFile } from '#server/rails/tron/payouts.ts'
import { tronChain } from '#server/rails/tron/trongrid.ts'
import { tronNetwork } from '#server/rails/tron.ts'
import { getDeposit, newDeposit } from '#shared/contract/deposits.ts'
import type { Deposit } from '#shared/contract/entities.ts'
import type { PayoutDetail } from '#shared/contract/payouts.ts'
import * as call from '#shared/contract/sweeps.ts'
import { payoutsIn } from '#test/support/payouts.ts'
import { startTronGrid, type TronGrid, tronTransaction, tronWallet } from '#test/support/tron-grid.ts'
import { signByTronWeb } from '#test/support/tronweb.ts'
import { derivedRails } from '#test/support/watched.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'
import { readHoldings } from './holdings.ts'
import { sendersOf } from './wallets.ts'

/** Sweeps on TRON's imitation, with transactions signed by the derived keys. */

const wallet = 'USDT TRC-20'
const confirmations = 3
const { contract } = tronNetwork({ testNetwork: true })
const root = HDKey.fromMasterSeed(mnemonicToSeedSync(publicMnemonic))
/** Somebody who has USDT. */
const payer = 'TPiD26cc1vptLxwYmw4waHTPCNgqtZ5SCX'
let grid: TronGrid
let world: World
let chain: Chain
let investor: Person
beforeAll(async () => {
  grid = await startTronGrid(contract)
  const rails = derivedRails()
  const usdt = { ...rails.usdt, url: grid.url, confirmations, payoutAddress: tronWallet.address }
  world = await openWorld({ rails: { ...rails, usdt }, rateLimit: false })
  const settings = { url: grid.url, apiKey: undefined, contract, confirmations, requestsPerSecond: null }
  chain = tronChain(settings)
  grid.tip.timestamp = world.clock.now().getTime() - 3_600_000
  for (let n = 0; n < 60; n += 1) grid.add()
})
beforeEach(async () => {
  investor = await world.person('Ines Investor')
  await world.refreshPrices()
  await mineAndSync()
})

const { cancel, download, get, outgoing, sign } = payoutsIn(() => world)
const sync = () => syncNetwork(world.services, 'usdt', chain)
const mineAndSync = async (blocks = confirmations) => {
  for (let n = 0; n < blocks; n += 1) grid.add().timestamp = world.clock.now().getTime()
  await sync()
}
const ask = async (amount: number): Promise<Deposit> =>
  (await world.call(newDeposit, investor, { body: { method: 'usdt', amount } })).data
const pays = ({ payment }: Deposit, units: bigint) =>
  grid.add(tronTransaction([{ from: payer, to: payment.address, units }]))
const shown = async ({ _id }: Deposit) =>
  (await world.call(getDeposit, investor, { params: { id: _id } })).data
const read = async () => {
  await world.call(call.readHoldings, world.admin, { body: { wallet } })
  await sync()
  await readHoldings(world.services, 'usdt', chain)
}
const preview = async () => (await world.call(call.previewSweep, world.admin, { query: { wallet } })).data
const sweep = async (): Promise<PayoutDetail> => {
  await read()
  const { status, data, message } = await world.call(call.newSweep, world.admin, { body: { wallet } })
  expect(status, message).toBe(200)
  return data
}
const signFile = async ({ _id }: PayoutDetail) => {
  const { transfers } = JSON.parse((await download(_id)).body) as TronPayoutFile
  // TronWeb refuses a key of another address than the owner's, and content that is not in the bytes.
  const signed = transfers.map(({ derivationPath, transaction }) =>
    derivationPath === undefined
      ? tronWallet.sign(transaction)
      : signByTronWeb(transaction, bytesToHex(root.derive(derivationPath).privateKey!)),
  )
  return JSON.stringify(await Promise.all(signed))
}
const coverage = async () => {
  await world.owner('DELETE FROM app.coverage_readings')
  await readCoverage(world.services, sendersOf, rail => (rail === 'usdt' ? chain : undefined))
  const { rows } = await world.owner(`SELECT units::text FROM app.coverage_readings WHERE token = 'USDT'`)
  return BigInt(rows[0].units)
}

test('[S-04] sweeps USDT once the TRX that opens each account is there', async () => {
  const [large, small, dust] = [await ask(200), await ask(100), await ask(150)]
  pays(large, 200_000_000n)
  pays(small, 100_000_000n)
  pays(dust, 9_999_999n)
  await mineAndSync()
  await read()
  const before = await coverage()
  expect(await preview()).toMatchObject({
    count: 2,
    amountCrypto: '300.000000',
    fee: null,
    topUps: { count: 2 },
    left: [{ why: 'dust', count: 1, amountCrypto: '9.999999' }],
  })
  const batch = await sweep()
  expect(batch.moves.map(({ kind, asset, from, address }) => [kind, asset, from, address])).toEqual([
    ['top_up', 'TRX', tronWallet.address, large.payment.address],
    ['top_up', 'TRX', tronWallet.address, small.payment.address],
    ['sweep', 'USDT', large.payment.address, tronWallet.address],
    ['sweep', 'USDT', small.payment.address, tronWallet.address],
  ])
  // 64,285 units of energy at 100 sun, a fifth more, and 400 bytes at 1,000 sun.
  expect(batch.moves[0]!.amountCrypto).toBe('8.114200')
  const signed = await sign(batch._id, await signFile(batch))
  expect(signed.status, signed.message).toBe(200)
  await sync()
  expect((await get(batch._id)).data.payments).toMatchObject([
    { waitsForTopUp: false, signed: [{ refused: null, broadcastAt: expect.any(String) }] },
    { waitsForTopUp: false },
    { waitsForTopUp: true, signed: [{ broadcastAt: null }] },
    { waitsForTopUp: true },
  ])
  await mineAndSync(1)
  await mineAndSync(confirmations)
  expect((await get(batch._id)).data).toMatchObject({ status: 'final', paid: 2, alerts: 0 })
  expect(await coverage()).toBe(before)
  expect((await shown(large)).credited).toBe(200)
  expect((await outgoing()).data).toEqual([])
})

test('[S-04] a cancelled file frees the deposits once it has expired', async () => {
  const deposit = await ask(100)
  pays(deposit, 100_000_000n)
  await mineAndSync()
  const batch = await sweep()
  await signFile(batch)
  expect((await cancel(batch._id)).data).toMatchObject({ status: 'drafted', files: [{ version: 1 }] })
  world.clock.pass({ minutes: 20 * 60 + 10 })
  await mineAndSync()
  expect((await get(batch._id)).data).toMatchObject({ status: 'void', paid: 0, alerts: 0 })
  expect((await sweep()).amountCrypto).toBe('100.000000')
})

test('[S-04] a long reading holds up no sync, and an address that pays meanwhile is left out', async () => {
  const [swept, other] = [await ask(300), await ask(100)]
  pays(swept, 300_000_000n)
  await mineAndSync()
  const { promise: isRead, resolve: tell } = Promise.withResolvers<void>()
  const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>()
  const holdings: Chain['holdings'] = async (...of) => {
    const found = await chain.holdings!(...of)
    tell()
    await mayEnd
    return found
  }
  const chainFor = (rail: string) => (rail === 'usdt' ? { ...chain, holdings } : undefined)
  await world.call(call.readHoldings, world.admin, { body: { wallet } })
  const stop = startWatching(world.services, { chainFor, pauseMs: 5 })
  await isRead
  pays(other, 100_000_000n)
  grid.add(tronTransaction([{ from: swept.payment.address, to: payer, units: 300_000_000n }]))
  for (let n = 0; n < confirmations; n += 1) grid.add()
  await expect.poll(async () => (await shown(other)).credited, { timeout: 10_000 }).toBe(100)
  end()
  const held = async () => (await world.call(call.depositHoldings, world.admin)).data
  await expect.poll(async () => (await held()).find(one => one.wallet === wallet)!.isReading).toBe(false)
  await stop()
  expect(await world.call(call.newSweep, world.admin, { body: { wallet } })).toMatchObject({
    reason: 'nothing_to_sweep',
  })
})
