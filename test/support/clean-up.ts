import { afterAll } from 'vitest'

const closers: (() => unknown)[] = []

/**
 * Runs when the test file has ended, the latest first. For what is opened in `beforeAll`: an `afterAll` that is called
 * there comes too late for Vitest, which drops it silently. This file is one of Vitest's `setupFiles`.
 */
export function atEnd(close: () => unknown): void {
  closers.push(close)
}

afterAll(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})
