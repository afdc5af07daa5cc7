import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findElectrum } from '#tools/electrum.ts'
import { missingNode, testNodes } from '#tools/nodes.ts'
import { atEnd } from './clean-up.ts'

/** Why tests that need the wallet cannot run; undefined if they can. */
export const withoutElectrum = missingNode(testNodes.electrum)

const run = promisify(execFile)

/** Runs one of a wallet's commands, and returns what it prints. */
export type Electrum = (...command: string[]) => Promise<string>

/** Electrum's wallet of a seed (its own kind, native segwit), offline on the private network. It ends with the test file. */
export async function electrumWallet(seed: string): Promise<Electrum> {
  const electrum = openWallet(newFolder())
  await electrum('restore', seed)
  return electrum
}

/** A signer's key in a shared wallet: `xprv` only of the wallet's own one. */
export type ElectrumKey = { xpub: string; xprv: string | null; derivation: string; root_fingerprint: string }

/** One signer's wallet of an account of several, from Electrum's wallet file. It ends with the test file. */
export function electrumSharedWallet(threshold: number, keys: readonly ElectrumKey[]): Electrum {
  const folder = newFolder()
  const keystores = keys.map((key, at) => [`x${at + 1}/`, { type: 'bip32', pw_hash_version: 1, ...key }])
  const wallet = {
    wallet_type: `${threshold}of${keys.length}`,
    use_encryption: false,
    seed_version: 40,
    ...Object.fromEntries(keystores),
  }
  const path = join(folder, 'shared')
  writeFileSync(path, JSON.stringify(wallet))
  return openWallet(folder, '-w', path)
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'probity-electrum-'))
  atEnd(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}

function openWallet(folder: string, ...options: string[]): Electrum {
  return async (...command) => {
    const args = ['--regtest', '--offline', '-D', folder, ...options, ...command]
    const { stdout } = await run(findElectrum()!, args, { env: { ...process.env, HOME: folder } })
    return stdout.trim()
  }
}
