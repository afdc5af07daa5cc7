import { rmSync } from 'node:fs'
import { environment, loadConfig } from '#server/config.ts'
import { deleteDemoChain } from '#server/demo/chain-file.ts'
import { deleteEmbedded } from '#server/embedded/embedded.ts'
import { EXIT_CONFIG, StartupError } from '#server/platform/startup-error.ts'
import { reportEnd } from '#server/process/lifetime.ts'
import { markOf } from '#server/proof/mark.ts'
import { createProgress } from './console.ts'

/** npm run db:reset: deletes the embedded database; the next start creates it again, with the demonstration's data. */
async function main(): Promise<void> {
  const config = loadConfig(environment(), { makesSecret: false })
  if (config.database !== null) {
    throw new StartupError(
      'db:reset deletes the embedded database only, and DATABASE_URL is set.',
      EXIT_CONFIG,
    )
  }
  await createProgress().step('Deleting the database', `Database in ${config.dataDir} deleted`, async () => {
    await deleteEmbedded(config.dataDir)
    deleteDemoChain(config.dataDir)
    // The next database begins a log of its own.
    rmSync(markOf(config.dataDir), { force: true })
  })
}

await main().catch(reportEnd)
