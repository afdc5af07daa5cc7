import type { Logger } from 'pino'
import { databaseTrouble } from '#server/platform/database/trouble.ts'
import { EXIT_FAILURE, StartupError } from '#server/platform/startup-error.ts'

/** Time for work in progress after a requested stop. */
const STOP_LIMIT_MS = 30_000
/** Time to close everything after an error. */
const ERROR_LIMIT_MS = 8_000
/** One Ctrl-C can arrive twice, from the terminal and from npm. */
const SAME_WISH_MS = 500
const EXIT_INTERRUPTED = 130
/** Time for a stopped process to end without `process.exit`. */
const LINGER_MS = 1_000

/** The process was asked to end before its work was complete. */
export class Interrupted extends StartupError {
  constructor(exitCode = EXIT_INTERRUPTED) {
    super('Interrupted', exitCode)
  }
}

/**
 * Owns everything that a process opens and starts. It ends once, at the first stop request or error, whenever that
 * comes, and closes everything in reverse order.
 */
export class Lifetime {
  /** Resolves when the end is due: with the error, or with undefined for a stop request. */
  readonly over: Promise<unknown>
  /** Keeps a defect's stack; the terminal shows one line. */
  log: Logger | undefined
  /** Aborted when the end is due, for waits during a start that nothing else ends. */
  readonly signal: AbortSignal
  readonly #resolve: (error: unknown) => void
  readonly #closers: (() => Promise<unknown>)[] = []
  #ended: Promise<void> | undefined

  constructor() {
    const { promise, resolve } = Promise.withResolvers<unknown>()
    const due = new AbortController()
    this.over = promise
    this.signal = due.signal
    this.#resolve = error => {
      resolve(error)
      due.abort(new Interrupted())
    }
  }

  /**
   * Registers `close` for the end, or calls it at once if the end has begun.
   * @throws Interrupted if the end has begun, so that a start stops here
   */
  async own(close: () => Promise<unknown>): Promise<void> {
    if (!this.signal.aborted) return void this.#closers.push(close)
    await close()
    throw new Interrupted()
  }

  /** Ends the lifetime because of an error. Only the first one counts. */
  fail(error: unknown): void {
    this.#resolve(error)
  }

  /** Ends the lifetime on request. */
  stop(): void {
    this.#resolve(undefined)
  }

  /**
   * Closes everything once, the latest first.
   * @throws the first closer's error, after all others have run
   */
  end(): Promise<void> {
    this.stop()
    this.#ended ??= this.#closeAll()
    return this.#ended
  }

  async #closeAll(): Promise<void> {
    const errors: unknown[] = []
    for (let close = this.#closers.pop(); close !== undefined; close = this.#closers.pop()) {
      await close().catch(err => {
        this.log?.error({ err }, 'a part of the process could not be closed')
        errors.push(err)
      })
    }
    if (errors.length > 0) throw errors[0]
  }
}

/**
 * Starts something and keeps it until SIGINT, SIGTERM, SIGHUP, the end of the parent process, or an error, also during
 * the start; then closes it in order. A second signal ends the process at once.
 * @param stopping called when the stop begins
 * @throws what ended the start, the run or the stop
 */
export async function runUntilStopped(
  start: (life: Lifetime) => Promise<unknown>,
  stopping: () => void,
): Promise<void> {
  await live(
    async life => {
      await start(life)
      await life.over
    },
    { stopping },
  ).finally(() => {
    // A library's timer or a name lookup, which nothing can end, may outlive everything that was closed.
    setTimeout(() => process.exit(), LINGER_MS).unref()
  })
}

/**
 * Does finite work; a signal interrupts it and sets the exit code.
 * @param report called instead of a throw if closing hangs after an error; the process then exits
 * @throws what ended the work
 */
export async function runToEnd(
  work: (life: Lifetime) => Promise<void>,
  report: (error: unknown) => void = reportEnd,
): Promise<void> {
  let isDone = false
  await live(
    async life => {
      await work(life)
      isDone = true
    },
    { report },
  )
  if (!isDone) throw new Interrupted()
}

async function live(
  work: (life: Lifetime) => Promise<void>,
  { stopping = () => {}, report = reportEnd as (error: unknown) => void },
): Promise<void> {
  const life = new Lifetime()
  endOnSignals(life)
  const working = work(life).then(
    () => life.stop(),
    reason => life.fail(reason),
  )
  const error = await life.over
  if (error === undefined) stopping()
  limitStop(error, life.log, report)
  const [closed] = await Promise.allSettled([life.end(), working])
  if (error !== undefined) throw inOneLine(error, life.log)
  if (closed.status === 'rejected') throw inOneLine(closed.reason, life.log)
}

/** Ends a stop that hangs; the timer alone does not keep the process alive. */
function limitStop(error: unknown, log: Logger | undefined, report: (error: unknown) => void): void {
  const limitMs = error === undefined ? STOP_LIMIT_MS : ERROR_LIMIT_MS
  const limit = setTimeout(() => {
    report(inOneLine(error ?? new StartupError(`Not stopped within ${limitMs / 1000} s: ended`), log))
    process.exit()
  }, limitMs)
  limit.unref()
}

function endOnSignals(life: Lifetime): void {
  let first = 0
  const request = () => {
    if (first === 0) first = performance.now()
    else if (performance.now() - first > SAME_WISH_MS) process.exit(EXIT_INTERRUPTED)
    life.stop()
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, request)
  // The channel to tools/run.mjs closes when that process ends, for any reason.
  process.on('disconnect', request)
  if (process.connected === false) request()
  process.channel?.unref()
  // Unhandled rejections come as uncaught exceptions.
  process.on('uncaughtException', error => life.fail(error))
}

/** Logs a defect's stack, if there is a log. */
function inOneLine(error: unknown, log: Logger | undefined): unknown {
  if (log === undefined || error instanceof StartupError || databaseTrouble(error)) return error
  log.fatal({ err: error }, 'ended by a defect')
  return new StartupError(`Ended by a defect: ${String(error)}. The log has its stack.`, EXIT_FAILURE)
}

/** Prints what ended a process and sets its exit code: a message for known errors, a stack trace for a defect. */
export function reportEnd(error: unknown): void {
  process.exitCode = error instanceof StartupError ? error.exitCode : EXIT_FAILURE
  console.error(error instanceof StartupError ? error.message : (databaseTrouble(error)?.advice ?? error))
}
