import { type Kysely, sql } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import type { Watched } from '#server/rails/chain.ts'
import { addressKey } from '#shared/addresses.ts'
import { type DepositMethod, payoutRails, payoutWallets } from '#shared/coins.ts'
import { payoutWatchDays } from '#shared/limits.ts'
import { canStillConfirm } from './exported-files.ts'

/**
 * The payouts' part of a method's watchlist: recipients, inputs and senders of open batches, and of paid (a reorg may remove a block)
 * and cancelled ones (they may be broadcast anyway) for as long as that matters.
 */
export async function payoutAddresses(
  db: Kysely<Schema>,
  method: DepositMethod,
): Promise<Watched & { senders: ReadonlySet<string> }> {
  const batches = watchedBatches(db, method).select('b.id')
  const [senders, items, inputs] = await Promise.all([
    watchedBatches(db, method).select('b.sender').distinct().execute(),
    db.selectFrom('app.payout_items').select('address').where('batch_id', 'in', batches).execute(),
    db.selectFrom('app.payout_inputs').select('outpoint').where('batch_id', 'in', batches).execute(),
  ])
  return {
    addresses: new Set(items.map(({ address }) => addressKey(address))),
    outpoints: new Set(inputs.map(({ outpoint }) => outpoint)),
    senders: new Set(senders.flatMap(({ sender }) => (sender === null ? [] : addressKey(sender)))),
  }
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

/**
 * Batches that a sync watches. No limit of days applies while an exported file can still confirm for a released withdrawal, or while that
 * withdrawal is unpaid: whatever used its nonce or outpoint may have been that very payment.
 */
export function watchedBatches(db: Kysely<Schema>, method: DepositMethod) {
  const days = `${payoutWatchDays} days`
  return db
    .selectFrom('app.payout_batches as b')
    .where('b.method', '=', method)
    .where(
      sql<boolean>`(b.status IN ('open', 'seen') OR coalesce(b.paid_at, b.cancelled_at) > now() - ${days}::interval
        OR coalesce(b.exported_at, b.seen_at) IS NOT NULL AND EXISTS (
             SELECT FROM app.payout_items p JOIN app.withdrawals w ON w.id = p.withdrawal_id
              WHERE p.batch_id = b.id AND p.state = 'released'
                AND (w.status = 'approved' OR ${canStillConfirm(sql`now()`)})))`,
    )
}
