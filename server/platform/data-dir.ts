import { accessSync, chmodSync, constants, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { dataDirFull } from './full-disk.ts'
import { EXIT_CONFIG, StartupError } from './startup-error.ts'

/** Why DATA_DIR cannot be created or written, in words; undefined if it can. Creates nothing. */
export function dataDirError(dataDir: string): string | undefined {
  for (let folder = dataDir; ; folder = dirname(folder)) {
    try {
      if (!statSync(folder).isDirectory()) return unusable(dataDir, 'ENOTDIR')
      accessSync(folder, constants.W_OK | constants.X_OK)
      return undefined
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException
      if (code !== 'ENOENT') return unusable(dataDir, code)
    }
  }
}

/**
 * Ensures that DATA_DIR exists and is writable.
 * @throws StartupError that says why it is not
 */
export function prepareDataDir(dataDir: string): void {
  try {
    const made = mkdirSync(dataDir, { recursive: true })
    // Private, whatever the umask. Root's PostgreSQL runs as another user, who may only pass through. Never applied to
    // an existing folder.
    if (made !== undefined) chmodSync(dataDir, process.getuid?.() === 0 ? 0o711 : 0o700)
    rmSync(mkdtempSync(join(dataDir, '.write-')), { recursive: true })
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code ?? String(cause)
    throw dataDirFull(cause, dataDir) ?? new StartupError(unusable(dataDir, reason), EXIT_CONFIG, { cause })
  }
}

function unusable(dataDir: string, reason: string): string {
  return `DATA_DIR ${dataDir} cannot be written (${reason}). Make it writable, or set DATA_DIR to another folder.`
}
