import type { Services } from '#server/context.ts'
import type { Chain } from '#server/rails/chain.ts'
import { chainOf } from '#server/rails/chains.ts'
import { type DepositMethod, depositMethods } from '#shared/coins.ts'
import { payersOf } from './payouts/files.ts'

type Reading = Pick<Services, 'db' | 'config' | 'clock' | 'log'>

/** Addresses that a network is asked for together. */
const TOGETHER = 500

/**
 * Keeps what lies at the firm's watched addresses by each network's own account: addresses that something was ever paid to, change,
 * and those that payouts are sent from. Of a network that does not answer nothing is kept: the last reading stays, with its time.
 * @param chains the networks, which a test replaces
 */
export async function readCoverage(
  services: Reading,
  chains: (method: DepositMethod) => Chain | undefined = method => chainOf(services.config, method),
): Promise<void> {
  for (const method of depositMethods) {
    const chain = chains(method)
    if (chain === undefined) continue
    try {
      await readOne(services, method, chain)
    } catch (err) {
      services.log.warn({ err, method }, 'what lies on the chain could not be read')
    }
  }
}

async function readOne({ db, config, clock }: Reading, method: DepositMethod, chain: Chain): Promise<void> {
  const at = clock.now()
  const rows = await db
    .selectFrom('app.payment_addresses')
    .select('address')
    .where('method', '=', method)
    .where(({ eb, or }) => or([eb('used_at', 'is not', null), eb('branch', '=', 1)]))
    .execute()
  const addresses = [...new Set([...rows.map(({ address }) => address), ...payersOf(config, method)])]
  if (addresses.length === 0) return
  const sums = new Map<'BTC' | 'ETH' | 'USDT' | 'USDC', bigint>()
  for (let from = 0; from < addresses.length; from += TOGETHER) {
    for (const [token, units] of await chain.balances(addresses.slice(from, from + TOGETHER))) {
      sums.set(token, (sums.get(token) ?? 0n) + units)
    }
  }
  const readings = [...sums].map(([token, units]) => ({
    method,
    token,
    at,
    units,
    addresses: addresses.length,
  }))
  if (readings.length === 0) return
  await db
    .insertInto('app.coverage_readings')
    .values(readings)
    .onConflict(conflict => conflict.doNothing())
    .execute()
}
