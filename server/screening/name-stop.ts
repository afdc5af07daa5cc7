import { type Kysely, sql } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import type { NameStop } from '#shared/sanctions.ts'
import { ownerRefusals, ownerStopped } from './messages.ts'

/** Why an account's name stops its withdrawals, or null. */
export async function nameStopOf(db: Kysely<Schema>, userId: string): Promise<NameStop | null> {
  const { rows } = await sql<{ stop: NameStop | null }>`SELECT app.name_stop(${userId}) AS stop`.execute(db)
  return rows[0]!.stop
}

/** The same with words, by account, of those whose names stop them. */
export async function nameStops(
  db: Kysely<Schema>,
  userIds: readonly string[],
): Promise<Map<string, { why: NameStop['why']; words: string }>> {
  const { rows } = await sql<{ id: string; name: string | null; stop: NameStop }>`
    SELECT u.id, u.name, stopped.stop
      FROM app.users u CROSS JOIN LATERAL app.name_stop(u.id) AS stopped (stop)
     WHERE u.id = ANY (${userIds}::uuid[]) AND stopped.stop IS NOT NULL`.execute(db)
  return new Map(
    rows.map(({ id, name, stop }) => [
      id,
      { why: stop.why, words: ownerRefusals.words(ownerStopped(name, stop)) },
    ]),
  )
}
