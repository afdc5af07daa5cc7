import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HDKey } from '@scure/bip32'
import { mnemonicToSeedSync } from '@scure/bip39'
import pino from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { loadConfig } from '#server/config.ts'
import { chainOf } from '#server/rails/chains.ts'
import { nodeAt } from '#server/rails/ethereum/node.ts'
import { railOf } from '#server/rails/rails.ts'
import { payer, withoutAnvil } from '#test/support/anvil.ts'
import { isAlive, until, watch } from '#test/support/processes.ts'
import { anvilProgram, publicMnemonic } from './anvil.ts'
import { demoAccount, openDemoChain } from './chain.ts'
import { deleteDemoChain } from './chain-file.ts'

const log = pino({ level: 'silent' })
const title = withoutAnvil === undefined ? '' : ` (${withoutAnvil})`

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'probity-demo-chain-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

async function openAt(dataDir: string) {
  const config = loadConfig({ DATA_DIR: dataDir, DEMO_CHAIN: 'anvil', TOKEN_SECRET: 'x'.repeat(32) })
  const demo = await openDemoChain(config, log)
  await demo.begin(1_500_000_000n, async () => {})
  const { rpcUrl } = demo.config.rails.ethereum
  const chain = chainOf(demo.config, 'ethereum')!
  return { demo, rpcUrl: rpcUrl!, chain, send: (to: string) => send(rpcUrl!, to) }
}

function send(rpcUrl: string, to: string): Promise<string> {
  const payment = { from: payer(0).address, to, value: '0x3b9aca00' }
  return nodeAt(rpcUrl).ask('eth_sendTransaction', [payment], z.string())
}

test('derives deposit addresses from the published mnemonic, apart from the payers', () => {
  const root = HDKey.fromMasterSeed(mnemonicToSeedSync(publicMnemonic))
  expect(demoAccount).toBe(root.derive("m/44'/60'/1'").publicExtendedKey)
})

test.skipIf(withoutAnvil)(`a payment on the local chain gets confirmed${title}`, async () => {
  const { demo, chain, send } = await openAt(newFolder())
  onTestFinished(() => demo.stop())
  const { receiving, network } = railOf(demo.config, 'ethereum')!
  expect(network).toBe('Ethereum (local demonstration chain)')
  const to = receiving.kind === 'derived' ? receiving.addressAt(0, 0) : ''
  expect(Object.fromEntries(await chain.balances([to.toLowerCase()]))).toEqual({ ETH: 0n })
  const { height } = await chain.tip()
  await send(to)
  await until(async () => (await chain.tip()).height === height + chain.confirmations)
  const watched = {
    addresses: new Set([to.toLowerCase()]),
    outpoints: new Set<string>(),
    senders: new Set<string>(),
  }
  const { transfers } = await chain.scan({ from: height + 1, to: height + 1 }, watched)
  expect(transfers).toMatchObject([{ token: 'ETH', units: 1n, address: to.toLowerCase() }])
})

test.skipIf(withoutAnvil)(
  `the chain is the same after a restart, until the database is deleted${title}`,
  async () => {
    const dataDir = newFolder()
    const first = await openAt(dataDir)
    await first.send(payer(3).address)
    await until(async () => (await first.chain.tip()).height >= 1)
    const blocks = (chain: typeof first.chain) => Promise.all([chain.blockAt(0), chain.blockAt(1)])
    const before = await blocks(first.chain)
    await first.demo.stop()
    const second = await openAt(dataDir)
    expect(await blocks(second.chain)).toEqual(before)
    await second.demo.stop()
    deleteDemoChain(dataDir)
    const third = await openAt(dataDir)
    expect((await third.chain.tip()).height).toBe(0)
    await third.demo.stop()
  },
)

test.skipIf(withoutAnvil)(`an unused chain is the same after a restart${title}`, async () => {
  const dataDir = newFolder()
  const first = await openAt(dataDir)
  const genesis = (await first.chain.blockAt(0))!
  await first.demo.stop()
  // A new chain of the same second would be the same one.
  await until(() => Date.now() >= genesis.time.getTime() + 1000)
  const second = await openAt(dataDir)
  onTestFinished(() => second.demo.stop())
  expect(await second.chain.blockAt(0)).toEqual(genesis)
})

test.skipIf(withoutAnvil)(`the chain ends with the server, also a killed one${title}`, async () => {
  const script = `
    import { startAnvil } from '${join(import.meta.dirname, 'anvil.ts')}'
    const { url } = await startAnvil(process.argv[1], [])
    console.log('at ' + url)
    setInterval(() => {}, 1000)`
  const server = watch(process.execPath, ['--input-type=module-typescript', '-e', script, anvilProgram()!])
  const [, url] = await server.said(/at (\S+)/)
  const ask = () => nodeAt(url!).ask('eth_chainId', [], z.string())
  expect(await ask()).toBe('0x7a69')
  server.child.kill('SIGKILL')
  await until(() => !isAlive(server.child.pid!))
  await until(() =>
    ask().then(
      () => false,
      () => true,
    ),
  )
})
