import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Logger, runMigrations } from 'graphile-worker'
import type { Client, Pool } from 'pg'
import { EXIT_CONFIG, StartupError } from '#server/platform/startup-error.ts'
import { type ApplyOptions, applyMigration, LOCK_MS, type Migration, whileLocked } from './apply-migration.ts'
import { LimitedClient } from './limited-client.ts'
import { lockKeys } from './lock-keys.ts'
import { clientConfig, openPool } from './pool.ts'

interface AppliedRow {
  readonly name: string
  readonly checksum: string
}

export interface MigrateOptions {
  readonly ownerUrl: string
  readonly appUrl: string
  readonly migrationsFolder?: string
  readonly say?: (line: string) => void
  /** Aborts; uncommitted work is rolled back. */
  readonly signal?: AbortSignal
}

const MIGRATIONS = join(import.meta.dirname, '../../../db/migrations')
/** Pause between two tries to become the process that migrates, in milliseconds. */
const LOCK_PAUSE_MS = 200
const quiet = new Logger(() => () => {})

/**
 * Applies missing files, each in its own transaction, then the job queue's own migrations as probity_app (decision 134).
 * Returns the applied names.
 * @throws StartupError if an applied file was changed or is unknown here, or a file fails (with its line)
 */
export async function migrate(options: MigrateOptions): Promise<string[]> {
  const { ownerUrl, appUrl, migrationsFolder = MIGRATIONS, say = () => {}, signal } = options
  const client = new LimitedClient(clientConfig({ url: ownerUrl, as: 'owner', name: 'probity migrate' }))
  const abort = () => void client.end()
  signal?.addEventListener('abort', abort)
  try {
    await client.connect()
    await lockMigrations(client, signal)
    // PostgreSQL notices an abort while a statement runs; not on all systems.
    await client.query("SET client_connection_check_interval = '1s'").catch(() => {})
    if (!(await hasBookkeeping(client))) await createBookkeeping(client)
    const pending = pendingOf(readMigrations(migrationsFolder), await readApplied(client))
    for (const migration of pending) {
      say(`Migrating ${migration.name}`)
      await applyMigration(client, migration, { say, signal })
    }
    await migrateQueue(appUrl, { say, signal })
    return pending.map(migration => migration.name)
  } finally {
    signal?.removeEventListener('abort', abort)
    await client.end().catch(() => {})
  }
}

/**
 * One process migrates; the others wait and then find nothing to do. They ask again and again: a statement that waits has a
 * snapshot, for whose end CREATE INDEX CONCURRENTLY would wait.
 */
async function lockMigrations(client: Client, signal: AbortSignal | undefined): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ locked: boolean }>('SELECT pg_try_advisory_lock($1) AS locked', [
      lockKeys.migration,
    ])
    if (rows[0]!.locked) return
    await delay(LOCK_PAUSE_MS, undefined, { signal })
  }
}

/**
 * Names of missing migrations; empty once the database is ready for this release.
 * @throws StartupError as `migrate` does
 */
export async function pendingMigrations(
  pool: Pool,
  migrationsFolder: string = MIGRATIONS,
): Promise<string[]> {
  const migrations = readMigrations(migrationsFolder)
  try {
    return pendingOf(migrations, await readApplied(pool)).map(migration => migration.name)
  } catch (error) {
    // undefined_table, invalid_schema_name: a database without any migration.
    if (['42P01', '3F000'].includes((error as { code?: string }).code ?? ''))
      return migrations.map(({ name }) => name)
    throw error
  }
}

function readMigrations(folder: string): Migration[] {
  return readdirSync(folder)
    .filter(name => /^\d{4}_\w+\.sql$/.test(name))
    .sort()
    .map(name => {
      const sql = readFileSync(join(folder, name), 'utf8')
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') }
    })
}

/** If nothing is missing, migrating needs no rights of the owner. */
async function hasBookkeeping(client: Client): Promise<boolean> {
  const { rows } = await client.query("SELECT to_regclass('app.migrations') IS NOT NULL AS made")
  return rows[0].made
}

async function createBookkeeping(client: Client): Promise<void> {
  try {
    await client.query(`
      CREATE SCHEMA IF NOT EXISTS app;
      CREATE TABLE app.migrations (
        name text PRIMARY KEY,
        checksum text NOT NULL,
        applied_at timestamptz NOT NULL DEFAULT now()
      )`)
  } catch (cause) {
    throw new StartupError(`The database cannot be migrated: ${(cause as Error).message}`, EXIT_CONFIG, {
      cause,
    })
  }
}

async function readApplied(from: Client | Pool): Promise<AppliedRow[]> {
  const { rows } = await from.query<AppliedRow>('SELECT name, checksum FROM app.migrations ORDER BY name')
  return rows
}

function pendingOf(migrations: Migration[], applied: AppliedRow[]): Migration[] {
  const known = new Map(migrations.map(migration => [migration.name, migration]))
  for (const { name, checksum } of applied) {
    const migration = known.get(name)
    if (migration === undefined) {
      throw new StartupError(
        `The database has migration ${name}, which this release does not know. Use the newer release.`,
      )
    }
    if (migration.checksum !== checksum) {
      throw new StartupError(
        `Migration ${name} was changed after it was applied. Restore the file and put the change into a new one (or npm run db:reset).`,
      )
    }
  }
  const done = new Set(applied.map(({ name }) => name))
  const pending = migrations.filter(({ name }) => !done.has(name))
  const last = applied.at(-1)?.name ?? ''
  const late = pending.find(({ name }) => name < last)
  if (late !== undefined) {
    throw new StartupError(
      `Migration ${late.name} comes before ${last}, which is applied already. Give it a higher number.`,
    )
  }
  return pending
}

/** Ours: without them, each search for jobs of one lane would read the backlog of all others (decision 133). */
const queueIndexes = {
  jobs_by_task: 'graphile_worker._private_jobs (task_id, priority, run_at) WHERE is_available',
  jobs_by_worker: 'graphile_worker._private_jobs (locked_by) WHERE locked_by IS NOT NULL',
}

/**
 * graphile-worker's own tables, created and owned by probity_app, so that its jobs never run with rights to the books.
 */
async function migrateQueue(appUrl: string, options: ApplyOptions): Promise<void> {
  const limits = { statementTimeoutMs: 0, lockTimeoutMs: LOCK_MS }
  const pool = openPool({ url: appUrl, as: 'app', name: 'probity migrate', max: 2, ...limits })
  try {
    await whileLocked('The migration of the job queue', options, async () => {
      await runMigrations({ pgPool: pool, logger: quiet })
      for (const [name, definition] of Object.entries(queueIndexes)) {
        // CREATE INDEX IF NOT EXISTS would lock the table even if there is nothing to do.
        const { rows } = await pool.query('SELECT to_regclass($1) AS there', [`graphile_worker.${name}`])
        if (rows[0].there === null) await pool.query(`CREATE INDEX ${name} ON ${definition}`)
      }
    })
  } finally {
    await pool.end()
  }
}
