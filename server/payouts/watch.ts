import { type Kysely, sql } from 'kysely'
import type { PayoutWatch } from '#server/chain/watchlist.ts'
import type { Services } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { addressKey } from '#shared/addresses.ts'
import { type DepositMethod, payoutRails, payoutWallets } from '#shared/coins.ts'
import { payoutWatchDays } from '#shared/limits.ts'
import { sendersOf } from './wallets.ts'

/**
 * The payouts' part of a method's watchlist: recipients and payers of batches that can still change, and of those that
 * ended lately, because a reorg may remove a block; and the payout addresses in use.
 */
export async function readPayoutWatch(
  { db, config }: Pick<Services, 'db' | 'config'>,
  method: DepositMethod,
): Promise<PayoutWatch> {
  const batches = watchedBatches(db, method)
  const [payers, items] = await Promise.all([
    batches.select('b.sender').distinct().execute(),
    db
      .selectFrom('app.payout_items')
      .select('address')
      .where('batch_id', 'in', batches.select('b.id'))
      .execute(),
  ])
  const former = payers.flatMap(({ sender }) => sender ?? [])
  return {
    recipients: new Set(items.map(({ address }) => addressKey(address))),
    payers: new Set([...former, ...sendersOf(config, method)].map(addressKey)),
  }
}

function watchedBatches(db: Kysely<Schema>, method: DepositMethod) {
  const days = `${payoutWatchDays} days`
  return db
    .selectFrom('app.payout_batches as b')
    .where('b.method', '=', method)
    .where(sql<boolean>`(b.ended_at IS NULL OR b.ended_at > now() - ${days}::interval)`)
}

/** True if an approved withdrawal waits to be paid on the network, in a batch or not. */
export async function isPayoutExpected(db: Kysely<Schema>, method: DepositMethod): Promise<boolean> {
  const wallets = payoutWallets.filter(wallet => payoutRails[wallet].method === method)
  const row = await db
    .selectFrom('app.withdrawals')
    .select('id')
    .where('status', '=', 'approved')
    .where('wallet', 'in', wallets)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
