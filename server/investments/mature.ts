import { type Kysely, sql } from 'kysely'
import type { Services, Tx } from '#server/context.ts'
import { notify } from '#server/notifications/notices.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { processEach } from '#server/queries/process-each.ts'

/**
 * Tells the owners of active investments whose ending date has passed that they have matured (D6), once each. That is a
 * matter of the clock: nothing is written on the investment itself.
 * @returns how many
 */
export async function tellMatured(services: Pick<Services, 'db' | 'clock' | 'log'>): Promise<number> {
  const now = services.clock.now()
  const { done } = await processEach(services, {
    what: 'investment',
    ids: (after, most) => untold(services.db, now, after, most),
    act: (tx, id) => tell(tx, id, now),
  })
  return done
}

/** Tells of all that have matured by then in one transaction: for the demonstration, which has few. */
export async function tellAllMatured(tx: Tx, now: Date): Promise<void> {
  for (const id of await untold(tx, now, undefined, Number.MAX_SAFE_INTEGER)) await tell(tx, id, now)
}

async function untold(
  db: Kysely<Schema>,
  now: Date,
  after: string | undefined,
  most: number,
): Promise<string[]> {
  const rows = await db
    .selectFrom('app.investments as i')
    .select('i.id')
    .where('i.status', '=', 'active')
    .where('i.ending_at', '<=', now)
    .$if(after !== undefined, query => query.where('i.id', '>', after!))
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
    .limit(most)
    .execute()
  return rows.map(({ id }) => id)
}

/** Locked first, so that of two workers one tells, and an act that closes it meanwhile comes before or after. */
async function tell(tx: Tx, id: string, now: Date): Promise<boolean> {
  const investment = await tx
    .selectFrom('app.investments')
    .select(['id', 'user_id'])
    .where('id', '=', id)
    .where('status', '=', 'active')
    .forUpdate()
    .executeTakeFirst()
  if (!investment) return false
  const told = await tx
    .selectFrom('app.notifications')
    .select('id')
    .where('subject_id', '=', id)
    .where('kind', '=', 'investment.matured')
    .executeTakeFirst()
  if (told) return false
  await notify(tx, 'investment.matured', investment, now)
  // Open pages show it, too, although no row has changed.
  await sql`SELECT pg_notify('changed', ${`investments ${investment.user_id}`})`.execute(tx)
  return true
}
