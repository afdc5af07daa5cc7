import { type Kysely, sql } from 'kysely'
import type { Services, Tx } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { notify } from '#server/records/notices.ts'

/** Investments told of in one transaction. */
const batch = 100

/**
 * Tells the owners of active investments whose ending date has passed that they have matured (D6), once each. That is a
 * matter of the clock: nothing is written on the investment itself.
 * @returns how many
 */
export async function tellMatured({ db, clock }: Pick<Services, 'db' | 'clock'>): Promise<number> {
  let told = 0
  for (;;) {
    const more = await db.transaction().execute(tx => tellNext(tx, clock.now()))
    told += more
    if (more < batch) return told
  }
}

/** Tells of the first hundred of them. */
export async function tellNext(tx: Tx, now: Date): Promise<number> {
  const matured = await untold(tx, now)
  for (const investment of matured) await notify(tx, 'investment.matured', investment, now)
  const owners = [...new Set(matured.map(({ user_id }) => user_id))]
  // Open pages show it, too, although no row has changed.
  if (owners.length > 0)
    await sql`SELECT pg_notify('changed', ${`investments ${owners.join(' ')}`})`.execute(tx)
  return matured.length
}

/** Locked, so that of two workers one tells, and an act that closes it meanwhile comes before or after. */
function untold(tx: Kysely<Schema>, now: Date): Promise<{ id: string; user_id: string }[]> {
  return tx
    .selectFrom('app.investments as i')
    .select(['i.id', 'i.user_id'])
    .where('i.status', '=', 'active')
    .where('i.ending_at', '<=', now)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('app.notifications as n')
            .select('n.id')
            .whereRef('n.subject_id', '=', 'i.id')
            .where('n.kind', '=', 'investment.matured'),
        ),
      ),
    )
    .orderBy('i.id')
    .limit(batch)
    .forUpdate(['i'])
    .skipLocked()
    .execute()
}
