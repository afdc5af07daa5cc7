import { afterAll } from 'vitest'

const closers: (() => unknown)[] = []

/**
 * Runs at the end of the test file, latest first. For resources opened in `beforeAll`, where Vitest silently drops an
 * `afterAll`. This file is one of Vitest's `setupFiles`.
 */
export function atEnd(close: () => unknown): void {
  closers.push(close)
}

afterAll(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})
