import { sql } from 'kysely'
import type { Services, Tx } from '#server/context.ts'
import { lockKeys } from '#server/platform/database/lock-keys.ts'
import { newId } from '#server/platform/id.ts'
import { mostOpenAlerts } from '#shared/limits.ts'
import { mailAlerts } from './mail.ts'
import { allWaiting, type Waiting } from './waiting.ts'

/** What has begun to wait, and the alerts of what no longer waits. */
type Change = Waiting & { over: string | null }

const nobody = sql`'00000000-0000-0000-0000-000000000000'::uuid`

/**
 * Raises the alerts of what has begun to wait, closes those of what no longer waits, and emails them. No act waits for it: a
 * worker compares the records with the alerts every minute, so it misses nothing and tells nothing that was undone.
 * @returns how many are new
 */
export async function tellStaff(services: Services): Promise<number> {
  return services.db.transaction().execute(async tx => {
    // One at a time, so that the ids are in the order of the commits.
    await sql`SELECT pg_advisory_xact_lock(${sql.lit(lockKeys.alerts)})`.execute(tx)
    const now = services.clock.now()
    const changes = await changesOf(tx, now)
    await close(
      tx,
      changes.flatMap(({ over }) => over ?? []),
      now,
    )
    const begun = changes.filter(({ over }) => over === null)
    await raise(tx, begun, now)
    await mailAlerts(tx, services)
    return begun.length
  })
}

/** The oldest first, and at most so many new ones that `mostOpenAlerts` of each kind are open. */
async function changesOf(tx: Tx, now: Date): Promise<Change[]> {
  const { rows } = await sql<Change>`
    WITH waiting AS (${allWaiting(now)}),
         open AS (SELECT id AS over, kind, subject_id, since FROM app.staff_alerts WHERE closed_at IS NULL),
         changed AS (
           SELECT open.over, w.*, row_number() OVER (PARTITION BY open.over IS NULL, w.kind ORDER BY w.since, w.subject_id) AS place
             FROM waiting w
             FULL JOIN open ON open.kind = w.kind AND open.since = w.since
                           AND coalesce(open.subject_id, ${nobody}) = coalesce(w.subject_id, ${nobody})
            WHERE open.over IS NULL OR w.kind IS NULL),
         counts AS (SELECT kind, count(*) AS already FROM open GROUP BY kind)
    SELECT over, c.kind, subject_id, since, author_id FROM changed c LEFT JOIN counts ON counts.kind = c.kind
     WHERE over IS NOT NULL OR place + coalesce(already, 0) <= ${mostOpenAlerts}
     ORDER BY since, subject_id`.execute(tx)
  return rows
}

async function close(tx: Tx, ids: readonly string[], now: Date): Promise<void> {
  if (ids.length === 0) return
  await tx
    .updateTable('app.staff_alerts')
    .set({ closed_at: now })
    .where(({ eb, val }) => eb('id', '=', eb.fn.any(val(ids))))
    .execute()
}

async function raise(tx: Tx, begun: readonly Waiting[], now: Date): Promise<void> {
  if (begun.length === 0) return
  await sql`
    INSERT INTO app.staff_alerts (id, kind, subject_id, since, author_id, created_at)
    SELECT id, kind, subject_id, since, author_id, ${now}
      FROM unnest(${begun.map(() => newId(now))}::uuid[], ${begun.map(({ kind }) => kind)}::text[],
                  ${begun.map(({ subject_id }) => subject_id)}::uuid[], ${begun.map(({ since }) => since)}::timestamptz[],
                  ${begun.map(({ author_id }) => author_id)}::uuid[]) AS b (id, kind, subject_id, since, author_id)`.execute(
    tx,
  )
}
