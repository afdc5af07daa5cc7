import { parseArgs } from 'node:util'
import { checkBooks } from '#server/ledger/invariants.ts'
import { hasSeal } from '#server/ledger/sealer.ts'
import { EXIT_FAILURE } from '#server/platform/startup-error.ts'
import { reportEnd } from '#server/process/lifetime.ts'
import { outsideChecks } from '#server/proof/outside-checks.ts'
import { installation, onInstallation } from './installation.ts'
import { checkLines } from './ledger-report.ts'
import { givenSeal } from './seal-name.ts'

/**
 * npm run ledger:check [-- --seal 12:<hash>]: checks the books, also while the product runs, reports what was checked,
 * and stores the run. With a seal that a log or a person remembers, also checks that the database still contains it.
 * Exits with 1 if an invariant is violated; the examples are in the log, on standard error.
 */
async function main(): Promise<void> {
  const remembered = givenSeal('npm run ledger:check -- --seal 12:<hash>', () => {
    return parseArgs({ options: { seal: { type: 'string' } } }).values.seal
  })
  await onInstallation(installation(), async ({ pool, log, config, clock }) => {
    const run = await checkBooks(pool, log, outsideChecks(config), { secrets: config, now: clock.now() })
    for (const line of checkLines(run)) console.log(line)
    if (!run.ok) process.exitCode = EXIT_FAILURE
    if (remembered === undefined) return
    const isThere = await hasSeal(pool, remembered)
    console.log(`Seal ${remembered.number} is ${isThere ? '' : 'NOT '}the one that you named`)
    if (!isThere) process.exitCode = EXIT_FAILURE
  })
}

await main().catch(reportEnd)
