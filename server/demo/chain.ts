import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import { z } from 'zod'
import type { Config } from '#server/config.ts'
import { prepareDataDir } from '#server/platform/data-dir.ts'
import { EXIT_CONFIG, StartupFault } from '#server/platform/startup-fault.ts'
import { quantity } from '#server/rails/ethereum/forms.ts'
import { type Node, nodeAt } from '#server/rails/ethereum/node.ts'
import { anvilChainId, anvilProgram, startAnvil } from './anvil.ts'

/**
 * DEMO_CHAIN=anvil: a local chain beside the server, on which a newcomer pays a deposit and watches it being confirmed. It holds
 * nothing of value: its keys are published.
 */
export type DemoChain = {
  /** The configuration with Ethereum's rail on this chain. */
  config: Config
  /** Resolves with the reason when the chain has ended. */
  broken: Promise<Error>
  stop(): Promise<void>
}

/** Extended public key of m/44'/60'/1' of anvil's mnemonic: its test accounts, which pay, are those of m/44'/60'/0'. */
export const demoAccount =
  'xpub6Ce9NcJvTk372KjsGfWqbcex5DumjpNquQLApoeQUavSCjEc823BV1tb4rXUuPuht8h2hSxkg2EXUaKUJmniJvRZAELxypsCzBFdtosmV76'
/** The second of those test accounts: what withdrawals are paid from. */
const PAYOUT_ADDRESS = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

const CONFIRMATIONS = 3
/** A block every two seconds, while something waits for it: a quiet chain stays as it is. */
const BLOCK_MS = 2_000
/** How often the chain is written to its file, in seconds: what a crash takes is within what a chain may take back. */
const KEEP_SECONDS = 5

/** Where the chain is kept from one start to the next, as the database is. */
function chainFile(dataDir: string): string {
  return join(dataDir, 'demo-chain.json')
}

/** Forgets the chain with the database that knew it. */
export function deleteDemoChain(dataDir: string): void {
  rmSync(chainFile(dataDir), { force: true })
}

/** @throws StartupFault where there is no anvil for this machine, or it does not start */
export async function openDemoChain(config: Config, log: Logger): Promise<DemoChain> {
  const program = anvilProgram()
  if (program === undefined) {
    const why = `there is no anvil for ${process.platform}-${process.arch}, or it is not installed (npm ci)`
    throw new StartupFault(`DEMO_CHAIN: ${why}. The product runs without it, too.`, EXIT_CONFIG)
  }
  prepareDataDir(config.dataDir)
  const kept = ['--state', chainFile(config.dataDir), '--state-interval', `${KEEP_SECONDS}`]
  const anvil = await startAnvil(program, ['--no-mining', ...kept]).catch((error: Error) => {
    throw new StartupFault(`DEMO_CHAIN: ${error.message}`)
  })
  const stopping = new AbortController()
  const mining = mineWhileNeeded(nodeAt(anvil.url), stopping.signal, log)
  return {
    config: onChain(config, anvil.url),
    broken: anvil.broken,
    async stop() {
      stopping.abort()
      await mining
      await anvil.stop()
    },
  }
}

function onChain(config: Config, rpcUrl: string): Config {
  const ethereum = {
    chainId: anvilChainId,
    xpub: demoAccount,
    rpcUrl,
    confirmations: CONFIRMATIONS,
    payoutAddress: PAYOUT_ADDRESS,
    contracts: {},
  }
  return { ...config, rails: { ...config.rails, ethereum } }
}

const pool = z.object({ pending: quantity })

/** Makes blocks until what was sent last has its confirmations. */
async function mineWhileNeeded(node: Node, signal: AbortSignal, log: Logger): Promise<void> {
  let wanted = 0n
  while (!signal.aborted) {
    try {
      const [{ pending }, height] = await Promise.all([
        node.ask('txpool_status', [], pool),
        node.ask('eth_blockNumber', [], quantity),
      ])
      if (pending > 0n) wanted = height + BigInt(CONFIRMATIONS)
      if (height < wanted) await node.ask('evm_mine', [], z.unknown())
    } catch (error) {
      if (!signal.aborted) log.warn({ err: error }, 'no block of the local chain')
    }
    await delay(BLOCK_MS, undefined, { signal }).catch(() => {})
  }
}
