import { type Config, environment, loadConfig, ownerUrlOf, refuseOwnerLogin } from './config.ts'
import { createLogger } from './platform/logger.ts'
import { EXIT_CONFIG, StartupError } from './platform/startup-error.ts'
import { reportEnd, runToEnd, runUntilStopped } from './process/lifetime.ts'
import { partsOf, type Role } from './process/parts.ts'
import { prepare } from './process/prepare.ts'
import { serve } from './process/serve.ts'

const roles = [...Object.keys(partsOf), 'migrate']

/** `node server/main.ts [web|worker|all|migrate]` */
async function main(role: string): Promise<void> {
  if (!roles.includes(role)) {
    throw new StartupError(`Unknown role '${role}': use ${roles.join(', ')}.`, EXIT_CONFIG)
  }
  const config = loadConfig(environment())
  if (config.demoChain !== null && role !== 'all') {
    throw new StartupError('DEMO_CHAIN: the chain belongs to one process; use role all.', EXIT_CONFIG)
  }
  if (role === 'migrate') await runMigration(config)
  else await runServing(config, role as Role)
}

async function runMigration(config: Config): Promise<void> {
  const log = createLogger(config.logLevel)
  await runToEnd(async life => {
    life.log = log
    const ownerUrl = ownerUrlOf(process.env, config)
    await prepare({ config, ownerUrl, log, say: line => log.info(line) }, life)
  })
}

async function runServing(config: Config, role: Role): Promise<void> {
  refuseOwnerLogin(process.env)
  const log = createLogger(config.logLevel)
  const options = { config, log, prepares: role === 'all', parts: partsOf[role] }
  await runUntilStopped(
    life => serve({ ...options, say: line => log.info(line) }, life),
    () => log.info('Stopping'),
  )
}

await main(process.argv[2] ?? 'all').catch(reportEnd)
