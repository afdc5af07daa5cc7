import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { prepareDataDir } from './data-dir.ts'
import { dataDirFull } from './full-disk.ts'

/**
 * The demonstration's token secret, created in DATA_DIR at the first start. It is written completely before it gets its
 * name, so of several concurrent starts one wins.
 * @throws StartupError if DATA_DIR cannot be written
 */
export function tokenSecretOf(dataDir: string): string {
  prepareDataDir(dataDir)
  const path = pathOf(dataDir)
  const draft = `${path}.${process.pid}`
  try {
    writeFileSync(draft, newSecret(), { mode: 0o600, flush: true })
    linkSync(draft, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw dataDirFull(error, dataDir) ?? error
  } finally {
    rmSync(draft, { force: true })
  }
  return readFileSync(path, 'utf8')
}

/** The existing secret, or a random one for commands that must not create an installation. */
export function keptTokenSecret(dataDir: string): string {
  const path = pathOf(dataDir)
  return existsSync(path) ? readFileSync(path, 'utf8') : newSecret()
}

function pathOf(dataDir: string): string {
  return join(dataDir, 'token-secret')
}

function newSecret(): string {
  return randomBytes(48).toString('base64url')
}
