import { sha256 } from '#server/ledger/merkle.ts'
import type { ProofKey } from './keys.ts'

/** Signature type of Ed25519 (C2SP signed-note). */
const ED25519 = Buffer.of(1)
const KEY_ID_BYTES = 4

/** A log's head: how many leaves it has, and the root over them. */
export type Head = { size: number; root: Buffer }

/** The verifier key of a signer: `<name>+<key id>+<base64 of type and public key>` (C2SP signed-note). */
export function vkeyOf({ name, publicKey }: Pick<ProofKey, 'name' | 'publicKey'>): string {
  const typed = Buffer.concat([ED25519, publicKey])
  return `${name}+${keyId(name, publicKey).toString('hex')}+${typed.toString('base64')}`
}

/** A signed note (C2SP signed-note). @param text ends with a line end and has no empty line */
export function signNote(text: string, ...keys: ProofKey[]): string {
  const lines = keys.map(key => {
    const signature = Buffer.concat([keyId(key.name, key.publicKey), key.sign(text)])
    return `— ${key.name} ${signature.toString('base64')}\n`
  })
  return `${text}\n${lines.join('')}`
}

/** What a checkpoint signs (C2SP tlog-checkpoint). */
export function checkpointText(origin: string, { size, root }: Head): string {
  return `${origin}\n${size}\n${root.toString('base64')}\n`
}

/** The head that a checkpoint states; undefined if it is none of this origin. Verifies no signature. */
export function headOf(checkpoint: string, origin: string): Head | undefined {
  const [name, size, root] = checkpoint.split('\n')
  if (name !== origin || !/^(0|[1-9]\d{0,14})$/.test(size ?? '')) return undefined
  return { size: Number(size), root: Buffer.from(root ?? '', 'base64') }
}

function keyId(name: string, publicKey: Buffer): Buffer {
  return sha256(Buffer.concat([Buffer.from(`${name}\n`), ED25519, publicKey])).subarray(0, KEY_ID_BYTES)
}
