import { type Kysely, sql } from 'kysely'
import type { Services, Tx } from '#server/context.ts'
import { notifyOfTerms } from '#server/notifications/notices.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { processEach } from '#server/queries/process-each.ts'

/**
 * Tells investors, once each, that changed terms will come into force: those who registered before, and have not accepted
 * them yet. Does nothing once all are told.
 * @returns how many
 */
export async function tellOfTerms(services: Pick<Services, 'db' | 'clock' | 'log'>): Promise<number> {
  const { db, clock } = services
  const untold = await untoldTerms(db)
  if (!untold) return 0
  const now = clock.now()
  const tell = async (tx: Tx, ids: readonly string[]) => {
    await notifyOfTerms(tx, ids, now)
    return ids.length
  }
  const { done, failed } = await processEach(services, {
    what: 'investor',
    ids: (after, most) => uninformed(db, untold, after, most),
    act: async (tx, id) => (await tell(tx, [id])) === 1,
    actOnAll: tell,
  })
  if (failed === 0) {
    await db
      .insertInto('app.policies_told')
      .values({ policy_id: untold.id, told_at: now })
      .onConflict(conflict => conflict.doNothing())
      .execute()
  }
  return done
}

type Untold = { id: string; version: number; created_at: Date }

/** The newest terms, unless they are the first or everybody is told. */
function untoldTerms(db: Kysely<Schema>): Promise<Untold | undefined> {
  return db
    .selectFrom('app.policies as p')
    .select(['p.id', 'p.version', 'p.created_at'])
    .where('p.kind', '=', 'terms')
    .where('p.version', '>', 1)
    .where('p.version', '=', eb =>
      eb.selectFrom('app.policies').select(eb.fn.max('version').as('v')).where('kind', '=', 'terms'),
    )
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('app.policies_told as t').whereRef('t.policy_id', '=', 'p.id'))),
    )
    .executeTakeFirst()
}

/** At most `most` investors whom nobody has told, after this one. */
async function uninformed(
  db: Kysely<Schema>,
  { version, created_at }: Untold,
  after: string | undefined,
  most: number,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    SELECT u.id FROM app.users u
     WHERE u.type = 'investor' AND u.email_verified_at IS NOT NULL AND u.closed_at IS NULL AND u.created_at < ${created_at}
       AND (${after ?? null}::uuid IS NULL OR u.id > ${after ?? null}::uuid)
       AND NOT EXISTS (SELECT FROM app.term_acceptances a WHERE a.user_id = u.id AND a.version = ${version})
       AND NOT EXISTS (SELECT FROM app.notifications n
                        WHERE n.user_id = u.id AND n.kind = 'terms.changed' AND n.created_at >= ${created_at})
     ORDER BY u.id LIMIT ${most}`.execute(db)
  return rows.map(({ id }) => id)
}
