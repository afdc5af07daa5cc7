import { type Config, loadConfig } from '#server/config.ts'
import { createLogger } from '#server/platform/logger.ts'
import { Lifetime } from '#server/process/lifetime.ts'
import { partsOf } from '#server/process/parts.ts'
import { prepare } from '#server/process/prepare.ts'
import { type Running, type ServeOptions, serve } from '#server/process/serve.ts'
import { startTemporaryPostgres, type TemporaryPostgres } from './temporary-postgres.ts'

/** With these settings the demonstration's data is the same as without them. */
const besideTheData =
  /^(SMTP_URL|MAIL_FROM|REPLY_\w+|WEBHOOK_PRIVATE_HOSTS|SANCTIONS_\w+|VERIFF_\w+|DRAIN_SECONDS)$/

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

/** Loads a demonstration for others to copy, which takes them a fifth of the time: it keeps its files there, stopped. */
export async function loadDemonstration(folder: string): Promise<void> {
  const postgres = await startTemporaryPostgres('demonstration')
  try {
    await prepareAlone(optionsOf(postgres, {}, {}), postgres)
  } finally {
    await postgres.stop({ keptIn: folder })
  }
}

function optionsOf(
  { temporaryFolder, appUrl }: TemporaryPostgres,
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

async function prepareAlone(options: ServeOptions, { ownerUrl }: TemporaryPostgres): Promise<void> {
  const preparing = new Lifetime()
  await prepare({ ...options, ownerUrl }, preparing).finally(() => preparing.end())
}
