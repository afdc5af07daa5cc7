import { type Kysely, sql } from 'kysely'
import type { Services, Tx } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { newId } from '#server/platform/id.ts'
import { currentSettings } from '#server/staff/settings-queries.ts'
import { monitoredDays, monitoringOverlapMinutes, monitoringPage } from '#shared/limits.ts'
import { type Finding, findings } from './rules.ts'

type Sources = Pick<Services, 'db' | 'clock' | 'config'>

/**
 * Opens a case for each rule that an account's movements since the last run meet. A job repeats it each minute.
 * @returns how many cases are new
 */
export async function watchMovements(sources: Sources): Promise<number> {
  const { db } = sources
  const { from, now } = await since(db)
  let opened = 0
  for (const users of pages(await movedSince(db, from))) {
    opened += await db.transaction().execute(tx => openCases(tx, sources, users, from))
  }
  await sql`
    INSERT INTO app.monitoring_progress (through) VALUES (${now})
        ON CONFLICT (only_one) DO UPDATE SET through = greatest(monitoring_progress.through, EXCLUDED.through)`.execute(
    db,
  )
  return opened
}

/**
 * By the database's clock, as the ledger's times: some minutes before the last run, for transactions that were open then. The first run,
 * and the first one with other settings, begins as many days ago as the rules add up.
 */
async function since(db: Kysely<Schema>): Promise<{ from: Date; now: Date }> {
  const { rows } = await sql<{ from: Date; now: Date }>`
    SELECT now(), coalesce(
             (SELECT through - make_interval(mins => ${monitoringOverlapMinutes}) FROM app.monitoring_progress
               WHERE through > coalesce((SELECT max(created_at) FROM app.setting_versions), '-infinity')),
             now() - make_interval(days => ${monitoredDays})) AS from`.execute(db)
  return rows[0]!
}

async function movedSince(db: Kysely<Schema>, from: Date): Promise<string[]> {
  const { rows } = await sql<{ owner: string }>`
    SELECT DISTINCT a.owner
      FROM ledger.transactions t
      JOIN ledger.entries e ON e.transaction_id = t.id
      JOIN ledger.accounts a ON a.id = e.account_id AND a.kind = 'available'
     WHERE t.created_at >= ${from} AND t.event IN ('deposit.settled', 'deposit.added', 'withdrawal.requested')
     ORDER BY a.owner`.execute(db)
  return rows.map(({ owner }) => owner)
}

function pages(users: readonly string[]): string[][] {
  return Array.from({ length: Math.ceil(users.length / monitoringPage) }, (_, page) =>
    users.slice(page * monitoringPage, (page + 1) * monitoringPage),
  )
}

async function openCases(
  tx: Tx,
  { clock, config }: Sources,
  users: readonly string[],
  from: Date,
): Promise<number> {
  const found = await findings(tx, users, { from, settings: await currentSettings(tx, config) })
  let opened = 0
  for (const finding of found) opened += await openCase(tx, finding, clock.now())
  return opened
}

/** What moves while a case of the same rule is open belongs to that one. */
async function openCase(tx: Tx, { limit_cents, ...finding }: Finding, now: Date): Promise<number> {
  const { rows } = await sql`
    INSERT INTO app.monitoring_cases (id, user_id, rule, kind, cents, movements, first_at, last_at, limit_cents, found_at)
    VALUES (${newId(now)}, ${finding.user_id}, ${finding.rule}, ${finding.kind}, ${finding.cents}, ${finding.movements},
            ${finding.first_at}, ${finding.last_at}, ${limit_cents}, ${now})
        ON CONFLICT (user_id, rule) WHERE decided_at IS NULL DO NOTHING
    RETURNING id`.execute(tx)
  return rows.length
}
