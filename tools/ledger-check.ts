import { environment, loadConfig } from '#server/config.ts'
import { checkBooks } from '#server/ledger/invariants.ts'
import { reportEnd } from '#server/lifetime.ts'
import { createLogger } from '#server/platform/logger.ts'
import { EXIT_FAILURE } from '#server/platform/startup-fault.ts'
import { serve } from '#server/serve.ts'
import { checkLines } from './ledger-report.ts'

/**
 * npm run ledger:check: proves the books, also while the product runs, says what was looked at, and keeps the run.
 * Ends with 1 where a promise is broken; the examples are in the log, on standard error.
 */
async function main(): Promise<void> {
  const config = loadConfig(environment())
  const log = createLogger('error')
  const running = await serve({ config, log, migrate: false, parts: [], say: () => {} })
  try {
    const run = await checkBooks(running.services.pool, log)
    for (const line of checkLines(run)) console.log(line)
    if (!run.ok) process.exitCode = EXIT_FAILURE
  } finally {
    await running.stop()
  }
}

await main().catch(reportEnd)
