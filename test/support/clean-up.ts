const closers: (() => unknown)[] = []

/**
 * Runs at the end of the test file, latest first. For resources opened in `beforeAll`, where Vitest silently drops an
 * `afterAll`.
 */
export function atEnd(close: () => unknown): void {
  closers.push(close)
}

export async function closeAll(): Promise<void> {
  for (const close of closers.splice(0).reverse()) await close()
}
