import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { fullDisk } from '#server/platform/full-disk.ts'
import { StartupError } from '#server/platform/startup-error.ts'
import { takeLock } from './lock.mjs'
import { runQuietly } from './programs.ts'

const ROOT = join(import.meta.dirname, '..')
/** Compression saves smaller files fewer bytes than its header costs. */
const SMALLEST_COMPRESSED_BYTES = 256
const LAST_LINES = 20
/** Its outputs, including those kept in node_modules/.cache. */
const BUILD_MB = 50
const STAMP = join(ROOT, 'build/sources.sha256')
/** All sources of the pages; web imports shared and verifier, never server. */
const SOURCES = [
  'web',
  'shared',
  'verifier',
  'tools/fonts.ts',
  'tools/i18n',
  'tools/page-dates.ts',
  'tools/pictures.ts',
  'vite.config.ts',
  'package-lock.json',
  'tsconfig.json',
]

/** True if build/ was made from other sources than the current ones. */
export function isWebBuildStale(): boolean {
  return !existsSync(STAMP) || readFileSync(STAMP, 'utf8') !== sourcesHash()
}

/**
 * Builds the pages into build/ if their sources have changed or, if forced, unless another process has just built them.
 * @param say writes a line for the user
 * @throws StartupError with the build's last output
 */
export async function buildWeb(say: (line: string) => void, { force = false } = {}): Promise<void> {
  await buildAlone(say, force).catch(error => {
    throw fullDisk(error, { folder: ROOT, what: 'the build of the pages', megabytes: BUILD_MB }) ?? error
  })
}

async function buildAlone(say: (line: string) => void, force: boolean): Promise<void> {
  let waited = false
  // The lock of tools/run.mjs: no build runs during an installation.
  const lock = await takeLock(join(ROOT, 'build/lock'), { doing: 'building the pages' }, holder => {
    waited = true
    say(`Another start (process ${holder.pid}) is ${holder.doing}; waiting for it …`)
  })
  try {
    // Files from another process's build may be in use already.
    if ((force && !waited) || isWebBuildStale()) await build(lock.heldWith)
  } finally {
    lock.release()
  }
}

async function build(onStart: (pid: number) => void): Promise<void> {
  const hash = sourcesHash()
  // An interrupted build must not pass for the previous one.
  rmSync(STAMP, { force: true })
  // Vite builds React for development if the caller's NODE_ENV asks for it.
  const env = { ...process.env, NODE_ENV: 'production' }
  const { code, output } = await runQuietly('vite', ['build', '--app'], { cwd: ROOT, env, onStart })
  if (code !== 0) throw new StartupError(`The pages could not be built:\n${lastWords(output)}`)
  collectFiles()
  compressFiles()
  writeFileSync(STAMP, hash)
}

/**
 * Moves files that only documents name (fonts, styles, pictures) to the client files, and removes the build manifest.
 */
function collectFiles(): void {
  const [made, served] = ['server', 'client'].map(side => join(ROOT, 'build', side, 'assets'))
  for (const name of readdirSync(made!)) {
    if (!name.endsWith('.js')) renameSync(join(made!, name), join(served!, name))
  }
  rmSync(join(ROOT, 'build/client/.vite'), { recursive: true })
}

/** Writes compressed forms beside text files, so that no request waits for compression. */
function compressFiles(): void {
  const folder = join(ROOT, 'build/client')
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.(js|css|svg|json|txt|xml)$/.test(entry.name)) continue
    const path = join(entry.parentPath, entry.name)
    const content = readFileSync(path)
    if (content.length < SMALLEST_COMPRESSED_BYTES) continue
    writeFileSync(`${path}.gz`, gzipSync(content, { level: constants.Z_BEST_COMPRESSION }))
    writeFileSync(`${path}.br`, brotliCompressSync(content))
  }
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

/** The build's last output, without the bundler's own stack trace. */
function lastWords(output: string): string {
  const lines = output.trim().split('\n')
  return lines
    .filter(line => !/^\s+at /.test(line))
    .slice(-LAST_LINES)
    .join('\n')
}
