import type { Services } from '#server/context.ts'
import type { Chain } from '#server/rails/chain.ts'
import { chainOf } from '#server/rails/chains.ts'
import { type DepositMethod, depositMethods } from '#shared/coins.ts'
import { sendersOf } from './payouts/files.ts'
import { whileAlone } from './watching/alone.ts'

type Reading = Pick<Services, 'db' | 'pool' | 'config' | 'clock' | 'log'>

/**
 * TronGrid is asked once for each address, and allows so many requests a day: of many addresses what lies there is read less often, so that
 * watching the network goes on.
 */
const TRON_PER_DAY = 20_000

/**
 * Keeps what lies at the firm's watched addresses by each network's own account: addresses that something was ever paid to, change,
 * and those that payouts are sent from. Of a network that does not answer nothing is kept: the last reading stays, with its time. Only one
 * process reads a network at a time: where that takes longer than until the next time, the next time does nothing.
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
      await whileAlone(services.pool, method, () => readOne(services, method, chain), 'coverage')
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
  const addresses = [...new Set([...rows.map(({ address }) => address), ...sendersOf(config, method)])]
  if (addresses.length === 0) return
  if (method === 'usdt' && (await wasReadWithin(db, method, at, (addresses.length / TRON_PER_DAY) * dayMs)))
    return
  const readings = [...(await chain.balances(addresses))].map(([token, units]) => ({
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

const dayMs = 86_400_000

async function wasReadWithin(
  db: Services['db'],
  method: DepositMethod,
  now: Date,
  milliseconds: number,
): Promise<boolean> {
  const row = await db
    .selectFrom('app.coverage_readings')
    .select('at')
    .where('method', '=', method)
    .where('at', '>', new Date(now.getTime() - milliseconds))
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
