import { once } from 'node:events'
import { createServer } from 'node:net'
import type { Config } from '#server/config.ts'
import { listenError } from '#server/process/listen-error.ts'

/**
 * Reports a busy port at once, before anything is built or begun.
 * @throws StartupError that names the variable to set
 */
export async function requireFreePort(config: Config): Promise<void> {
  const probe = createServer()
  try {
    probe.listen(config.port, config.host)
    await once(probe, 'listening')
  } catch (error) {
    throw listenError(config, error)
  }
  await new Promise(resolve => probe.close(resolve))
}
