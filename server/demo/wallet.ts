import { z } from 'zod'
import type { Services } from '#server/context.ts'
import { quantity } from '#server/rails/ethereum/forms.ts'
import { nodeAt } from '#server/rails/ethereum/node.ts'
import type { DemoPart } from '#shared/contract/demo.ts'
import { assetDecimals, scaleOf } from '#shared/money.ts'

/** What of the amount that was asked for shall have been paid after it, as a fraction. */
const shares: Record<DemoPart, readonly [bigint, bigint]> = { half: [1n, 2n], all: [1n, 1n], more: [3n, 2n] }
const weiPerGwei = scaleOf(18 - assetDecimals.ETH)

/** One payment at a time: the next one counts what this one has sent. The chain belongs to this process alone. */
let last: Promise<unknown> = Promise.resolve()

/** Sends what the deposit's address lacks of that share: done again, it sends nothing. @throws ChainFault */
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

/** From the first of anvil's accounts, whose key anvil holds. */
async function topUp(rpcUrl: string, to: string, wanted: bigint): Promise<void> {
  const node = nodeAt(rpcUrl)
  const [[from], there] = await Promise.all([
    node.ask('eth_accounts', [], z.array(z.string()).nonempty()),
    node.ask('eth_getBalance', [to, 'pending'], quantity),
  ])
  if (wanted <= there) return
  const value = `0x${(wanted - there).toString(16)}`
  await node.ask('eth_sendTransaction', [{ from, to, value }], z.string())
}
