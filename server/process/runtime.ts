import type { Pool } from 'pg'
import type { Logger } from 'pino'
import { type Config, type DatabaseAddress, directVariable } from '#server/config.ts'
import type { Services } from '#server/context.ts'
import { startEmbedded } from '#server/embedded/embedded.ts'
import { DatabaseClock } from '#server/platform/clock.ts'
import { requireMode } from '#server/platform/database/installation.ts'
import { requireConnection, requireSessions } from '#server/platform/database/logins.ts'
import { pendingMigrations } from '#server/platform/database/migrate.ts'
import { openDatabase, openPool } from '#server/platform/database/pool.ts'
import { requirePooler } from '#server/platform/database/pooler.ts'
import { EXIT_FAILURE, PassingError, StartupError } from '#server/platform/startup-error.ts'
import type { Lifetime } from './lifetime.ts'

export interface RuntimeOptions {
  readonly config: Config
  readonly log: Logger
  /** A line for the operator. */
  readonly say: (line: string) => void
  /**
   * Waits for the database, for as long as it takes, and receives a line about that. Without it, a database that is not
   * there is an error.
   */
  readonly whileWaiting?: (line: string) => void
}

type Ways = Pick<DatabaseAddress, 'appUrl' | 'poolerUrl'>
type OnDatabase = Pick<RuntimeOptions, 'config' | 'log'> & Ways

/** Connections of a process beside those through a pooler: for its mark, and one to spare. */
const DIRECT_CONNECTIONS = 2

/**
 * The services on a connection string, whether or not the database is there; nothing is connected yet.
 * @param life owns the connections
 */
export async function openServices(
  { config, log, appUrl, poolerUrl }: OnDatabase,
  life: Lifetime,
): Promise<Services & { clock: DatabaseClock }> {
  const open = async (url: string, max: number, direct?: Pool) => {
    const pool = openPool({ url, as: 'app', name: 'probity', max, ...(direct && { direct }) })
    await life.own(() => pool.end())
    return pool
  }
  const max = config.databaseConnections
  const pool =
    poolerUrl === null
      ? await open(appUrl, max)
      : await open(poolerUrl, max, await open(appUrl, DIRECT_CONNECTIONS))
  return { config, pool, db: openDatabase(pool), clock: new DatabaseClock(pool, log), log }
}

/**
 * Checks that the database can be used: reached, migrated for this release, writable, and of this mode.
 * @param signal breaks the check off
 * @returns true if statements may be prepared
 * @throws StartupError with one line that says what to do; PassingError, or the database's own error, if it may pass
 */
export async function requireDatabase(
  { config, log, appUrl, poolerUrl }: OnDatabase,
  signal: AbortSignal,
): Promise<boolean> {
  const pool = openPool({ url: appUrl, as: 'app', name: 'probity start', max: 1, signal })
  try {
    await requireConnection(pool, directVariable(config), 'app')
    await requireSessions(pool, directVariable(config))
    await requireMigrated(pool)
    await requireMode(openDatabase(pool), config.mode)
    await warnOfOwnerLogin({ pool, log })
    return poolerUrl === null || (await requirePooler(poolerUrl, pool, { signal, log }))
  } finally {
    await pool.end()
  }
}

/** This process's share of the embedded database. */
export async function openEmbedded(
  { config, say }: Pick<RuntimeOptions, 'config' | 'say'>,
  life: Lifetime,
): Promise<Ways> {
  const lost = (error: Error) => {
    life.fail(
      new StartupError(`The embedded PostgreSQL is lost: ${error.message}`, EXIT_FAILURE, { cause: error }),
    )
  }
  const embedded = await startEmbedded(config.dataDir, { say, lost })
  await life.own(() => embedded.stop())
  return { appUrl: embedded.appUrl, poolerUrl: null }
}

async function requireMigrated(pool: Pool): Promise<void> {
  const pending = await pendingMigrations(pool)
  if (pending.length === 0) return
  throw new PassingError(
    `The database lacks ${pending.length} migration(s), first ${pending[0]}. Run: node build/product/main.js migrate`,
  )
}

/** Acting as probity_app is no protection from a thief who can also act as the owner. */
async function warnOfOwnerLogin({ pool, log }: Pick<Services, 'pool' | 'log'>): Promise<void> {
  const { rows } = await pool.query<{ owns: boolean }>(`
    SELECT login.rolsuper OR pg_has_role(session_user, books.nspowner, 'MEMBER') AS owns
      FROM pg_roles login, pg_namespace books
     WHERE login.rolname = session_user AND books.nspname = 'ledger'`)
  if (!rows[0]?.owns) return
  log.warn(
    'DATABASE_URL is a login of the owner of the books. Anyone who takes over this process can change their rules and their past; only the seals would show it. Use a login that is only a member of probity_app (docs/operate.md, Installing)',
  )
}
