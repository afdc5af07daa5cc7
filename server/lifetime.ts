import { EXIT_FAILURE, StartupFault } from './platform/startup-fault.ts'

/** Something that runs. */
export interface Stoppable {
  /** Resolves with the reason when it can no longer go on. */
  readonly broken: Promise<Error>
  stop(): Promise<void>
}

/** Longest time that what is in flight gets to finish. */
const STOP_LIMIT_MS = 30_000
/** One Ctrl-C can arrive twice, from the terminal and from npm. */
const SAME_WISH_MS = 500
const EXIT_INTERRUPTED = 130

/**
 * Starts something and keeps it until SIGINT, SIGTERM, SIGHUP or the end of the process that started us; then stops it
 * cleanly. A later second signal ends the process at once.
 * @param stopping is told when the stop begins
 * @throws what `start` or `stop` throws, and the reason if the process could not go on
 */
export async function runUntilStopped(start: () => Promise<Stoppable>, stopping: () => void): Promise<void> {
  const requested = stopRequest()
  const running = await start()
  const reason = await Promise.race([requested, running.broken])
  stopping()
  // Ends a stop that hangs; unref, so that it does not keep a process that is done.
  setTimeout(() => {
    console.error(`Not stopped within ${STOP_LIMIT_MS / 1000} s: ended`)
    process.exit(EXIT_FAILURE)
  }, STOP_LIMIT_MS).unref()
  await running.stop()
  if (reason instanceof Error) throw reason
}

/** Resolves at the first signal, or with the error that nobody caught. */
function stopRequest(): Promise<Error | undefined> {
  const { promise, resolve } = Promise.withResolvers<Error | undefined>()
  let first = 0
  const request = () => {
    if (first === 0) first = Date.now()
    else if (Date.now() - first > SAME_WISH_MS) process.exit(EXIT_INTERRUPTED)
    resolve(undefined)
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, request)
  // The channel to tools/run.mjs closes when that process is gone, killed or not.
  process.on('disconnect', request)
  process.channel?.unref()
  process.on('uncaughtException', resolve)
  return promise
}

/** Prints what ended a process and sets its exit code: a fault's message as it is, a defect with its stack trace. */
export function reportEnd(error: unknown): void {
  process.exitCode = error instanceof StartupFault ? error.exitCode : EXIT_FAILURE
  console.error(error instanceof StartupFault ? error.message : error)
}
