import { type Kysely, sql } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import type { NameStop } from '#shared/sanctions.ts'

/** Why an account's name stops its withdrawals, or null. */
export async function nameStopOf(db: Kysely<Schema>, userId: string): Promise<NameStop | null> {
  const { rows } = await sql<{ stop: NameStop | null }>`SELECT app.name_stop(${userId}) AS stop`.execute(db)
  return rows[0]!.stop
}
