import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findElectrum } from '#tools/electrum.ts'
import { missingNode, testNodes } from '#tools/nodes.ts'
import { atEnd } from './clean-up.ts'

/** Why tests that need the wallet cannot run; undefined if they can. */
export const withoutElectrum = missingNode(testNodes.electrum)

const run = promisify(execFile)

/**
 * Electrum's wallet of a seed (its own kind, native segwit), offline on the private network. It ends with the test file.
 * @returns runs one of its commands, and returns what it prints
 */
export async function electrumWallet(seed: string): Promise<(...command: string[]) => Promise<string>> {
  const folder = mkdtempSync(join(tmpdir(), 'probity-electrum-'))
  atEnd(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  const electrum = async (...command: string[]) => {
    const args = ['--regtest', '--offline', '-D', folder, ...command]
    const { stdout } = await run(findElectrum()!, args, { env: { ...process.env, HOME: folder } })
    return stdout.trim()
  }
  await electrum('restore', seed)
  return electrum
}
