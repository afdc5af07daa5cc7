import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { StartupFault } from '#server/platform/startup-fault.ts'
import { runQuietly } from './programs.ts'

const ROOT = join(import.meta.dirname, '..')
const STAMP = join(ROOT, 'build/sources.sha256')
/** Everything that goes into the pages; web imports shared, never server. */
const SOURCES = [
  'web',
  'shared',
  'public',
  'vite.config.ts',
  'react-router.config.ts',
  'package-lock.json',
  'tsconfig.json',
]

/** Whether build/ was made from other sources than those that are there now. */
export function isWebBuildStale(): boolean {
  return !existsSync(STAMP) || readFileSync(STAMP, 'utf8') !== sourcesHash()
}

/**
 * Builds the pages into build/.
 * @throws StartupFault with what the build said last
 */
export async function buildWeb(): Promise<void> {
  const hash = sourcesHash()
  const { code, output } = await runQuietly('react-router', ['build'], { cwd: ROOT })
  if (code !== 0) throw new StartupFault(`The pages could not be built:\n${tail(output, 15)}`)
  writeFileSync(STAMP, hash)
}

function sourcesHash(): string {
  const hash = createHash('sha256')
  for (const name of SOURCES) addTo(hash, name)
  return hash.digest('hex')
}

function addTo(hash: ReturnType<typeof createHash>, name: string): void {
  const path = join(ROOT, name)
  if (!existsSync(path)) return
  const entries = name.includes('.') ? null : readdirSync(path, { withFileTypes: true, recursive: true })
  const files = entries
    ? entries
        .filter(entry => entry.isFile() && !entry.name.includes('.test.'))
        .map(entry => join(entry.parentPath, entry.name))
    : [path]
  for (const file of files.sort()) {
    hash.update(`${file.slice(ROOT.length)}\0`)
    hash.update(readFileSync(file))
  }
}

function tail(text: string, lines: number): string {
  return text.trim().split('\n').slice(-lines).join('\n')
}
