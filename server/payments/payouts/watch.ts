import { type Kysely, sql } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import type { Watched } from '#server/rails/chain.ts'
import { addressKey } from '#shared/addresses.ts'
import type { DepositMethod } from '#shared/coins.ts'
import { payoutWatchDays } from '#shared/limits.ts'

/**
 * What the watcher of a method looks out for beside the addresses of deposits: where batches pay, and what they spend. Of those that
 * are under way, and for some weeks of those that were paid (a block may be replaced) or cancelled (somebody may broadcast them after all).
 */
export async function payoutAddresses(
  db: Kysely<Schema>,
  method: DepositMethod,
  now: Date,
): Promise<Watched> {
  const batches = db.selectFrom('app.payout_batches').select('id').where(isLookedAt(method, now))
  const [items, inputs] = await Promise.all([
    db.selectFrom('app.payout_items').select('address').where('batch_id', 'in', batches).execute(),
    db.selectFrom('app.payout_inputs').select('outpoint').where('batch_id', 'in', batches).execute(),
  ])
  return {
    addresses: new Set(items.map(({ address }) => addressKey(address))),
    outpoints: new Set(inputs.map(({ outpoint }) => outpoint)),
  }
}

/** Of `app.payout_batches`: those for which the chain is looked at. */
export function isLookedAt(method: DepositMethod, now: Date) {
  const since = new Date(now.getTime() - payoutWatchDays * 86_400_000)
  return sql<boolean>`(method = ${method} AND (status IN ('open', 'seen') OR coalesce(paid_at, cancelled_at) > ${since}))`
}
