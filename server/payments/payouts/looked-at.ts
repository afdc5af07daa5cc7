import type { Kysely } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import type { DepositMethod } from '#shared/coins.ts'
import { payoutLookMinutes } from '#shared/limits.ts'

/**
 * Whether what is written down of a network is how it stands: it was read to its end without a fault, and lately.
 * @param since a moment after which it must have been looked at, where there is one
 */
export async function isLookedAt(
  db: Kysely<Schema>,
  method: DepositMethod,
  { now, since = null }: { now: Date; since?: Date | null },
): Promise<boolean> {
  const cursor = await db
    .selectFrom('app.chain_cursors')
    .select(['synced_height', 'tip_height', 'polled_at', 'sync_error', 'halted'])
    .where('method', '=', method)
    .executeTakeFirst()
  const oldest = now.getTime() - payoutLookMinutes * 60_000
  return (
    cursor !== undefined &&
    !cursor.halted &&
    cursor.sync_error === null &&
    cursor.synced_height === cursor.tip_height &&
    cursor.polled_at.getTime() >= oldest &&
    (since === null || cursor.polled_at > since)
  )
}
