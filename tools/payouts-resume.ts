import { resumePayouts } from '#server/payouts/restored.ts'
import { EXIT_FAILURE, StartupError } from '#server/platform/startup-error.ts'
import { reportEnd } from '#server/process/lifetime.ts'
import { installation, onInstallation } from './installation.ts'

/**
 * npm run payouts:resume -- "Ann: wallet and books compared, files of Monday destroyed". After a restore, payouts go on. Only
 * after a person has made sure that no file downloaded since can still be broadcast (docs/operate.md).
 */
const usage = 'npm run payouts:resume -- "<who made sure of what, in at least 10 characters>"'

async function main([note = '']: string[]): Promise<void> {
  if (note.trim().length < 10) throw new StartupError(usage, EXIT_FAILURE)
  await onInstallation(installation(), async services => {
    const ended = await resumePayouts(services, note.trim())
    if (ended === 0) throw new StartupError('Payouts are not paused: nothing to resume.', EXIT_FAILURE)
    console.log('Payouts go on. Staff can make, download and sign payout files again.')
  })
}

await main(process.argv.slice(2)).catch(reportEnd)
