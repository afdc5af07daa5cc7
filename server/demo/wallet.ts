import { z } from 'zod'
import type { Services } from '#server/context.ts'
import { quantity } from '#server/rails/ethereum/forms.ts'
import { nodeAt } from '#server/rails/ethereum/node.ts'
import type { DemoPart } from '#shared/contract/demo.ts'
import { assetDecimals, scaleOf } from '#shared/money.ts'

/** The fraction of the quoted amount that is paid afterwards. */
const shares: Record<DemoPart, readonly [bigint, bigint]> = { half: [1n, 2n], all: [1n, 1n], more: [3n, 2n] }
const weiPerGwei = scaleOf(18 - assetDecimals.ETH)

/** Serialises payments, since each one reads what the previous one sent. Only this process uses the chain. */
let last: Promise<unknown> = Promise.resolve()

/** Tops the deposit's address up to that share, so a repeat sends nothing. @throws ChainError */
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
    await topUp(rpcUrl, address, ((crypto_units * numerator) / denominator) * weiPerGwei)
  })
  last = payment.catch(() => {})
  return payment
}

/** Sends from the first of anvil's accounts, whose key anvil holds. */
async function topUp(rpcUrl: string, to: string, target: bigint): Promise<void> {
  const node = nodeAt(rpcUrl)
  const [[from], balance] = await Promise.all([
    node.ask('eth_accounts', [], z.array(z.string()).nonempty()),
    node.ask('eth_getBalance', [to, 'pending'], quantity),
  ])
  if (target <= balance) return
  const value = `0x${(target - balance).toString(16)}`
  await node.ask('eth_sendTransaction', [{ from, to, value }], z.string())
}
