import { once } from 'node:events'
import { environment, loadConfig, ownerUrlOf } from '#server/config.ts'
import { databaseTrouble } from '#server/platform/database/trouble.ts'
import { dataDirFull } from '#server/platform/full-disk.ts'
import { createLogger } from '#server/platform/logger.ts'
import { EXIT_FAILURE, StartupError } from '#server/platform/startup-error.ts'
import { runToEnd } from './lifetime.ts'
import { prepare } from './prepare.ts'
import type { Report } from './prepare-apart.ts'

/** The process that `prepareApart` starts. It stays until its parent lets it go, or ends. */

const report = (what: Report) => process.connected && process.send!(what)

async function main(): Promise<void> {
  const config = loadConfig(environment())
  const log = createLogger(config.logLevel, { write: logged => void report({ logged }) })
  const run = runToEnd(async life => {
    life.log = log
    const ownerUrl = ownerUrlOf(process.env, config)
    const say = (line: string) => void report({ say: line })
    const whileWaiting = (line: string) => void report({ waiting: line })
    await prepare({ config, ownerUrl, log, say, whileWaiting }, life)
    const letGo = once(process, 'disconnect')
    report({ prepared: true })
    await letGo
  }, reportFailure)
  await run.catch(error => {
    throw dataDirFull(error, config.dataDir) ?? error
  })
}

function reportFailure(error: unknown): void {
  const isKnown = error instanceof StartupError
  const message = isKnown ? error.message : (databaseTrouble(error)?.advice ?? String(error))
  process.exitCode = isKnown ? error.exitCode : EXIT_FAILURE
  report({ failed: { message, exitCode: Number(process.exitCode) } })
}

await main().catch(error => {
  reportFailure(error)
  if (process.connected) process.disconnect()
})
