import { environment, loadConfig } from './config.ts'
import { createLogger } from './platform/logger.ts'
import { EXIT_CONFIG, StartupError } from './platform/startup-error.ts'
import { type Lifetime, reportEnd, runToEnd, runUntilStopped } from './process/lifetime.ts'
import { partsOf, type Role } from './process/parts.ts'
import { serve } from './process/serve.ts'

/** `node server/main.ts [web|worker|all|migrate]` */
async function main(role: string): Promise<void> {
  if (!isRole(role)) {
    throw new StartupError(`Unknown role '${role}': use ${Object.keys(partsOf).join(', ')}.`, EXIT_CONFIG)
  }
  const config = loadConfig(environment())
  if (config.demoChain !== null && role !== 'all') {
    throw new StartupError('DEMO_CHAIN: the chain belongs to one process; use role all.', EXIT_CONFIG)
  }
  const log = createLogger(config.logLevel)
  const migrate = role === 'all' || role === 'migrate'
  const start = async (life: Lifetime) => {
    await serve({ config, log, migrate, parts: partsOf[role], say: line => log.info(line) }, life)
  }
  if (role === 'migrate') await runToEnd(start)
  else await runUntilStopped(start, () => log.info('Stopping'))
}

function isRole(name: string): name is Role {
  return Object.hasOwn(partsOf, name)
}

await main(process.argv[2] ?? 'all').catch(reportEnd)
