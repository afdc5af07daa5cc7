import { directVariable } from '#server/config.ts'
import type { Services } from '#server/context.ts'
import { seedDemo } from '#server/demo/seed.ts'
import { embeddedUrl } from '#server/embedded/embedded.ts'
import { initialiseFirm } from '#server/firm/queries.ts'
import { requireMode } from '#server/platform/database/installation.ts'
import { type Login, requireConnection, requireLogins } from '#server/platform/database/logins.ts'
import { migrate } from '#server/platform/database/migrate.ts'
import { dataDirFull } from '#server/platform/full-disk.ts'
import { publishBooks } from '#server/proof/epochs.ts'
import type { FirmProfile } from '#shared/contract/site.ts'
import type { Lifetime } from './lifetime.ts'
import { reachDatabase } from './reach-database.ts'
import { openEmbedded, openServices, type RuntimeOptions } from './runtime.ts'

interface PrepareOptions extends RuntimeOptions {
  /** The owner's login; null with the embedded database, which has its own. */
  readonly ownerUrl: string | null
}

/**
 * Prepares the database, with the owner's login: applies missing migrations; then a live firm gets its configured
 * profile, and a demonstration its sample, once. Processes that serve never get that login.
 * @param life owns the connections, and this process's share of the embedded database
 * @throws StartupError with one line that says what to do
 */
export async function prepare(options: PrepareOptions, life: Lifetime): Promise<void> {
  await prepareAll(options, life).catch(error => {
    throw dataDirFull(error, options.config.dataDir) ?? error
  })
}

async function prepareAll(options: PrepareOptions, life: Lifetime): Promise<void> {
  const { config, log, say } = options
  const urls = await urlsOf(options, life)
  if (config.database !== null) {
    const logins = loginsOf(urls, directVariable(config))
    await reachDatabase(() => requireLogins(logins, life.signal), options, life.signal)
  }
  await migrate({ ...urls, say: line => log.info(line), signal: life.signal })
  const services = await openServices({ config, log, appUrl: urls.appUrl, poolerUrl: null }, life)
  await requireConnection(services.pool, directVariable(config), 'app')
  await services.clock.compare()
  await requireMode(services.db, config.mode)
  if (config.firm) await beginLive(services, config.firm, say)
  if (config.mode === 'demo' && (await seedDemo(urls.ownerUrl, services, life.signal))) {
    // Its past is published before anybody looks.
    await publishBooks(services)
    say("The demonstration's data is loaded")
  }
}

type Urls = { appUrl: string; ownerUrl: string }

async function urlsOf({ config, ownerUrl, ...rest }: PrepareOptions, life: Lifetime): Promise<Urls> {
  if (config.database !== null) {
    const { appUrl } = config.database
    return { appUrl, ownerUrl: ownerUrl ?? appUrl }
  }
  const { appUrl } = await openEmbedded({ config, ...rest }, life)
  return { appUrl, ownerUrl: embeddedUrl(config.dataDir, 'owner') }
}

/** Before the first migration the application's role does not exist, so only the login can be checked. */
function loginsOf({ appUrl, ownerUrl }: Urls, variable: string): Login[] {
  const owner: Login = { variable: 'DATABASE_OWNER_URL', url: ownerUrl, as: 'owner' }
  return [{ variable, url: appUrl, as: 'owner' }, ...(ownerUrl === appUrl ? [] : [owner])]
}

/** A live installation starts with the configured firm; later changes in the console take precedence. */
async function beginLive(
  { db, clock }: Services,
  firm: FirmProfile,
  say: PrepareOptions['say'],
): Promise<void> {
  if (await initialiseFirm(db, firm, clock.now())) {
    say('FIRM_… differ from the profile in force, which is changed in the console: /admin/firm')
  }
}
