import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { anvilPackage, anvilProgram } from '#server/demo/anvil.ts'
import { StartupError } from '#server/platform/startup-error.ts'
import { runQuietly } from './programs.ts'

/** Ethereum's node for tests: Foundry's anvil, one npm package per platform, which `npm ci` skips where unavailable. */

const ROOT = join(import.meta.dirname, '..')
type Machine = { platform: string; arch: string }
const manifest = z.object({ optionalDependencies: z.record(z.string(), z.string()) })

/** Its path, or null. */
export function findAnvil(): string | null {
  return anvilProgram() ?? null
}

/**
 * Installs the package for a platform (this one), in the version of the other packages.
 * @throws StartupError with what to do if there is none, or npm cannot get it
 */
export async function installAnvil({ platform, arch }: Machine = process): Promise<string> {
  const { optionalDependencies } = manifest.parse(
    JSON.parse(readFileSync(join(ROOT, 'node_modules/@foundry-rs/anvil/package.json'), 'utf8')),
  )
  const name = anvilPackage(platform, arch)
  const version = optionalDependencies[name]
  if (version === undefined) {
    throw new StartupError(`There is no anvil for ${platform}-${arch}.`)
  }
  const advice = 'Try: npm ci --include=optional'
  const { command, args } = npm()
  const install = [
    'install',
    '--no-save',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    `${name}@${version}`,
  ]
  const { code, output } = await runQuietly(command, [...args, ...install], { cwd: ROOT })
  if (code !== 0) {
    throw new StartupError(`npm could not install ${name}: ${output.trim().split('\n').at(-1)}. ${advice}`)
  }
  const found = findAnvil()
  if (found === null) throw new StartupError(`npm installed no anvil that can be found. ${advice}`)
  return found
}

/** The npm that runs this, or the machine's. */
function npm(): { command: string; args: string[] } {
  const running = process.env.npm_execpath ?? ''
  if (/npm-cli\.c?js$/.test(running)) return { command: process.execPath, args: [running] }
  return { command: process.platform === 'win32' ? 'npm.cmd' : 'npm', args: [] }
}
