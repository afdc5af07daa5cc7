import { nodeHashes } from '#verifier/node-hashes.mjs'
import { COSIGNER_KEY, parseVerifierKey } from '#verifier/note.mjs'

/** True for the key of somebody who cosigns. */
export function isCosigner(vkey: string): boolean {
  try {
    return parseVerifierKey(vkey, nodeHashes).type === COSIGNER_KEY
  } catch {
    return false
  }
}
