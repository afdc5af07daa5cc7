import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import { z } from 'zod'
import type { Config } from '#server/config.ts'
import { prepareDataDir } from '#server/platform/data-dir.ts'
import { EXIT_CONFIG, StartupError } from '#server/platform/startup-error.ts'
import { quantity } from '#server/rails/ethereum/forms.ts'
import { type Node, nodeAt } from '#server/rails/ethereum/node.ts'
import { anvilChainId, anvilProgram, startAnvil } from './anvil.ts'
import { saveChain, savedChain } from './chain-file.ts'

/**
 * DEMO_CHAIN=anvil: a local chain on which a visitor can pay a deposit and watch its confirmations. Its coins have no value
 * and its keys are public.
 */
export type DemoChain = {
  /** The configuration with Ethereum's rail on this chain. */
  config: Config
  /**
   * Begins to mine, before the first sync. A new chain gives the payout address what the ledger has.
   * @param ledgerGwei ether received less paid out
   * @param readBalances called at once and after each block, so that no comparison is older
   */
  begin(ledgerGwei: bigint, readBalances: () => Promise<void>): Promise<void>
  /** Resolves with the reason if the chain ends. */
  broken: Promise<Error>
  stop(): Promise<void>
}

/** Extended public key m/44'/60'/1' of anvil's mnemonic; its test accounts, which pay, are under m/44'/60'/0'. */
export const demoAccount =
  'xpub6Ce9NcJvTk372KjsGfWqbcex5DumjpNquQLApoeQUavSCjEc823BV1tb4rXUuPuht8h2hSxkg2EXUaKUJmniJvRZAELxypsCzBFdtosmV76'
/** The second test account, which pays withdrawals. */
const PAYOUT_ADDRESS = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

const CONFIRMATIONS = 3
/** Mines a block every two seconds while a transaction needs confirmations. */
const BLOCK_MS = 2_000

/** @throws StartupError if there is no anvil for this machine, or it does not start */
export async function openDemoChain(config: Config, log: Logger): Promise<DemoChain> {
  const program = anvilProgram()
  if (program === undefined) {
    const why = `there is no anvil for ${process.platform}-${process.arch}, or it is not installed (npm ci)`
    throw new StartupError(`DEMO_CHAIN: ${why}. The product also runs without it.`, EXIT_CONFIG)
  }
  prepareDataDir(config.dataDir)
  const saved = savedChain(config.dataDir)
  const anvil = await startAnvil(program, ['--no-mining', ...saved]).catch((error: Error) => {
    throw new StartupError(`DEMO_CHAIN: ${error.message}`)
  })
  const node = nodeAt(anvil.url)
  const stopping = new AbortController()
  let mining = Promise.resolve()
  return {
    config: onChain(config, anvil.url),
    broken: anvil.broken,
    async begin(ledgerGwei, readBalances) {
      if (saved.length === 0) await hold(node, ledgerGwei)
      // Its first block too: another one would be another chain for the database.
      await saveChain(node, config.dataDir)
      await readBalances()
      const afterBlock = async () => {
        await saveChain(node, config.dataDir)
        await readBalances()
      }
      mining = mineWhileNeeded(node, afterBlock, stopping.signal, log)
    },
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
    secondRpcUrl: null,
    confirmations: CONFIRMATIONS,
    payoutAddress: PAYOUT_ADDRESS,
    contracts: {},
    paymentTokens: [],
  }
  return { ...config, rails: { ...config.rails, ethereum } }
}

/** anvil's test accounts begin with 10,000 ETH each, of which the ledger knows nothing. */
async function hold(node: Node, gwei: bigint): Promise<void> {
  const wei = gwei > 0n ? gwei * 10n ** 9n : 0n
  await node.ask('anvil_setBalance', [PAYOUT_ADDRESS, `0x${wei.toString(16)}`], z.unknown())
}

const pool = z.object({ pending: quantity })

/** Mines blocks until the last transaction has its confirmations. */
async function mineWhileNeeded(
  node: Node,
  afterBlock: () => Promise<void>,
  signal: AbortSignal,
  log: Logger,
): Promise<void> {
  let target: bigint | undefined
  while (!signal.aborted) {
    try {
      const [{ pending }, height] = await Promise.all([
        node.ask('txpool_status', [], pool),
        node.ask('eth_blockNumber', [], quantity),
      ])
      target ??= await lastNeeded(node, height)
      if (pending > 0n) target = height + BigInt(CONFIRMATIONS)
      if (height < target) {
        await node.ask('evm_mine', [], z.unknown())
        await afterBlock()
      }
    } catch (error) {
      if (!signal.aborted) log.warn({ err: error }, 'cannot mine a block on the local chain')
    }
    await delay(BLOCK_MS, undefined, { signal }).catch(() => {})
  }
}

/** The block that gives a saved chain's last transactions their confirmations; 0 if they have them. */
async function lastNeeded(node: Node, height: bigint): Promise<bigint> {
  for (let block = height; block > 0n && block > height - BigInt(CONFIRMATIONS); block -= 1n) {
    const at = [`0x${block.toString(16)}`]
    const count = await node.ask('eth_getBlockTransactionCountByNumber', at, quantity)
    if (count > 0n) return block + BigInt(CONFIRMATIONS) - 1n
  }
  return 0n
}
