import { setTimeout as delay } from 'node:timers/promises'

/** Pauses after failures, in milliseconds: doubled by each try that fails, up to the longest. */
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 10_000

/** Lets everything wait while a server is down, so that a backlog does not use up its retries at full speed. */
export class Pause {
  #failures = 0
  #until = 0

  /** @throws AbortError */
  async wait(signal?: AbortSignal): Promise<void> {
    const pause = this.#until - performance.now()
    if (pause > 0) await delay(pause, undefined, { signal })
  }

  /** Called after a failure. Failures during a pause began before it, and do not prolong it. */
  prolong(): void {
    if (performance.now() < this.#until) return
    this.#until = performance.now() + Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#failures)
    this.#failures += 1
  }

  end(): void {
    this.#failures = 0
    this.#until = 0
  }
}
