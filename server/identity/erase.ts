import { sql } from 'kysely'
import type { Services, Tx } from '#server/context.ts'
import { processEach } from '#server/queries/process-each.ts'
import { currentSettings } from '#server/staff/settings-queries.ts'
import { returnedDocumentDays, unsentIdentityHours } from '#shared/limits.ts'

/** Deletes the answers and files of a check for good; that it was there, and what was decided, stays. */
export async function eraseCheck(tx: Tx, id: string, now: Date): Promise<void> {
  await tx
    .updateTable('app.identity_checks')
    .set({ sealed_answers: null, erased_at: now })
    .where('id', '=', id)
    .execute()
  await tx
    .updateTable('app.identity_files')
    .set({ sealed_content: null })
    .where('check_id', '=', id)
    .execute()
}

/**
 * Deletes what is due: files that were never sent; what was returned, after some days; what was verified or refused, some years after its
 * person stopped being a customer or it stopped counting (the setting documentYears).
 * @returns how many checks
 */
export async function eraseDueProofs(
  services: Pick<Services, 'db' | 'clock' | 'log' | 'config'>,
): Promise<number> {
  const { db, clock, config } = services
  const now = clock.now()
  await sql`
    DELETE FROM app.identity_files
     WHERE check_id IS NULL AND uploaded_at < ${now}::timestamptz - make_interval(hours => ${unsentIdentityHours})`.execute(
    db,
  )
  const { documentYears } = await currentSettings(db, config)
  const { done } = await processEach(services, {
    what: 'identity check',
    ids: async (after, most) => {
      const { rows } = await sql<{ id: string }>`
        SELECT c.id FROM app.identity_checks c JOIN app.users u ON u.id = c.user_id
         WHERE c.erased_at IS NULL AND (${after ?? null}::uuid IS NULL OR c.id > ${after ?? null}::uuid)
           AND CASE c.decision
                 WHEN 'returned' THEN c.decided_at < ${now}::timestamptz - make_interval(days => ${returnedDocumentDays})
                 WHEN 'refused' THEN c.decided_at < ${now}::timestamptz - make_interval(years => ${documentYears})
                 WHEN 'verified' THEN least(u.closed_at, c.expires_on) < ${now}::timestamptz - make_interval(years => ${documentYears})
                   AND c.decided_at < ${now}::timestamptz - interval '1 year'
                 ELSE false END
         ORDER BY c.id LIMIT ${most}`.execute(db)
      return rows.map(({ id }) => id)
    },
    act: async (tx, id) => {
      await eraseCheck(tx, id, now)
      return true
    },
  })
  return done
}
