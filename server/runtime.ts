import type { Pool } from 'pg'
import type { Logger } from 'pino'
import type { FirmProfile } from '#shared/contract/site.ts'
import type { Config } from './config.ts'
import type { Services } from './context.ts'
import { seedDemo } from './demo/seed.ts'
import { systemClock } from './platform/clock.ts'
import { startEmbedded } from './platform/database/embedded.ts'
import { requireMode } from './platform/database/installation.ts'
import { migrate, pendingMigrations } from './platform/database/migrate.ts'
import { openDatabase, openPool, requireConnection } from './platform/database/pool.ts'
import { StartupFault } from './platform/startup-fault.ts'
import { beginFirm } from './records/firm.ts'

/** Connection strings: the application's, and the owner's for migrations. */
interface DatabaseUrls {
  readonly appUrl: string
  readonly ownerUrl: string
}

export interface RuntimeOptions {
  readonly config: Config
  readonly log: Logger
  /** Apply missing migrations and, in demo mode, load the sample once; otherwise a database that lacks any is refused. */
  readonly migrate: boolean
  /** A line for the operator. */
  readonly say: (line: string) => void
  /** The embedded database is gone for good: the process should end. */
  readonly lost: (fault: Error) => void
}

/** What a process works with while it runs. */
export interface Runtime {
  readonly services: Services
  /** Closes the connections; the last process of an embedded database stops its server. */
  close(): Promise<void>
}

/**
 * Opens the database (the embedded one, or DATABASE_URL's), brings its schema up to date or makes sure that it is, and
 * composes the services.
 * @throws StartupFault with one line that says what to do
 */
export async function openRuntime({ config, log, migrate, say, lost }: RuntimeOptions): Promise<Runtime> {
  const embedded = config.database === null ? await startEmbedded(config.dataDir, { say, lost }) : null
  const urls: DatabaseUrls = config.database ?? embedded!
  const pool = openPool({ url: urls.appUrl, as: 'app', name: 'probity', max: config.databaseConnections })
  const close = async () => {
    await pool.end()
    await embedded?.stop()
  }
  try {
    if (migrate) await bringUpToDate(urls, config, log)
    await requireConnection(pool, 'DATABASE_URL', 'app')
    await requireMigrated(pool)
    const db = openDatabase(pool)
    await requireMode(db, config.mode)
    const services = { config, pool, db, clock: systemClock, log }
    if (migrate && config.firm) await beginLive(services, config.firm, say)
    if (migrate && config.mode === 'demo') {
      const loaded = await seedDemo(urls.ownerUrl, services)
      if (loaded) say("The demonstration's data is loaded")
    }
    return { services, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** A live installation begins with the firm as configured; what the console has changed since then stays. */
async function beginLive(
  { db, clock }: Services,
  firm: FirmProfile,
  say: RuntimeOptions['say'],
): Promise<void> {
  if (await beginFirm(db, firm, clock.now())) {
    say('FIRM_… differ from the profile in force, which is changed in the console: /admin/firm')
  }
}

async function bringUpToDate(urls: DatabaseUrls, config: Config, log: Logger): Promise<void> {
  const pool = openPool({ url: urls.ownerUrl, as: 'owner', name: 'probity migrate', max: 1 })
  try {
    await requireConnection(pool, ownerVariable(config), 'owner')
  } finally {
    await pool.end()
  }
  await migrate({ ...urls, say: line => log.info(line) })
}

async function requireMigrated(pool: Pool): Promise<void> {
  const pending = await pendingMigrations(pool)
  if (pending.length === 0) return
  throw new StartupFault(
    `The database lacks ${pending.length} migration(s), first ${pending[0]}. Run: node server/main.ts migrate`,
  )
}

function ownerVariable(config: Config): string {
  return config.database?.ownerUrl === config.database?.appUrl ? 'DATABASE_URL' : 'DATABASE_OWNER_URL'
}
