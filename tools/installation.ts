import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Config, environment, loadConfig } from '#server/config.ts'
import type { Services } from '#server/context.ts'
import { createLogger } from '#server/platform/logger.ts'
import { EXIT_CONFIG, StartupError } from '#server/platform/startup-error.ts'
import { runToEnd } from '#server/process/lifetime.ts'
import { serve } from '#server/process/serve.ts'

/**
 * The configuration of an existing installation. Creates nothing, except TOKEN_SECRET of a demonstration if asked.
 * @throws StartupError (exit 78) if there is none
 */
export function installation({ makesSecret = false } = {}): Config {
  const config = loadConfig(environment(), { makesSecret })
  const embedded = join(config.dataDir, 'postgres')
  if (config.database !== null || existsSync(embedded)) return config
  throw new StartupError(
    `There is no database: DATABASE_URL is not set, and ${embedded} does not exist. Give this command the product's settings, or start the product first.`,
    EXIT_CONFIG,
  )
}

/** Runs work on its database; an embedded one that was stopped is stopped again at the end, or at a signal. */
export async function onInstallation(
  config: Config,
  work: (services: Services) => Promise<void>,
): Promise<void> {
  const log = createLogger('error')
  await runToEnd(async life => {
    const { services } = await serve({ config, log, prepares: false, parts: [], say: () => {} }, life)
    await work(services)
  })
}
