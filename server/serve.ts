import type { Logger } from 'pino'
import type { Config } from './config.ts'
import type { Services } from './context.ts'
import type { Stoppable } from './lifetime.ts'
import { openRuntime } from './runtime.ts'

/**
 * Something that runs until it is stopped. Stopping takes no new work and finishes what is in flight.
 * @param say writes a line for the operator
 */
export type Part = (services: Services, say: (line: string) => void) => Promise<() => Promise<void>>

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
export interface Running extends Stoppable {
  readonly services: Services
  /** Stops the parts, then the connections, then (the last process of all) the embedded database, then the local chain. */
  stop(): Promise<void>
}

/**
 * Opens the database and starts the parts. If one cannot start, those before it are stopped again.
 * @throws StartupFault with one line that says what to do
 */
export async function serve({ parts, ...options }: ServeOptions): Promise<Running> {
  const { promise: broken, resolve: lost } = Promise.withResolvers<Error>()
  const { config, closers } = await chainBeside(options, lost)
  const stop = async () => {
    // Every closer gets its turn; the first fault is reported at the end.
    const faults: unknown[] = []
    for (let closer = closers.pop(); closer !== undefined; closer = closers.pop()) {
      await closer().catch(fault => faults.push(fault))
    }
    if (faults.length > 0) throw faults[0]
  }
  try {
    const { services, close } = await openRuntime({ ...options, config, lost })
    closers.push(close)
    for (const start of parts) closers.push(await start(services, options.say))
    return { services, broken, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** The local chain of a demonstration that wants one: the first thing there, the last to go. */
async function chainBeside(
  { config, log }: Pick<ServeOptions, 'config' | 'log'>,
  lost: (fault: Error) => void,
): Promise<{ config: Config; closers: (() => Promise<void>)[] }> {
  if (config.demoChain === null) return { config, closers: [] }
  // Nobody else needs what it is made of.
  const { openDemoChain } = await import('./demo/chain.ts')
  const chain = await openDemoChain(config, log)
  chain.broken.then(lost)
  return { config: chain.config, closers: [() => chain.stop()] }
}
