import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import type { Services } from '#server/context.ts'
import { ChainError } from '#server/rails/chain.ts'
import { quantity } from '#server/rails/ethereum/forms.ts'
import { type Node, nodeAt } from '#server/rails/ethereum/node.ts'
import type { DemoPart } from '#shared/contract/demo.ts'
import { assetDecimals, scaleOf } from '#shared/money.ts'
import { saveChain } from './chain-file.ts'

/** The fraction of the quoted amount that is paid afterwards. */
const shares: Record<DemoPart, readonly [bigint, bigint]> = { half: [1n, 2n], all: [1n, 1n], more: [3n, 2n] }
const weiPerGwei = scaleOf(18 - assetDecimals.ETH)

/** Serialises payments, since each one reads what the previous one sent. Only this process uses the chain. */
let last: Promise<unknown> = Promise.resolve()

/**
 * Tops the deposit's address up to that share, so a repeat sends nothing. Done once a block on disk holds the payment: a
 * process killed before then repeats the job.
 * @throws ChainError
 */
export function payFromDemoWallet(
  { config, db }: Pick<Services, 'config' | 'db'>,
  { deposit, part }: { deposit: string; part: DemoPart },
): Promise<void> {
  const payment = last.then(async () => {
    const { rpcUrl } = config.rails.ethereum
    if (config.demoChain === null || rpcUrl === null) return
    const { address, crypto_units } = await db
      .selectFrom('app.deposits')
      .select(['address', 'crypto_units'])
      .where('id', '=', deposit)
      .executeTakeFirstOrThrow()
    const [numerator, denominator] = shares[part]
    const target = ((crypto_units * numerator) / denominator) * weiPerGwei
    const node = nodeAt(rpcUrl)
    await topUp(node, address, target)
    await untilMined(node, address, target)
    await saveChain(node, config.dataDir)
  })
  last = payment.catch(() => {})
  return payment
}

/** Sends from the first of anvil's accounts, whose key anvil holds. */
async function topUp(node: Node, to: string, target: bigint): Promise<void> {
  const [[from], balance] = await Promise.all([
    node.ask('eth_accounts', [], z.array(z.string()).nonempty()),
    node.ask('eth_getBalance', [to, 'pending'], quantity),
  ])
  if (target <= balance) return
  const value = `0x${(target - balance).toString(16)}`
  await node.ask('eth_sendTransaction', [{ from, to, value }], z.string())
}

/** Pause between reads of the balance, and how many before giving up, while a block comes every two seconds. */
const readMs = 200
const mostReads = 150

async function untilMined(node: Node, address: string, target: bigint): Promise<void> {
  for (let reads = 0; reads < mostReads; reads += 1) {
    if ((await node.ask('eth_getBalance', [address, 'latest'], quantity)) >= target) return
    await delay(readMs)
  }
  throw new ChainError('the local chain has not mined the payment')
}
