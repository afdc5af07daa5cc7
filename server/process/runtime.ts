import type { Pool } from 'pg'
import type { Logger } from 'pino'
import type { Config } from '#server/config.ts'
import type { Services } from '#server/context.ts'
import { seedDemo } from '#server/demo/seed.ts'
import { startEmbedded } from '#server/embedded/embedded.ts'
import { initialiseFirm } from '#server/firm/queries.ts'
import { systemClock } from '#server/platform/clock.ts'
import { requireMode } from '#server/platform/database/installation.ts'
import { migrate, pendingMigrations } from '#server/platform/database/migrate.ts'
import {
  type Login,
  openDatabase,
  openPool,
  requireConnection,
  requireLogins,
} from '#server/platform/database/pool.ts'
import { EXIT_FAILURE, StartupError } from '#server/platform/startup-error.ts'
import type { FirmProfile } from '#shared/contract/site.ts'
import type { Lifetime } from './lifetime.ts'

/** Connection strings: the application's, and the owner's for migrations. */
interface DatabaseUrls {
  readonly appUrl: string
  readonly ownerUrl: string
}

export interface RuntimeOptions {
  readonly config: Config
  readonly log: Logger
  /**
   * Apply missing migrations and, in demo mode, load the sample once; otherwise a database that lacks any is refused.
   */
  readonly migrate: boolean
  /** A line for the operator. */
  readonly say: (line: string) => void
}

/**
 * Opens the database (embedded, or DATABASE_URL), migrates or checks its schema, and composes the services.
 * @param life owns the connections, and this process's share of the embedded database
 * @throws StartupError with one line that says what to do
 */
export async function openRuntime(options: RuntimeOptions, life: Lifetime): Promise<Services> {
  const { config, log, migrate: migrates, say } = options
  const urls = config.database ?? (await openEmbedded(options, life))
  if (config.database !== null) await requireLogins(loginsOf(config.database, migrates))
  const pool = openPool({ url: urls.appUrl, as: 'app', name: 'probity', max: config.databaseConnections })
  await life.own(() => pool.end())
  if (migrates) await migrate({ ...urls, say: line => log.info(line), signal: life.signal })
  await requireConnection(pool, 'DATABASE_URL', 'app')
  await requireMigrated(pool)
  const db = openDatabase(pool)
  await requireMode(db, config.mode)
  const services = { config, pool, db, clock: systemClock, log }
  if (migrates && config.firm) await beginLive(services, config.firm, say)
  if (migrates && config.mode === 'demo') {
    const loaded = await seedDemo(urls.ownerUrl, services, life.signal)
    if (loaded) say("The demonstration's data is loaded")
  }
  return services
}

async function openEmbedded({ config, say }: RuntimeOptions, life: Lifetime): Promise<DatabaseUrls> {
  const lost = (error: Error) => {
    life.fail(
      new StartupError(`The embedded PostgreSQL is lost: ${error.message}`, EXIT_FAILURE, { cause: error }),
    )
  }
  const embedded = await startEmbedded(config.dataDir, { say, lost })
  await life.own(() => embedded.stop())
  return embedded
}

/** Before the first migration the application's role does not exist, so only the login can be checked. */
function loginsOf({ appUrl, ownerUrl }: DatabaseUrls, migrates: boolean): Login[] {
  if (!migrates) return [{ variable: 'DATABASE_URL', url: appUrl, as: 'app' }]
  const owner: Login = { variable: 'DATABASE_OWNER_URL', url: ownerUrl, as: 'owner' }
  return [{ variable: 'DATABASE_URL', url: appUrl, as: 'owner' }, ...(ownerUrl === appUrl ? [] : [owner])]
}

/** A live installation starts with the configured firm; later changes in the console take precedence. */
async function beginLive(
  { db, clock }: Services,
  firm: FirmProfile,
  say: RuntimeOptions['say'],
): Promise<void> {
  if (await initialiseFirm(db, firm, clock.now())) {
    say('FIRM_… differ from the profile in force, which is changed in the console: /admin/firm')
  }
}

async function requireMigrated(pool: Pool): Promise<void> {
  const pending = await pendingMigrations(pool)
  if (pending.length === 0) return
  throw new StartupError(
    `The database lacks ${pending.length} migration(s), first ${pending[0]}. Run: node server/main.ts migrate`,
  )
}
