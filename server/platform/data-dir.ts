import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { EXIT_CONFIG, StartupFault } from './startup-fault.ts'

/**
 * Makes sure that DATA_DIR is there and can be written.
 * @throws StartupFault that says why it cannot
 */
export function prepareDataDir(dataDir: string): void {
  try {
    const made = mkdirSync(dataDir, { recursive: true })
    // Ours, just made: the embedded server's user must pass through it whatever the umask is, and see no more.
    // Never done to a folder that was there.
    if (made !== undefined) chmodSync(dataDir, 0o711)
    rmSync(mkdtempSync(join(dataDir, '.write-')), { recursive: true })
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code ?? String(cause)
    throw new StartupFault(
      `DATA_DIR ${dataDir} cannot be written (${reason}). Make it writable, or set DATA_DIR to another folder.`,
      EXIT_CONFIG,
      { cause },
    )
  }
}
