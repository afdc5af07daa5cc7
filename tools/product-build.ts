import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { type BuildPart, buildParts, isStale, type Say } from './stamped-build.ts'

const BUILD = join(import.meta.dirname, '../build')
/** Compression saves smaller files fewer bytes than its header costs. */
const SMALLEST_COMPRESSED_BYTES = 256

/** What the built server is started as, with a role: `node build/product/main.js web`. */
export const MAIN = join(BUILD, 'product/main.js')
/** What `npm start` runs. */
export const START = join(BUILD, 'product/start.js')

/** Web imports shared and verifier, never server. */
const pages: BuildPart = {
  name: 'The pages',
  stamp: 'build/pages.sha256',
  sources: [
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
  ],
  command: ['vite', 'build', '--app'],
  finish: () => {
    collectFiles()
    compressFiles()
  },
}

const server: BuildPart = {
  name: 'The server',
  stamp: 'build/server.sha256',
  sources: [
    'server',
    'shared',
    'verifier',
    'tools/start-product.ts',
    'tools/required-port.ts',
    'tools/console.ts',
    'tools/lock.mjs',
    'rolldown.config.ts',
    'package-lock.json',
    'package.json',
  ],
  command: ['rolldown', '--config', 'rolldown.config.ts'],
}

const parts = [server, pages]

/** True if a part of build/ was made from other sources than the current ones. */
export function isBuildStale(): boolean {
  return parts.some(isStale)
}

/**
 * Builds into build/ what was made from other sources or, if forced, everything unless another process has just done so.
 * @throws StartupError with the build's last output
 */
export async function buildProduct(say: Say, options?: { force?: boolean }): Promise<void> {
  await buildParts(parts, say, options)
}

/** Builds the server if its sources have changed, for processes that show no pages. */
export async function buildServer(say: Say): Promise<void> {
  if (isStale(server)) await buildParts([server], say)
}

/**
 * Moves files that only documents name (fonts, styles, pictures) to the client files, and removes the build manifest.
 */
function collectFiles(): void {
  const [made, served] = ['server', 'client'].map(side => join(BUILD, side, 'assets'))
  for (const name of readdirSync(made!)) {
    if (!name.endsWith('.js')) renameSync(join(made!, name), join(served!, name))
  }
  rmSync(join(BUILD, 'client/.vite'), { recursive: true })
}

/** Writes compressed forms beside text files, so that no request waits for compression. */
function compressFiles(): void {
  const folder = join(BUILD, 'client')
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.(js|css|svg|json|txt|xml)$/.test(entry.name)) continue
    const path = join(entry.parentPath, entry.name)
    const content = readFileSync(path)
    if (content.length < SMALLEST_COMPRESSED_BYTES) continue
    writeFileSync(`${path}.gz`, gzipSync(content, { level: constants.Z_BEST_COMPRESSION }))
    writeFileSync(`${path}.br`, brotliCompressSync(content))
  }
}
