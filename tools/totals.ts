/** How many checks passed, failed and were skipped. */
export interface Totals {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

/** The parts of Vitest's JSON report that are counted. */
interface VitestReport {
  readonly success: boolean
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly numPendingTests: number
  readonly numTodoTests: number
}

/** The parts of Vitest's JSON report that name its tests. */
interface VitestNames {
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[]
  }[]
}

/** The parts of Playwright's JSON report that are counted. */
interface PlaywrightReport {
  readonly stats: { expected: number; unexpected: number; flaky: number; skipped: number }
  readonly errors: unknown[]
}

/** The parts of Playwright's JSON report that name its journeys: a suite for each file, and for each group in it. */
interface PlaywrightNames {
  readonly suites?: readonly PlaywrightNames[]
  readonly specs?: readonly Journey[]
}

interface Journey {
  readonly title: string
  readonly tests: readonly { readonly status: string }[]
}

/** A check with a single result: passed or failed. */
export function single(passed: boolean): Totals {
  return { passed: passed ? 1 : 0, failed: passed ? 0 : 1, skipped: 0 }
}

/** A file that cannot be loaded, or an error outside a test, counts as a failure without a failed test. */
export function vitestTotals(report: VitestReport): Totals {
  return {
    passed: report.numPassedTests,
    failed: report.success ? 0 : Math.max(1, report.numFailedTests),
    skipped: report.numPendingTests + report.numTodoTests,
  }
}

/** What was skipped, by name, so that nobody overlooks it. */
export function skippedTests({ testResults }: VitestNames): string[] {
  const notRun = ['skipped', 'pending', 'todo']
  return testResults.flatMap(({ assertionResults }) =>
    assertionResults.filter(({ status }) => notRun.includes(status)).map(({ fullName }) => fullName),
  )
}

/** The same for journeys. */
export function skippedJourneys(report: PlaywrightNames): string[] {
  const skipped = journeysOf(report).filter(({ tests }) => tests.every(({ status }) => status === 'skipped'))
  return skipped.map(({ title }) => title)
}

/** Errors outside of journeys count as failures too. */
export function playwrightTotals({ stats, errors }: PlaywrightReport): Totals {
  return {
    passed: stats.expected,
    failed: stats.unexpected + stats.flaky + errors.length,
    skipped: stats.skipped,
  }
}

function journeysOf({ suites = [], specs = [] }: PlaywrightNames): Journey[] {
  return [...specs, ...suites.flatMap(journeysOf)]
}

export function sum(parts: readonly Totals[]): Totals {
  return parts.reduce(
    (total, part) => ({
      passed: total.passed + part.passed,
      failed: total.failed + part.failed,
      skipped: total.skipped + part.skipped,
    }),
    { passed: 0, failed: 0, skipped: 0 },
  )
}

/** `N passed, N failed, N skipped` */
export function summary({ passed, failed, skipped }: Totals): string {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`
}
