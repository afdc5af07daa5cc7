import { setTimeout as delay } from 'node:timers/promises'
import type { Pool } from 'pg'
import type { Logger } from 'pino'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { clockOffset } from './metrics.ts'

/** The clock by which everything is dated and decided; tests replace it. */
export type Clock = {
  now(): Date
  /** Whether this process may decide by it; a test's clock is always right. */
  readonly trust?: ClockTrust
}

export type ClockTrust = {
  /** Why this process decides nothing, for the operator; undefined while it may decide. */
  readonly problem: string | undefined
  /** Aborted while there is a problem; after that, another signal. */
  readonly lost: AbortSignal
  /** Resolves once there is no problem, or at the signal. */
  regained(signal: AbortSignal): Promise<void>
  /** @throws AppError not_ready while this process must not decide */
  check(): Promise<void>
}

/** The machine's own clock, for tests and benchmarks. */
export const systemClock: Clock = { now: () => new Date() }

/** The most that the machine's clock may differ from the database's, in milliseconds. */
const MOST_OFFSET_MS = 5_000
/** Time between two comparisons, in milliseconds. */
const PERIOD_MS = 1_000
/** If the machine's clock has moved by more than this against the time that passed, it was set, or the machine slept. */
const JUMP_MS = 1_000
const RETRY_SECONDS = 5

/** What each clock said at one moment, in milliseconds. */
type Moment = { database: number; machine: number; monotonic: number; error: number }

/**
 * The database's clock, so that all processes decide by the same one, whatever their machines' clocks say (decision 139).
 * Between two comparisons it counts the time that passes, which no setting of a clock changes.
 */
export class DatabaseClock implements Clock, ClockTrust {
  readonly #pool: Pool
  readonly #log: Logger
  readonly trust = this
  /** What `now` counts from. */
  #base: Moment | undefined
  #latest: Moment | undefined
  #comparing: Promise<void> | undefined
  #problem: string | undefined
  #lost = new AbortController()
  #regained = Promise.withResolvers<void>()

  /** @param pool of the database; nothing is asked before `compare` */
  constructor(pool: Pool, log: Logger) {
    this.#pool = pool
    this.#log = log
    this.#regained.resolve()
  }

  /** Before the first comparison this is the machine's time, by which nothing is decided. */
  now(): Date {
    if (this.#base === undefined) return new Date()
    return new Date(this.#base.database + performance.now() - this.#base.monotonic)
  }

  get problem(): string | undefined {
    return this.#problem
  }

  get lost(): AbortSignal {
    return this.#lost.signal
  }

  async regained(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return
    const { promise, resolve } = Promise.withResolvers<void>()
    signal.addEventListener('abort', () => resolve(), { once: true })
    await Promise.race([this.#regained.promise, promise])
  }

  async check(): Promise<void> {
    if (this.#hasJumped()) await this.compare()
    if (this.#problem === undefined) return
    throw new AppError('not_ready', t('This is not available right now. Please try again in a moment.'), {
      reason: 'clock_wrong',
      retryAfterSeconds: RETRY_SECONDS,
    })
  }

  /** Compares the clocks now; parallel callers share one comparison. @throws the database's error */
  compare(): Promise<void> {
    this.#comparing ??= this.#compare().finally(() => {
      this.#comparing = undefined
    })
    return this.#comparing
  }

  /** Compares the clocks every second. @returns stops it */
  watch(): () => Promise<void> {
    const stopping = new AbortController()
    const { signal } = stopping
    const loop = async () => {
      while (!signal.aborted) {
        await delay(PERIOD_MS, undefined, { signal }).catch(() => {})
        // The parts that need the database report its outages; the time that passes is counted meanwhile.
        if (!signal.aborted) await this.compare().catch(() => {})
      }
    }
    const running = loop()
    return async () => {
      stopping.abort()
      await running
    }
  }

  async #compare(): Promise<void> {
    const moment = await momentOf(this.#pool)
    this.#latest = moment
    // A slow answer says less than what is known, unless it contradicts that.
    if (this.#base === undefined || Math.abs(this.#databaseAt(moment) - moment.database) > moment.error) {
      this.#base = moment
    }
    const ahead = moment.machine - this.#databaseAt(moment)
    clockOffset.set(ahead / 1000)
    if (Math.abs(ahead) - moment.error > MOST_OFFSET_MS) this.#lose(ahead)
    else if (Math.abs(ahead) + moment.error <= MOST_OFFSET_MS) this.#regain()
  }

  #databaseAt({ monotonic }: Moment): number {
    return this.#base!.database + monotonic - this.#base!.monotonic
  }

  #hasJumped(): boolean {
    if (this.#latest === undefined) return true
    const { machine, monotonic } = this.#latest
    return Math.abs(Date.now() - machine - (performance.now() - monotonic)) > JUMP_MS
  }

  #lose(ahead: number): void {
    if (this.#problem !== undefined) return
    const seconds = Math.round(Math.abs(ahead) / 1000)
    this.#problem = `this machine's clock is ${seconds} s ${ahead > 0 ? 'ahead of' : 'behind'} the database's`
    this.#regained = Promise.withResolvers()
    this.#lost.abort()
    this.#log.error(
      { aheadSeconds: ahead / 1000 },
      `${this.#problem}: this process decides nothing until they agree. Set the one that is wrong (docs/operate.md, Clocks)`,
    )
  }

  #regain(): void {
    if (this.#problem === undefined) return
    this.#problem = undefined
    this.#lost = new AbortController()
    this.#regained.resolve()
    this.#log.info("this machine's clock agrees with the database's again")
  }
}

/** The answer is of a moment between question and answer: of the middle, give or take half the round trip. */
async function momentOf(pool: Pool): Promise<Moment> {
  // Connected before, so that the round trip is that of the question alone.
  const client = await pool.connect()
  try {
    const asked = performance.now()
    const { rows } = await client.query<{ now: number }>(
      'SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS now',
    )
    const answered = performance.now()
    const error = (answered - asked) / 2
    return { database: rows[0]!.now, machine: Date.now() - error, monotonic: answered - error, error }
  } finally {
    client.release()
  }
}
