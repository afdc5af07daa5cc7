import type { Kysely } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import type { RailName } from '#shared/coins.ts'
import { syncedWithinMinutes } from '#shared/limits.ts'

/**
 * True if we have synced a network to its tip lately and without error: only then does the absence of a transfer prove anything.
 * @param since a moment after which the last sync must have been
 */
export async function isSynced(
  db: Kysely<Schema>,
  rail: RailName,
  { now, since = null }: { now: Date; since?: Date | null },
): Promise<boolean> {
  const cursor = await db
    .selectFrom('app.chain_cursors')
    .select(['synced_height', 'tip_height', 'polled_at', 'sync_error', 'halted'])
    .where('rail', '=', rail)
    .executeTakeFirst()
  return (
    cursor !== undefined &&
    !cursor.halted &&
    cursor.sync_error === null &&
    cursor.synced_height === cursor.tip_height &&
    isFresh(cursor.polled_at, now) &&
    (since === null || cursor.polled_at > since)
  )
}

/** True if what a sync read then still counts as current. */
export function isFresh(syncedAt: Date, now: Date): boolean {
  return syncedAt.getTime() >= now.getTime() - syncedWithinMinutes * 60_000
}
