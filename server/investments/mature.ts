import { type Kysely, sql } from 'kysely'
import type { Services, Tx } from '#server/context.ts'
import { notifyAll } from '#server/notifications/notices.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { processEach } from '#server/queries/process-each.ts'

/**
 * Notifies investors, once each, that an active investment has passed its ending date (D6). The investment itself goes on.
 * @returns how many
 */
export async function notifyMatured(services: Pick<Services, 'db' | 'clock' | 'log'>): Promise<number> {
  const now = services.clock.now()
  const { done } = await processEach(services, {
    what: 'investment',
    ids: (after, most) => unnotified(services.db, now, after, most),
    act: async (tx, id) => (await notifyMaturedOf(tx, [id], now)) === 1,
    actOnAll: (tx, ids) => notifyMaturedOf(tx, ids, now),
  })
  return done
}

/** The same in one transaction, for the demonstration's few investments. */
export async function notifyAllMatured(tx: Tx, now: Date): Promise<void> {
  await notifyMaturedOf(tx, await unnotified(tx, now, undefined, Number.MAX_SAFE_INTEGER), now)
}

/** The earliest first, by their own index. */
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
    .where('i.maturity_notified_at', 'is', null)
    .where('i.ending_at', '<=', now)
    .$if(after !== undefined, query =>
      query.where(
        sql<boolean>`(i.ending_at, i.id) > ((SELECT ending_at FROM app.investments WHERE id = ${after!}), ${after!})`,
      ),
    )
    .orderBy('i.ending_at')
    .orderBy('i.id')
    .limit(most)
    .execute()
  return rows.map(({ id }) => id)
}

/** Locks the investments, so that one of two workers notifies, and a concurrent closing waits. */
async function notifyMaturedOf(tx: Tx, ids: readonly string[], now: Date): Promise<number> {
  const due = await tx
    .selectFrom('app.investments')
    .select(['id', 'user_id'])
    .where('id', '=', sql<string>`ANY (${ids}::uuid[])`)
    .where('status', '=', 'active')
    .where('maturity_notified_at', 'is', null)
    .orderBy('id')
    .forUpdate()
    .execute()
  if (due.length === 0) return 0
  await tx
    .updateTable('app.investments')
    .set({ maturity_notified_at: now })
    .where('id', '=', sql<string>`ANY (${due.map(({ id }) => id)}::uuid[])`)
    .execute()
  await notifyAll(tx, 'investment.matured', due, now)
  return due.length
}
