import type { Logger } from 'pino'
import { type Config, environment, loadConfig, ownerUrlOf, refuseOwnerLogin } from './config.ts'
import { createLogger } from './platform/logger.ts'
import { EXIT_CONFIG, StartupError } from './platform/startup-error.ts'
import { reportEnd, runToEnd, runUntilStopped } from './process/lifetime.ts'
import { type Role, roles, type ServingRole } from './process/roles.ts'

/** `node build/product/main.js [web|worker|all|migrate]`, built from this file. */
async function main(role: string): Promise<void> {
  if (!isRole(role)) {
    throw new StartupError(`Unknown role '${role}': use ${roles.join(', ')}.`, EXIT_CONFIG)
  }
  const config = loadConfig(environment())
  if (config.demoChain !== null && role !== 'all') {
    throw new StartupError('DEMO_CHAIN: the chain belongs to one process; use role all.', EXIT_CONFIG)
  }
  if (role === 'migrate') await runMigration(config)
  else await runServing(config, role)
}

function isRole(role: string): role is Role {
  return (roles as readonly string[]).includes(role)
}

async function runMigration(config: Config): Promise<void> {
  // Each role loads what it needs, and only with a valid configuration: all of it takes seconds of a processor.
  const { prepare } = await import('./process/prepare.ts')
  const log = createLogger(config.logLevel)
  await runToEnd(async life => {
    life.log = log
    const ownerUrl = ownerUrlOf(process.env, config)
    await prepare({ config, ownerUrl, log, ...speaking(log) }, life)
  })
}

async function runServing(config: Config, role: ServingRole): Promise<void> {
  refuseOwnerLogin(process.env)
  const { partsOf } = await import('./process/parts.ts')
  const { serve } = await import('./process/serve.ts')
  const log = createLogger(config.logLevel)
  const options = { config, log, prepares: role === 'all', ...partsOf[role], ...speaking(log) }
  await runUntilStopped(
    life => serve(options, life),
    () => log.info('Stopping'),
  )
}

/** A service's operator reads the log. */
function speaking(log: Logger) {
  return { say: (line: string) => log.info(line), whileWaiting: (line: string) => log.warn(line) }
}

await main(process.argv[2] ?? 'all').catch(reportEnd)
