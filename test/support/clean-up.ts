const closers: (() => unknown)[] = []

/**
 * Runs at the end of the test file, latest first. For resources opened in `beforeAll`, where Vitest silently drops an
 * `afterAll`.
 */
export function atEnd(close: () => unknown): void {
  closers.push(close)
}

export async function closeAll(): Promise<void> {
  const errors: unknown[] = []
  for (const close of closers.splice(0).reverse()) {
    try {
      await close()
    } catch (error) {
      // The others must not stay open in the next file's process.
      errors.push(error)
    }
  }
  if (errors.length > 0) throw errors[0]
}
