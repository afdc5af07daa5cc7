import type { Logger } from 'pino'
import { databaseTrouble } from '#server/platform/database/trouble.ts'
import { EXIT_FAILURE, StartupFault } from '#server/platform/startup-fault.ts'

/** Longest time that a requested stop gives to what is in flight. */
const STOP_LIMIT_MS = 30_000
/** Longest time to close everything after a fault. */
const FAULT_LIMIT_MS = 8_000
/** One Ctrl-C can arrive twice, from the terminal and from npm. */
const SAME_WISH_MS = 500
const EXIT_INTERRUPTED = 130

/** A request to end came before the work was complete. */
export class Interrupted extends StartupFault {
  constructor(exitCode = EXIT_INTERRUPTED) {
    super('Interrupted', exitCode)
  }
}

/**
 * Owns everything that a process opens and starts. It ends once: at the first request to stop or the first fault, whenever
 * either comes, and closes all of it in the opposite order.
 */
export class Lifetime {
  /** Resolves when the end is due: with the fault, or with undefined where somebody asked to stop. */
  readonly over: Promise<unknown>
  /** Keeps the stack of a defect; what the terminal shows is one line. */
  log: Logger | undefined
  /** Aborted when the end is due: for what a start waits for and nobody owns. */
  readonly signal: AbortSignal
  readonly #resolve: (fault: unknown) => void
  readonly #closers: (() => Promise<unknown>)[] = []
  #ended: Promise<void> | undefined

  constructor() {
    const { promise, resolve } = Promise.withResolvers<unknown>()
    const due = new AbortController()
    this.over = promise
    this.signal = due.signal
    this.#resolve = fault => {
      resolve(fault)
      due.abort(new Interrupted())
    }
  }

  /**
   * Has `close` called at the end; at once where the end has begun.
   * @throws Interrupted where the end has begun, so that a start goes no further
   */
  async own(close: () => Promise<unknown>): Promise<void> {
    if (!this.signal.aborted) return void this.#closers.push(close)
    await close()
    throw new Interrupted()
  }

  /** Ends the lifetime because something cannot go on. Only the first fault counts. */
  fail(fault: unknown): void {
    this.#resolve(fault)
  }

  /** Ends the lifetime because somebody wants it to end. */
  stop(): void {
    this.#resolve(undefined)
  }

  /**
   * Closes everything, the latest first, once.
   * @throws the first fault of a closer, after every other one has had its turn
   */
  end(): Promise<void> {
    this.stop()
    this.#ended ??= this.#closeAll()
    return this.#ended
  }

  async #closeAll(): Promise<void> {
    const faults: unknown[] = []
    for (let close = this.#closers.pop(); close !== undefined; close = this.#closers.pop()) {
      await close().catch(fault => faults.push(fault))
    }
    if (faults.length > 0) throw faults[0]
  }
}

/**
 * Starts something and keeps it until SIGINT, SIGTERM, SIGHUP, the end of the process that started us, or a fault; then
 * closes it in order. All of these count during the start, too. A later second signal ends the process at once.
 * @param stopping is told when the stop begins
 * @throws what ended the start, the run or the stop
 */
export async function runUntilStopped(
  start: (life: Lifetime) => Promise<unknown>,
  stopping: () => void,
): Promise<void> {
  await live(async life => {
    await start(life)
    await life.over
  }, stopping)
}

/**
 * Does work that has an end; a signal interrupts it, and the exit code says so.
 * @throws what ended the work
 */
export async function runToEnd(work: (life: Lifetime) => Promise<void>): Promise<void> {
  let isDone = false
  await live(async life => {
    await work(life)
    isDone = true
  })
  if (!isDone) throw new Interrupted()
}

async function live(work: (life: Lifetime) => Promise<void>, stopping = () => {}): Promise<void> {
  const life = new Lifetime()
  endOnSignals(life)
  const working = work(life).then(
    () => life.stop(),
    fault => life.fail(fault),
  )
  const fault = await life.over
  if (fault === undefined) stopping()
  limitStop(fault, life.log)
  const [closed] = await Promise.allSettled([life.end(), working])
  if (fault !== undefined) throw inOneLine(fault, life.log)
  if (closed.status === 'rejected') throw inOneLine(closed.reason, life.log)
}

/** Ends a stop that hangs; the timer alone does not keep a process that is done. */
function limitStop(fault: unknown, log: Logger | undefined): void {
  const limitMs = fault === undefined ? STOP_LIMIT_MS : FAULT_LIMIT_MS
  const limit = setTimeout(() => {
    reportEnd(inOneLine(fault ?? new StartupFault(`Not stopped within ${limitMs / 1000} s: ended`), log))
    process.exit()
  }, limitMs)
  limit.unref()
}

function endOnSignals(life: Lifetime): void {
  let first = 0
  const request = () => {
    if (first === 0) first = Date.now()
    else if (Date.now() - first > SAME_WISH_MS) process.exit(EXIT_INTERRUPTED)
    life.stop()
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, request)
  // The channel to tools/run.mjs closes when that process is gone, killed or not.
  process.on('disconnect', request)
  if (process.connected === false) request()
  process.channel?.unref()
  // Unhandled rejections come as uncaught exceptions.
  process.on('uncaughtException', fault => life.fail(fault))
}

/** A defect's stack goes into the log, where there is one. */
function inOneLine(fault: unknown, log: Logger | undefined): unknown {
  if (log === undefined || fault instanceof StartupFault || databaseTrouble(fault)) return fault
  log.fatal({ err: fault }, 'ended by a defect')
  return new StartupFault(`Ended by a defect: ${String(fault)}. The log has its stack.`, EXIT_FAILURE)
}

/** Prints what ended a process and sets its exit code: words where there are any, a stack trace for a defect. */
export function reportEnd(error: unknown): void {
  process.exitCode = error instanceof StartupFault ? error.exitCode : EXIT_FAILURE
  console.error(error instanceof StartupFault ? error.message : (databaseTrouble(error)?.advice ?? error))
}
