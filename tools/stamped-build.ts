import { createHash, type Hash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fullDisk } from '#server/platform/full-disk.ts'
import { StartupError } from '#server/platform/startup-error.ts'
import { takeLock } from './lock.mjs'
import { runQuietly } from './programs.ts'

const ROOT = join(import.meta.dirname, '..')
const LAST_LINES = 20
/** All outputs, including those kept in node_modules/.cache. */
const BUILD_MB = 80

/** A part of build/. Paths are from the repository's folder. */
export interface BuildPart {
  /** As in "The pages could not be built". */
  name: string
  /** Keeps the hash of the sources that it was made from. */
  stamp: string
  /** Files and folders that it is made from. */
  sources: readonly string[]
  /** A tool of node_modules, and its arguments. */
  command: readonly [tool: string, ...args: string[]]
  /** Done with the tool's output. */
  finish?: () => void
}

/** Writes a line for the user. */
export type Say = (line: string) => void

/** True if it was made from other sources than the current ones. */
export function isStale({ stamp, sources }: BuildPart): boolean {
  const path = join(ROOT, stamp)
  return !existsSync(path) || readFileSync(path, 'utf8') !== hashOf(sources)
}

/**
 * Builds the parts whose sources have changed or, if forced, all of them unless another process has just done so.
 * @throws StartupError with the build's last output
 */
export async function buildParts(
  parts: readonly BuildPart[],
  say: Say,
  { force = false } = {},
): Promise<void> {
  await buildAlone(parts, say, force).catch(error => {
    throw fullDisk(error, { folder: ROOT, what: 'the build', megabytes: BUILD_MB }) ?? error
  })
}

async function buildAlone(parts: readonly BuildPart[], say: Say, force: boolean): Promise<void> {
  let waited = false
  // The lock of tools/run.mjs: no build runs during an installation.
  const lock = await takeLock(join(ROOT, 'build/lock'), { doing: 'building the product' }, holder => {
    waited = true
    say(`Another start (process ${holder.pid}) is ${holder.doing}; waiting for it …`)
  })
  try {
    for (const part of parts) {
      // Files from another process's build may be in use already.
      if ((force && !waited) || isStale(part)) await build(part, lock.heldWith)
    }
  } finally {
    lock.release()
  }
}

async function build({ name, stamp, sources, command, finish }: BuildPart, onStart: (pid: number) => void) {
  const hash = hashOf(sources)
  // An interrupted build must not pass for the previous one.
  rmSync(join(ROOT, stamp), { force: true })
  // Vite builds React for development if the caller's NODE_ENV asks for it.
  const env = { ...process.env, NODE_ENV: 'production' }
  const [tool, ...args] = command
  const { code, output } = await runQuietly(tool, args, { cwd: ROOT, env, onStart })
  if (code !== 0) throw new StartupError(`${name} could not be built:\n${lastWords(output)}`)
  finish?.()
  writeFileSync(join(ROOT, stamp), hash)
}

function hashOf(sources: readonly string[]): string {
  const hash = createHash('sha256')
  for (const name of sources) addTo(hash, name)
  return hash.digest('hex')
}

function addTo(hash: Hash, name: string): void {
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

/** The build's last output, without the bundler's own stack trace. */
function lastWords(output: string): string {
  const lines = output.trim().split('\n')
  return lines
    .filter(line => !/^\s+at /.test(line))
    .slice(-LAST_LINES)
    .join('\n')
}
