import { join } from 'node:path'
import { type Config, environment, loadConfig, refuseOwnerLogin } from '#server/config.ts'
import { sampleLogins } from '#server/demo/logins.ts'
import { prepareDataDir } from '#server/platform/data-dir.ts'
import { dataDirFull } from '#server/platform/full-disk.ts'
import { logFile } from '#server/platform/log-destination.ts'
import { createLogger } from '#server/platform/logger.ts'
import { StartupError } from '#server/platform/startup-error.ts'
import { type Lifetime, reportEnd, runUntilStopped } from '#server/process/lifetime.ts'
import { partsOf } from '#server/process/parts.ts'
import { type Running, serve } from '#server/process/serve.ts'
import { createProgress } from './console.ts'
import { type Lock, takeLock } from './lock.mjs'
import { requireFreePort } from './required-port.ts'

/** What `npm start` runs of the build: everything in this process, until Ctrl-C. */

const progress = createProgress()

async function main(): Promise<void> {
  const config = loadConfig(environment())
  refuseOwnerLogin(process.env)
  progress.say(config.mode === 'demo' ? 'Probity, demonstration: a fictional firm' : 'Probity')
  await runUntilStopped(
    life =>
      start(config, life).catch(error => {
        throw dataDirFull(error, config.dataDir) ?? error
      }),
    () => progress.say('Stopping …'),
  )
  progress.say('Stopped')
}

async function start(config: Config, life: Lifetime): Promise<Running> {
  const lock = await lockDataDir(config)
  await requireFreePort(config)
  const logPath = join(config.dataDir, 'probity.log')
  const log = createLogger(config.logLevel, logFile(logPath))
  const say = (line: string) => progress.say(`  · ${line}`)
  const options = { config, log, prepares: true, ...partsOf.all, say, whileWaiting: say }
  const started = () => serve(options, life)
  const running = await progress.step('Starting', 'Started', started)
  lock.update({ doing: 'running' })
  progress.say(`\n  ${config.publicUrl}\n`)
  if (config.mode === 'demo') {
    for (const { email, password, who } of sampleLogins) {
      progress.say(`  ${email.padEnd(24)} ${password.padEnd(16)} ${who}`)
    }
    progress.say(`\n  Emails    ${config.publicUrl}/mailbox`)
  }
  const { demoChain, rails } = running.services.config
  if (demoChain !== null) progress.say(`  Chain     ${rails.ethereum.rpcUrl} (JSON-RPC of its node)`)
  progress.say(`  Log       ${logPath}\n  Stop      Ctrl-C\n`)
  return running
}

/**
 * A second start on the same data folder would share the first one's database and log, and fail at its port.
 * @throws StartupError with the first one's address
 */
async function lockDataDir({ dataDir, publicUrl }: Config): Promise<Lock> {
  prepareDataDir(dataDir)
  const about = { doing: 'starting', address: publicUrl }
  return await takeLock(join(dataDir, 'lock'), about, ({ pid, doing, address }) => {
    throw new StartupError(
      `Probity is already ${doing} at ${address} (process ${pid}), with the data in ${dataDir}.\n` +
        'Use it there, or stop it (Ctrl-C) first. To run another one beside it, set PORT and DATA_DIR.',
    )
  })
}

await main().catch(reportEnd)
