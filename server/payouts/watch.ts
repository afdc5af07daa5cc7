import { type Kysely, sql } from 'kysely'
import type { PayoutWatch } from '#server/chain/watchlist.ts'
import type { Services } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { addressKey } from '#shared/addresses.ts'
import { payoutRails, payoutWallets } from '#shared/batch-coins.ts'
import type { RailName } from '#shared/coins.ts'
import { payoutWatchDays } from '#shared/limits.ts'
import { areHoldingsAsked } from './holdings.ts'
import { sendersOf } from './wallets.ts'

/**
 * The payouts' part of a rail's watchlist: recipients and payers of batches that can still change, and of those that
 * ended lately, because a reorg may remove a block; and the payout addresses in use.
 */
export async function readPayoutWatch(
  { db, config }: Pick<Services, 'db' | 'config'>,
  rail: RailName,
): Promise<PayoutWatch> {
  const batches = watchedBatches(db, rail)
  const [payers, items] = await Promise.all([
    batches.select('b.sender').distinct().execute(),
    db
      .selectFrom('app.payout_items')
      .select('address')
      .where('batch_id', 'in', batches.select('b.id'))
      .execute(),
  ])
  const former = payers.flatMap(({ sender }) => sender ?? [])
  const configured = sendersOf(config, rail)
  return {
    recipients: new Set(items.map(({ address }) => addressKey(address))),
    payers: new Set([...former, ...configured].map(addressKey)),
    // A former one may be a contract by now that is no Safe of ours, and would hold up the one in use.
    numbered: new Set(configured.map(addressKey)),
  }
}

function watchedBatches(db: Kysely<Schema>, rail: RailName) {
  const days = `${payoutWatchDays} days`
  return db
    .selectFrom('app.payout_batches as b')
    .where('b.rail', '=', rail)
    .where(sql<boolean>`(b.ended_at IS NULL OR b.ended_at > now() - ${days}::interval)`)
}

/** True if an approved withdrawal waits to be paid on the network, in a batch or not, or deposits are about to be swept. */
export async function isPayoutExpected(
  services: Pick<Services, 'db' | 'clock'>,
  rail: RailName,
): Promise<boolean> {
  const { db } = services
  if (await areHoldingsAsked(services, rail)) return true
  if (await isBatchOpen(db, rail)) return true
  const wallets = payoutWallets.filter(wallet => payoutRails[wallet].rail === rail)
  const row = await db
    .selectFrom('app.withdrawals')
    .select('id')
    .where('status', '=', 'approved')
    .where('wallet', 'in', wallets)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

async function isBatchOpen(db: Kysely<Schema>, rail: RailName): Promise<boolean> {
  const row = await db
    .selectFrom('app.payout_batches')
    .select('id')
    .where('rail', '=', rail)
    .where('ended_at', 'is', null)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
