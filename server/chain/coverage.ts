import type { Config } from '#server/config.ts'
import type { Services } from '#server/context.ts'
import type { Chain } from '#server/rails/chain.ts'
import { chainOf } from '#server/rails/chains.ts'
import { type RailName, railNames } from '#shared/coins.ts'
import { exclusively } from './exclusive.ts'

type Reading = Pick<Services, 'db' | 'pool' | 'config' | 'clock' | 'log'>

type SendersOf = (config: Config, rail: RailName) => readonly string[]

/** TronGrid needs one request for each address and limits them daily, so many addresses are read less often. */
const TRON_PER_DAY = 20_000

/**
 * Stores the balances of our watched addresses as each network reports them: used addresses, change and payout senders. If a network does
 * not answer, its last reading stays. Only one process reads a network at a time; overlapping runs do nothing.
 * @param sendersOf the payout addresses on a network
 * @param chains the networks; tests replace them
 */
export async function readCoverage(
  services: Reading,
  sendersOf: SendersOf,
  chains: (rail: RailName) => Chain | undefined = rail => chainOf(services.config, rail),
): Promise<void> {
  for (const rail of railNames) {
    const chain = chains(rail)
    if (chain === undefined) continue
    const senders = sendersOf(services.config, rail)
    try {
      await exclusively(services.pool, rail, () => readOne(services, rail, { chain, senders }), 'coverage')
    } catch (err) {
      services.log.warn({ err, rail }, 'on-chain balances could not be read')
    }
  }
}

type Source = { chain: Chain; senders: readonly string[] }

async function readOne({ db, clock }: Reading, rail: RailName, { chain, senders }: Source): Promise<void> {
  const at = clock.now()
  const rows = await db
    .selectFrom('app.payment_addresses')
    .select('address')
    .where('rail', '=', rail)
    .where(({ eb, or }) => or([eb('used_at', 'is not', null), eb('branch', '=', 1)]))
    .execute()
  const addresses = [...new Set([...rows.map(({ address }) => address), ...senders])]
  if (addresses.length === 0) return
  if (rail === 'usdt' && (await wasReadWithin(db, rail, at, (addresses.length / TRON_PER_DAY) * dayMs)))
    return
  const readings = [...(await chain.balances(addresses))].map(([token, units]) => ({
    rail,
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
  rail: RailName,
  now: Date,
  milliseconds: number,
): Promise<boolean> {
  const row = await db
    .selectFrom('app.coverage_readings')
    .select('at')
    .where('rail', '=', rail)
    .where('at', '>', new Date(now.getTime() - milliseconds))
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
