import { onTestFinished, type RunnerTestCase, TestRunner } from 'vitest'

type Close = () => unknown

/** What is closed at the end of the test file. */
const closers: Close[] = []
/** What is closed at the end of a test, by its id. */
const closersOf = new Map<string, Close[]>()

/**
 * Runs at the end of the test, also called from its `beforeEach`; otherwise at the end of the test file, as for resources
 * opened in `beforeAll`, where Vitest silently drops an `afterAll`. Latest first.
 */
export function atEnd(close: Close): void {
  const test = TestRunner.getCurrentTest<RunnerTestCase | undefined>()
  if (test === undefined) closers.push(close)
  else ofTest(test.id).push(close)
}

function ofTest(id: string): Close[] {
  const known = closersOf.get(id)
  if (known !== undefined) return known
  const own: Close[] = []
  closersOf.set(id, own)
  onTestFinished(async () => {
    closersOf.delete(id)
    await close(own)
  })
  return own
}

export async function closeAll(): Promise<void> {
  await close(closers.splice(0))
}

async function close(opened: Close[]): Promise<void> {
  const errors: unknown[] = []
  for (const closer of opened.reverse()) {
    try {
      await closer()
    } catch (error) {
      // The others must not stay open in the next file's process.
      errors.push(error)
    }
  }
  if (errors.length > 0) throw errors[0]
}
