import { type Kysely, sql } from 'kysely'
import type { Services, Tx } from '#server/context.ts'
import { notify } from '#server/notifications/notices.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { processEach } from '#server/queries/process-each.ts'

/**
 * Notifies investors, once each, that an active investment has passed its ending date (D6). The investment itself does not change.
 * @returns how many
 */
export async function notifyMatured(services: Pick<Services, 'db' | 'clock' | 'log'>): Promise<number> {
  const now = services.clock.now()
  const { done } = await processEach(services, {
    what: 'investment',
    ids: (after, most) => unnotified(services.db, now, after, most),
    act: (tx, id) => notifyOne(tx, id, now),
  })
  return done
}

/** The same in one transaction, for the demonstration's few investments. */
export async function notifyAllMatured(tx: Tx, now: Date): Promise<void> {
  for (const id of await unnotified(tx, now, undefined, Number.MAX_SAFE_INTEGER)) await notifyOne(tx, id, now)
}

async function unnotified(
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

/** Locks the investment, so that one of two workers notifies, and a concurrent closing waits. */
async function notifyOne(tx: Tx, id: string, now: Date): Promise<boolean> {
  const investment = await tx
    .selectFrom('app.investments')
    .select(['id', 'user_id'])
    .where('id', '=', id)
    .where('status', '=', 'active')
    .forUpdate()
    .executeTakeFirst()
  if (!investment) return false
  const notified = await tx
    .selectFrom('app.notifications')
    .select('id')
    .where('subject_id', '=', id)
    .where('kind', '=', 'investment.matured')
    .executeTakeFirst()
  if (notified) return false
  await notify(tx, 'investment.matured', investment, now)
  // Refresh open pages, although no row has changed.
  await sql`SELECT pg_notify('changed', ${`investments ${investment.user_id}`})`.execute(tx)
  return true
}
