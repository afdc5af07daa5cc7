import { chmodSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Config, loadConfig } from '#server/config.ts'
import { deleteEmbedded, embeddedUrl, startEmbedded } from '#server/embedded/embedded.ts'
import { createLogger } from '#server/platform/logger.ts'
import { Lifetime } from '#server/process/lifetime.ts'
import { partsOf } from '#server/process/parts.ts'
import { prepare } from '#server/process/prepare.ts'
import { type Running, type ServeOptions, serve } from '#server/process/serve.ts'
import { startTemporaryPostgres, type TemporaryPostgres } from './temporary-postgres.ts'

/** With these settings the demonstration's data is the same as without them. */
const besideTheData = /^(SMTP_URL|MAIL_FROM|REPLY_\w+|WEBHOOK_PRIVATE_HOSTS|SANCTIONS_\w+|VERIFF_\w+)$/

interface Options {
  /** Of the configuration, what no variable can change. */
  changes?: Partial<Config>
  life?: Lifetime
  /** Where a stopped demonstration is kept, to be copied where the settings allow that. */
  demonstration?: string
}

/**
 * The built product on a fresh demonstration; its database is deleted when it stops. All requests come from one
 * address, so there are no rate limits; server/http tests those.
 * @param settings further environment variables (.env.example)
 * @returns it, with the owner's database URL for what no call does
 */
export async function startTemporaryProduct(
  kind: string,
  port: number,
  settings: NodeJS.ProcessEnv = {},
  { changes = {}, life = new Lifetime(), demonstration }: Options = {},
): Promise<Running & { ownerUrl: string }> {
  const canCopy = Object.keys(settings).every(name => besideTheData.test(name))
  const postgres = await startTemporaryPostgres(kind, { copyOf: canCopy ? demonstration : undefined })
  await life.own(postgres.stop)
  try {
    const options = optionsOf(postgres, { ...settings, PORT: String(port) }, changes)
    await prepareAlone(options, postgres)
    return { ...(await serve(options, life)), ownerUrl: postgres.ownerUrl }
  } catch (error) {
    await life.end()
    throw error
  }
}

/**
 * Loads a demonstration for others to copy, and leaves its files in a folder, stopped.
 * @param life ends it, too, where that comes first
 */
export async function loadDemonstration(folder: string, life: Lifetime): Promise<void> {
  const dataDir = join(folder, 'data')
  await deleteEmbedded(dataDir)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  // As root, PostgreSQL runs as another user, who must pass through.
  chmodSync(folder, 0o711)
  const loading = new Lifetime()
  await life.own(async () => {
    await loading.end()
    rmSync(folder, { recursive: true, force: true })
  })
  const { appUrl, stop } = await startEmbedded(dataDir)
  await loading.own(stop)
  const ownerUrl = embeddedUrl(dataDir, 'owner')
  await prepareAlone(optionsOf({ temporaryFolder: folder, appUrl }, {}, {}), { ownerUrl })
  await loading.end()
}

function optionsOf(
  { temporaryFolder, appUrl }: Pick<TemporaryPostgres, 'temporaryFolder' | 'appUrl'>,
  settings: NodeJS.ProcessEnv,
  changes: Partial<Config>,
): ServeOptions {
  const config = loadConfig({
    ...settings,
    DATA_DIR: temporaryFolder,
    DATABASE_URL: appUrl,
    ...(settings.MODE === 'live' ? {} : { RATE_LIMIT: 'off' }),
  })
  return {
    config: { ...config, ...changes },
    log: createLogger('warn'),
    // Done before, in this process.
    prepares: false,
    // In live mode jobs would read prices and send email.
    ...(config.mode === 'live' ? partsOf.web : partsOf.all),
    say: () => {},
  }
}

async function prepareAlone(
  options: ServeOptions,
  { ownerUrl }: Pick<TemporaryPostgres, 'ownerUrl'>,
): Promise<void> {
  const preparing = new Lifetime()
  await prepare({ ...options, ownerUrl }, preparing).finally(() => preparing.end())
}
