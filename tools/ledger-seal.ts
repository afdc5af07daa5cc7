import { parseArgs } from 'node:util'
import { sealBooks } from '#server/ledger/sealer.ts'
import { EXIT_FAILURE } from '#server/platform/startup-error.ts'
import { reportEnd } from '#server/process/lifetime.ts'
import { installation, onInstallation } from './installation.ts'
import { givenSeal } from './seal-name.ts'

/**
 * npm run ledger:seal [-- --after 12:<hash>]: seals everything that is not sealed yet, as a worker does every minute.
 * If the secret of the latest seal is lost, `--after` names that seal as the operator remembers it, and the chain
 * continues under the current secret. Exits with 1 if nothing may be sealed; the reason is in the log.
 */
async function main(): Promise<void> {
  const trusted = givenSeal('npm run ledger:seal -- --after 12:<hash>', () => {
    return parseArgs({ options: { after: { type: 'string' } } }).values.after
  })
  await onInstallation(installation({ makesSecret: true }), async services => {
    const seals = await sealBooks({ ...services, trusted })
    if (seals === null) process.exitCode = EXIT_FAILURE
    else console.log(seals === 0 ? 'Nothing was left to seal' : `Sealed (${seals})`)
  })
}

await main().catch(reportEnd)
