import { type Kysely, sql } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import type { NameStop } from '#shared/sanctions.ts'
import { ownerRefusals, ownerStopped } from './messages.ts'

/** Why an account's name stops its withdrawals, or null. */
export async function nameStopOf(db: Kysely<Schema>, userId: string): Promise<NameStop | null> {
  const { rows } = await sql<{ stop: NameStop | null }>`SELECT app.name_stop(${userId}) AS stop`.execute(db)
  return rows[0]!.stop
}

/** The same in words. */
export async function nameStopWords(db: Kysely<Schema>, userId: string): Promise<string | null> {
  const stop = await nameStopOf(db, userId)
  if (stop === null) return null
  const owner = await db.selectFrom('app.users').select('name').where('id', '=', userId).executeTakeFirst()
  return ownerRefusals.words(ownerStopped(owner?.name ?? null, stop))
}
