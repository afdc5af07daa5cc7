import { resumeAfter } from '#server/chain/resume.ts'
import { EXIT_FAILURE, StartupError } from '#server/platform/startup-error.ts'
import { reportEnd } from '#server/process/lifetime.ts'
import { chainOf } from '#server/rails/chains.ts'
import { type RailName, railNames } from '#shared/coins.ts'
import { installation, onInstallation } from './installation.ts'

/**
 * npm run chain:resume -- bitcoin 812345: resumes a halted network from the block after this one. Only after a person
 * has made sure that the node is on the right chain (docs/operate.md).
 */
const usage = `npm run chain:resume -- ${railNames.join('|')} <height of a block that surely counts>`

async function main([name, text]: string[]): Promise<void> {
  const rail = railNames.find(known => known === name)
  if (rail === undefined || text === undefined || !/^\d{1,9}$/.test(text)) {
    throw new StartupError(usage, EXIT_FAILURE)
  }
  const config = installation()
  const chain = chainOf(config, rail)
  if (chain === undefined)
    throw new StartupError(`No node or service is configured for ${rail}.`, EXIT_FAILURE)
  await onInstallation(config, async services => {
    await resumeAfter(services, { rail, chain, height: Number(text) }).catch(asStartupError(rail))
    console.log(`${rail} is read again from block ${Number(text) + 1} on.`)
  })
}

function asStartupError(rail: RailName) {
  return (error: unknown) => {
    throw new StartupError(`${rail}: ${(error as Error).message}`, EXIT_FAILURE, { cause: error })
  }
}

await main(process.argv.slice(2)).catch(reportEnd)
