import { type Config, loadConfig } from '#server/config.ts'
import { createLogger } from '#server/platform/logger.ts'
import { Lifetime } from '#server/process/lifetime.ts'
import { partsOf } from '#server/process/parts.ts'
import { prepare } from '#server/process/prepare.ts'
import { type Running, type ServeOptions, serve } from '#server/process/serve.ts'
import { startTemporaryPostgres } from './temporary-postgres.ts'

/**
 * The built product on a fresh demonstration; its database is deleted when it stops. All requests come from one
 * address, so there are no rate limits; server/http tests those.
 * @param settings further environment variables (.env.example)
 * @param changes of the configuration that no variable can make
 * @returns it, with the owner's database URL for what no call does
 */
export async function startTemporaryProduct(
  kind: string,
  port: number,
  settings: NodeJS.ProcessEnv = {},
  changes: Partial<Config> = {},
  life = new Lifetime(),
): Promise<Running & { ownerUrl: string }> {
  const { temporaryFolder, appUrl, ownerUrl, stop } = await startTemporaryPostgres(kind)
  await life.own(stop)
  try {
    const config = loadConfig({
      ...settings,
      PORT: String(port),
      DATA_DIR: temporaryFolder,
      DATABASE_URL: appUrl,
      ...(settings.MODE === 'live' ? {} : { RATE_LIMIT: 'off' }),
    })
    const options: ServeOptions = {
      config: { ...config, ...changes },
      log: createLogger('warn'),
      // Done below, in this process.
      prepares: false,
      // In live mode jobs would read prices and send email.
      ...(config.mode === 'live' ? partsOf.web : partsOf.all),
      say: () => {},
    }
    const preparing = new Lifetime()
    await prepare({ ...options, ownerUrl }, preparing).finally(() => preparing.end())
    return { ...(await serve(options, life)), ownerUrl }
  } catch (error) {
    await life.end()
    throw error
  }
}
