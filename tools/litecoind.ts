import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { StartupError } from '#server/platform/startup-error.ts'
import { isProgram, runQuietly } from './programs.ts'

/**
 * Litecoin's node, a fork of Bitcoin Core 0.21 with the same interface; Debian has it, unlike Bitcoin's. Tests of the
 * Bitcoin rail run it on a private network.
 */

/** Its path (LITECOIND_PATH first), or null. */
export function findLitecoind(): string | null {
  const given = process.env.LITECOIND_PATH
  if (given !== undefined && given !== '') {
    if (existsSync(given)) return given
    throw new StartupError(`LITECOIND_PATH: there is no file ${given}`)
  }
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin']
  return folders.map(folder => join(folder, 'litecoind')).find(isProgram) ?? null
}

/**
 * Installs Debian's package, which only root may do.
 * @throws StartupError with what to do otherwise
 */
export async function installLitecoind(): Promise<string> {
  const advice = 'Install litecoind 0.21, or set LITECOIND_PATH to it.'
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get'))
    throw new StartupError(`No litecoind was found. ${advice}`)
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  for (const args of [['update'], ['install', '-y', '--no-install-recommends', 'litecoind']]) {
    const { code, output } = await runQuietly('apt-get', args, { env })
    if (code !== 0)
      throw new StartupError(`apt-get ${args[0]} failed: ${output.trim().split('\n').at(-1)}. ${advice}`)
  }
  const found = findLitecoind()
  if (found === null) throw new StartupError(`apt-get installed no litecoind that can be found. ${advice}`)
  return found
}
