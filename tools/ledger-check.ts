import { checkBooks } from '#server/ledger/invariants.ts'
import { EXIT_FAILURE } from '#server/platform/startup-error.ts'
import { reportEnd } from '#server/process/lifetime.ts'
import { installation, onInstallation } from './installation.ts'
import { checkLines } from './ledger-report.ts'

/**
 * npm run ledger:check: checks the books, also while the product runs, reports what was checked, and stores the run.
 * Exits with 1 if an invariant is violated; the examples are in the log, on standard error.
 */
async function main(): Promise<void> {
  await onInstallation(installation(), async ({ pool, log }) => {
    const run = await checkBooks(pool, log)
    for (const line of checkLines(run)) console.log(line)
    if (!run.ok) process.exitCode = EXIT_FAILURE
  })
}

await main().catch(reportEnd)
