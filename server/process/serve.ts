import type { Logger } from 'pino'
import type { Config } from '#server/config.ts'
import type { Services } from '#server/context.ts'
import { dataDirFull } from '#server/platform/full-disk.ts'
import { Lifetime } from './lifetime.ts'
import { openRuntime } from './runtime.ts'

/**
 * Starts something that runs for the rest of the process' life, which owns it from then on. Its end takes no new work and
 * finishes what is in flight.
 */
export type Part = (services: Services, life: Lifetime) => Promise<void>

export interface ServeOptions {
  readonly config: Config
  readonly log: Logger
  /** Apply missing migrations first and, in demo mode, load the sample once. */
  readonly migrate: boolean
  /** Started in this order, stopped in the opposite one. */
  readonly parts: readonly Part[]
  /** A line for the operator. */
  readonly say: (line: string) => void
}

/** A running process. */
export interface Running {
  readonly services: Services
  /** Stops the parts, then the connections, then (the last process of all) the embedded database, then the local chain. */
  stop(): Promise<void>
}

/**
 * Opens the database and starts the parts. If one cannot start, everything before it is closed again.
 * @param life owns all of it
 * @throws StartupFault with one line that says what to do
 */
export async function serve({ parts, ...options }: ServeOptions, life = new Lifetime()): Promise<Running> {
  life.log = options.log
  try {
    const config = await chainBeside(options, life)
    const services = await openRuntime({ ...options, config }, life)
    for (const start of parts) await start(services, life)
    return { services, stop: () => life.end() }
  } catch (error) {
    const fault = dataDirFull(error, options.config.dataDir) ?? error
    life.fail(fault)
    await life.end().catch(() => {})
    throw fault
  }
}

/** The local chain of a demonstration that wants one: the first thing there, the last to go. */
async function chainBeside(
  { config, log }: Pick<ServeOptions, 'config' | 'log'>,
  life: Lifetime,
): Promise<Config> {
  if (config.demoChain === null) return config
  // Nobody else needs what it is made of.
  const { openDemoChain } = await import('#server/demo/chain.ts')
  const chain = await openDemoChain(config, log)
  await life.own(() => chain.stop())
  chain.broken.then(fault => life.fail(fault))
  return chain.config
}
