import { checkBooks } from '#server/ledger/invariants.ts'
import { EXIT_FAILURE } from '#server/platform/startup-fault.ts'
import { reportEnd } from '#server/process/lifetime.ts'
import { installation, onInstallation } from './installation.ts'
import { checkLines } from './ledger-report.ts'

/**
 * npm run ledger:check: proves the books, also while the product runs, says what was checked, and keeps the run.
 * Ends with 1 where a promise is broken; the examples are in the log, on standard error.
 */
async function main(): Promise<void> {
  await onInstallation(installation(), async ({ pool, log }) => {
    const run = await checkBooks(pool, log)
    for (const line of checkLines(run)) console.log(line)
    if (!run.ok) process.exitCode = EXIT_FAILURE
  })
}

await main().catch(reportEnd)
