import type { Pool } from 'pg'
import type { Logger } from 'pino'
import type { Config } from '#server/config.ts'
import type { Services } from '#server/context.ts'
import { startEmbedded } from '#server/embedded/embedded.ts'
import { systemClock } from '#server/platform/clock.ts'
import { requireMode } from '#server/platform/database/installation.ts'
import { pendingMigrations } from '#server/platform/database/migrate.ts'
import { openDatabase, openPool, requireConnection, requireLogins } from '#server/platform/database/pool.ts'
import { EXIT_FAILURE, StartupError } from '#server/platform/startup-error.ts'
import type { Lifetime } from './lifetime.ts'

export interface RuntimeOptions {
  readonly config: Config
  readonly log: Logger
  /** A line for the operator. */
  readonly say: (line: string) => void
}

/**
 * Opens the database (embedded, or DATABASE_URL) with the application's login, and composes the services.
 * @param life owns the connections, and this process's share of the embedded database
 * @throws StartupError with one line that says what to do
 */
export async function openRuntime(options: RuntimeOptions, life: Lifetime): Promise<Services> {
  const { config, log } = options
  const { appUrl } = config.database ?? (await openEmbedded(options, life))
  if (config.database !== null) {
    await requireLogins([{ variable: 'DATABASE_URL', url: appUrl, as: 'app' }])
  }
  const services = await openServices({ config, log, appUrl }, life)
  await requireMigrated(services.pool)
  await requireMode(services.db, config.mode)
  await warnOfOwnerLogin(services)
  return services
}

/** The services on a connection string, whatever the database contains. */
export async function openServices(
  { config, log, appUrl }: Pick<RuntimeOptions, 'config' | 'log'> & { appUrl: string },
  life: Lifetime,
): Promise<Services> {
  const pool = openPool({ url: appUrl, as: 'app', name: 'probity', max: config.databaseConnections })
  await life.own(() => pool.end())
  await requireConnection(pool, 'DATABASE_URL', 'app')
  return { config, pool, db: openDatabase(pool), clock: systemClock, log }
}

/** This process's share of the embedded database. */
export async function openEmbedded(
  { config, say }: Pick<RuntimeOptions, 'config' | 'say'>,
  life: Lifetime,
): Promise<{ appUrl: string }> {
  const lost = (error: Error) => {
    life.fail(
      new StartupError(`The embedded PostgreSQL is lost: ${error.message}`, EXIT_FAILURE, { cause: error }),
    )
  }
  const embedded = await startEmbedded(config.dataDir, { say, lost })
  await life.own(() => embedded.stop())
  return embedded
}

async function requireMigrated(pool: Pool): Promise<void> {
  const pending = await pendingMigrations(pool)
  if (pending.length === 0) return
  throw new StartupError(
    `The database lacks ${pending.length} migration(s), first ${pending[0]}. Run: node server/main.ts migrate`,
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
