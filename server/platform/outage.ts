import type { Logger } from 'pino'

/** Pauses between two tries, in milliseconds: doubled after each failure. */
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 5_000

/** Milliseconds before the next try, after so many failures in a row. */
export function pauseAfter(failures: number): number {
  return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(failures - 1, 10))
}

/** Logs the first failure of an outage and its end, however often something fails in between. */
export class Outage {
  readonly #log: Logger
  readonly #words: { readonly began: string; readonly over: string }
  readonly #settledMs: number
  #since: number | null = null
  #failedAt = 0

  /** @param settledMs milliseconds without a failure before a success ends the outage, if several parts share it */
  constructor(log: Logger, words: { began: string; over: string }, settledMs = 0) {
    this.#log = log
    this.#words = words
    this.#settledMs = settledMs
  }

  get isOn(): boolean {
    return this.#since !== null
  }

  failed(err: unknown): void {
    this.#failedAt = performance.now()
    if (this.#since !== null) return
    this.#since = this.#failedAt
    this.#log.warn({ err }, this.#words.began)
  }

  passed(): void {
    if (this.#since === null || performance.now() - this.#failedAt < this.#settledMs) return
    const seconds = Math.round((this.#failedAt - this.#since) / 1000)
    this.#since = null
    this.#log.info({ seconds }, this.#words.over)
  }
}
