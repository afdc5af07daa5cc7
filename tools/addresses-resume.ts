import { resumeNumbering } from '#server/deposits/resume-numbering.ts'
import { EXIT_FAILURE, StartupError } from '#server/platform/startup-error.ts'
import { reportEnd } from '#server/process/lifetime.ts'
import { railOf } from '#server/rails/rails.ts'
import { railNames } from '#shared/coins.ts'
import { installation, onInstallation } from './installation.ts'

/**
 * npm run addresses:resume -- bitcoin 512: investors get new addresses again, after this one. Only after a person has
 * made sure that no later one was given to anybody (docs/operate.md).
 */
const usage = `npm run addresses:resume -- ${railNames.join('|')} <index of the last address that may have been given to somebody>`

async function main([name, text]: string[]): Promise<void> {
  const railName = railNames.find(known => known === name)
  if (railName === undefined || text === undefined || !/^\d{1,9}$/.test(text)) {
    throw new StartupError(usage, EXIT_FAILURE)
  }
  const config = installation()
  const rail = railOf(config, railName)
  if (rail === undefined) throw new StartupError(`No address is configured for ${railName}.`, EXIT_FAILURE)
  await onInstallation(config, async services => {
    const skipped = await resumeNumbering(services, rail, Number(text)).catch((error: unknown) => {
      throw new StartupError((error as Error).message, EXIT_FAILURE, { cause: error })
    })
    console.log(
      `${railName} gives new addresses from index ${Number(text) + 1} on. ${skipped} were left out; payments to them are watched and belong to nobody here.`,
    )
  })
}

await main(process.argv.slice(2)).catch(reportEnd)
