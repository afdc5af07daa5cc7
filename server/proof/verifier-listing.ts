import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sha256 } from '#server/ledger/merkle.ts'

const FOLDER = join(import.meta.dirname, '../../verifier')
let known: Buffer | undefined

/** SHA-256 of what `LC_ALL=C sha256sum *.mjs` prints in verifier/: of the one that this release is shipped with. */
export function verifierHash(): Buffer {
  known ??= sha256(Buffer.from(listing()))
  return known
}

function listing(): string {
  const names = readdirSync(FOLDER).filter(name => name.endsWith('.mjs'))
  const hashOf = (name: string) => sha256(readFileSync(join(FOLDER, name))).toString('hex')
  return names
    .toSorted()
    .map(name => `${hashOf(name)}  ${name}\n`)
    .join('')
}
