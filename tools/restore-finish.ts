import { EXIT_FAILURE, StartupError } from '#server/platform/startup-error.ts'
import { reportEnd } from '#server/process/lifetime.ts'
import { finishRestore } from '#server/restores/finish.ts'
import { installation, onInstallation } from './installation.ts'

/**
 * npm run restore:finish: after the database was restored to an earlier time, makes it safe to serve, and lists what people
 * must review (docs/operate.md). With --anyway also if this machine does not know of a restore.
 */
const usage = 'npm run restore:finish [-- --anyway]'

async function main(options: string[]): Promise<void> {
  if (options.some(option => option !== '--anyway')) throw new StartupError(usage, EXIT_FAILURE)
  await onInstallation(installation(), async services => {
    const finished = await finishRestore(services, { anyway: options.length > 0 })
    if (finished === undefined) {
      console.log(
        `There is no restore to finish, as far as this machine knows. If you have restored the database all the same, run: ${usage.replace(/[[\]]/g, '')}`,
      )
      return
    }
    console.log(
      ['Done:', ...bulleted(finished.done), '', 'To review:', ...bulleted(finished.review)].join('\n'),
    )
    console.log('\nStart the services now, those of this machine first. Payouts stay paused.')
  })
}

const bulleted = (lines: readonly string[]) => lines.map(line => `- ${line}`)

await main(process.argv.slice(2)).catch(reportEnd)
