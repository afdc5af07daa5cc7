import { readCoverage } from '#server/chain/coverage.ts'
import { unitsInLedger } from '#server/chain/overview.ts'
import type { Services } from '#server/context.ts'
import type { DemoChain } from '#server/demo/chain.ts'
import { sendersOf } from '#server/payouts/wallets.ts'
import { refuseRequests } from '#server/platform/database/awaited.ts'
import { allowNames } from '#server/platform/database/pool.ts'
import { dataDirFull } from '#server/platform/full-disk.ts'
import { Lifetime } from './lifetime.ts'
import { prepareApart } from './prepare-apart.ts'
import { reachDatabase } from './reach-database.ts'
import { openEmbedded, openServices, type RuntimeOptions, requireDatabase } from './runtime.ts'

/**
 * Starts a part that runs as long as the process, which owns it. Its end takes no new work and finishes what is in
 * progress.
 */
export type Part = (services: Services, life: Lifetime) => Promise<void>

export interface ServeOptions extends RuntimeOptions {
  /** Prepare the database first, in a process of its own (`prepareApart`). */
  readonly prepares: boolean
  /** Parts that start before the database is there. */
  readonly early?: readonly Part[]
  /** Through the pooler, if one is configured. */
  readonly takesPooler?: boolean
  /** Belongs to what the database must be before anything is answered from it. */
  readonly requires?: (services: Services) => Promise<void>
  /** Started in this order, stopped in reverse. */
  readonly parts: readonly Part[]
}

/** A running process. */
export interface Running {
  readonly services: Services
  /** Stops the parts, then the connections, then (as the last process) the embedded database, then the local chain. */
  stop(): Promise<void>
}

/**
 * Opens the database and starts the parts. If one cannot start, closes everything before it.
 * @param life owns all of it
 * @throws StartupError with one line that says what to do
 */
export async function serve(
  { early = [], requires, parts, prepares, takesPooler = false, ...options }: ServeOptions,
  life = new Lifetime(),
): Promise<Running> {
  const { log } = options
  life.log = log
  try {
    await traceFrom(options, life)
    const chain = await chainBeside(options, life)
    const config = chain?.config ?? options.config
    const letGo = prepares ? await prepareApart(options, life) : null
    const { appUrl, poolerUrl } = config.database ?? (await openEmbedded(options, life))
    const onDatabase = { config, log, appUrl, poolerUrl: takesPooler ? poolerUrl : null }
    const services = await openServices(onDatabase, life)
    const answerRequests = refuseRequests(services.pool)
    for (const start of early) await start(services, life)
    const attempt = async () => {
      if (await requireDatabase(onDatabase, life.signal)) allowNames(services.pool)
      await services.clock.compare()
      await requires?.(services)
    }
    await reachDatabase(attempt, options, life.signal)
    await life.own(services.clock.watch())
    answerRequests()
    await letGo?.()
    await chain?.begin(await unitsInLedger(services, 'ETH'), () => readCoverage(services, sendersOf))
    for (const start of parts) await start(services, life)
    return { services, stop: () => life.end() }
  } catch (error) {
    const startError = dataDirFull(error, options.config.dataDir) ?? error
    life.fail(startError)
    await life.end().catch(() => {})
    throw startError
  }
}

/** First to start, last to stop, so that the spans of everything else are sent. */
async function traceFrom(
  { config, log }: Pick<ServeOptions, 'config' | 'log'>,
  life: Lifetime,
): Promise<void> {
  if (config.tracing === null) return
  // Imported only when needed.
  const { startTracing } = await import('#server/platform/tracing/start-tracing.ts')
  await life.own(startTracing(config.tracing, log))
}

/** The demonstration's optional local chain: first to start, last to stop. */
async function chainBeside(
  { config, log }: Pick<ServeOptions, 'config' | 'log'>,
  life: Lifetime,
): Promise<DemoChain | null> {
  if (config.demoChain === null) return null
  // Imported only when needed.
  const { openDemoChain } = await import('#server/demo/chain.ts')
  const chain = await openDemoChain(config, log)
  await life.own(() => chain.stop())
  chain.broken.then(error => life.fail(error))
  return chain
}
