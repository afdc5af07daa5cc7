import { type Kysely, sql } from 'kysely'
import type { Services, Tx } from '#server/context.ts'
import { retrying } from '#server/platform/database/retrying.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { newId } from '#server/platform/id.ts'
import { currentSettings, type Settings } from '#server/staff/settings-queries.ts'
import { caseOverlapMinutes, casePage, monitoredDays } from '#shared/limits.ts'
import { type Finding, findings } from './rules.ts'

type Sources = Pick<Services, 'db' | 'clock' | 'config' | 'log'>
type Options = { signal?: AbortSignal; find?: typeof findings; page?: number }
type Run = { from: Date; now: Date; settings: Settings }

/**
 * Opens a case for each rule that an account's movements since the last run meet. A job repeats it each minute. The next run reads the
 * same movements again if some could not be read, which the log says.
 * @returns how many cases are new
 */
export async function watchMovements(
  sources: Sources,
  { signal, find = findings, page = casePage }: Options = {},
): Promise<number> {
  const { db, log } = sources
  const run = await begin(sources)
  let opened = 0
  let isWhole = true
  for (const users of pages(await movedSince(db, run.from), page)) {
    if (signal?.aborted) return opened
    try {
      opened += await retrying(() =>
        db.transaction().execute(tx => openCases(tx, sources, { users, run, find })),
      )
    } catch (error) {
      isWhole = false
      log.error({ err: error, users }, 'could not read the movements of some accounts')
    }
  }
  await (isWhole ? end(db, run) : fail(db, run))
  return opened
}

/**
 * By the database's clock, as the ledger's times: some minutes before the last run, for transactions that were open then. The first run,
 * and the first one with other settings, begins at least as many days ago as the rules add up.
 */
async function begin({ db, config }: Sources): Promise<Run> {
  const settings = await currentSettings(db, config)
  const { rows } = await sql<{ from: Date; now: Date }>`
    SELECT now(), least(
             now() - CASE WHEN settings = ${settings.version} THEN interval '0' ELSE make_interval(days => ${monitoredDays}) END,
             through - make_interval(mins => ${caseOverlapMinutes})) AS from
      FROM (SELECT) AS run LEFT JOIN app.monitoring_progress ON true`.execute(db)
  return { ...rows[0]!, settings }
}

async function end(db: Kysely<Schema>, { now, settings }: Run): Promise<void> {
  await sql`
    INSERT INTO app.monitoring_progress (through, settings) VALUES (${now}, ${settings.version})
        ON CONFLICT (only_one) DO UPDATE SET settings = EXCLUDED.settings, failing_since = NULL,
           through = greatest(monitoring_progress.through, EXCLUDED.through)`.execute(db)
}

async function fail(db: Kysely<Schema>, { from, now, settings }: Run): Promise<void> {
  await sql`
    INSERT INTO app.monitoring_progress (through, settings, failing_since) VALUES (${from}, ${settings.version}, ${now})
        ON CONFLICT (only_one) DO UPDATE
           SET failing_since = coalesce(monitoring_progress.failing_since, EXCLUDED.failing_since)`.execute(
    db,
  )
}

/** Whose balance has moved, for whatever reason: fewer rows to read than the entries since then. */
async function movedSince(db: Kysely<Schema>, from: Date): Promise<string[]> {
  const { rows } = await sql<{ owner: string }>`
    SELECT owner FROM ledger.accounts
     WHERE kind = 'available' AND asset = 'USD' AND moved_at >= ${from} ORDER BY owner`.execute(db)
  return rows.map(({ owner }) => owner)
}

function pages(users: readonly string[], size: number): string[][] {
  return Array.from({ length: Math.ceil(users.length / size) }, (_, page) =>
    users.slice(page * size, (page + 1) * size),
  )
}

async function openCases(
  tx: Tx,
  { clock }: Sources,
  { users, run, find }: { users: readonly string[]; run: Run; find: typeof findings },
): Promise<number> {
  let opened = 0
  for (const finding of await find(tx, users, run)) opened += await openCase(tx, finding, clock.now())
  return opened
}

/** What moves while a case of the same rule is open belongs to that one, and what was decided meanwhile to the decided one. */
async function openCase(tx: Tx, { limit_cents, ...finding }: Finding, now: Date): Promise<number> {
  const { user_id, rule } = finding
  const { rows } = await sql`
    INSERT INTO app.monitoring_cases (id, user_id, rule, kind, cents, movements, first_at, last_at, limit_cents, found_at)
    SELECT ${newId(now)}, ${user_id}, ${rule}, ${finding.kind}, ${finding.cents}, ${finding.movements},
           ${finding.first_at}, ${finding.last_at}, ${limit_cents}, ${now}
     WHERE NOT EXISTS (SELECT FROM app.monitoring_cases
                        WHERE user_id = ${user_id} AND rule = ${rule} AND through >= ${finding.last_at})
        ON CONFLICT (user_id, rule) WHERE decided_at IS NULL DO NOTHING
    RETURNING id`.execute(tx)
  return rows.length
}
