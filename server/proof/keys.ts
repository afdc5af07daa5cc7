import { createPrivateKey, createPublicKey, type KeyObject, randomBytes, sign } from 'node:crypto'
import type { Pool, PoolClient } from 'pg'
import { keyFor, keyRing, type Secrets, seal, unseal } from '#server/platform/encrypted.ts'

/** What a key signs: the log's checkpoints and nothing else, or receipts. */
export type ProofKeyPurpose = 'log' | 'receipts'

/** The key purpose for sealing the seeds of these keys, and investors' secrets. */
export const keyPurpose = 'public proof'

/** PKCS #8 of an Ed25519 private key up to its 32 bytes, and of a public key likewise (RFC 8410). */
const PRIVATE_KEY = Buffer.from('302e020100300506032b657004220420', 'hex')
const PUBLIC_KEY_PREFIX_BYTES = 12
const SEED_BYTES = 32

/** A key that signs notes (C2SP signed-note, type 0x01), and its name, which stays even if the site moves. */
export type ProofKey = { readonly name: string; readonly publicKey: Buffer; sign(text: string): Buffer }

/** The names of an installation's keys: the address of its proof, without scheme. */
const nameOf = {
  log: (publicUrl: string) => `${new URL(publicUrl).host}/proof`,
  receipts: (publicUrl: string) => `${new URL(publicUrl).host}/proof/receipts`,
} satisfies Record<ProofKeyPurpose, (publicUrl: string) => string>

/**
 * The key for a purpose, made once for an installation and kept in the database, sealed under TOKEN_SECRET.
 * @throws Error if it is sealed under a secret that is not known here
 */
export async function proofKey(
  database: Pool | PoolClient,
  config: Secrets & { publicUrl: string },
  purpose: ProofKeyPurpose,
): Promise<ProofKey> {
  const known = await readKey(database, config, purpose)
  if (known !== undefined) return known
  const seed = randomBytes(SEED_BYTES)
  const name = nameOf[purpose](config.publicUrl)
  const made = fromSeed(name, seed)
  await database.query(
    'INSERT INTO app.proof_keys (purpose, name, public_key, sealed_seed) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING',
    [purpose, name, made.publicKey, seal(keyFor(config, keyPurpose), keyContext(purpose), seed)],
  )
  return (await readKey(database, config, purpose))!
}

async function readKey(
  database: Pool | PoolClient,
  config: Secrets,
  purpose: ProofKeyPurpose,
): Promise<ProofKey | undefined> {
  const { rows } = await database.query<{ name: string; sealed_seed: Buffer }>(
    'SELECT name, sealed_seed FROM app.proof_keys WHERE purpose = $1',
    [purpose],
  )
  const [kept] = rows
  return (
    kept && fromSeed(kept.name, unseal(keyRing(config, keyPurpose), keyContext(purpose), kept.sealed_seed))
  )
}

/** The public half, or undefined before the first epoch. */
export async function publicProofKey(
  database: Pool | PoolClient,
  purpose: ProofKeyPurpose,
): Promise<Pick<ProofKey, 'name' | 'publicKey'> | undefined> {
  const { rows } = await database.query<{ name: string; publicKey: Buffer }>(
    'SELECT name, public_key AS "publicKey" FROM app.proof_keys WHERE purpose = $1',
    [purpose],
  )
  return rows[0]
}

export function keyContext(purpose: ProofKeyPurpose): string {
  return `proof key ${purpose}`
}

function fromSeed(name: string, seed: Buffer): ProofKey {
  const privateKey: KeyObject = createPrivateKey({
    key: Buffer.concat([PRIVATE_KEY, seed]),
    format: 'der',
    type: 'pkcs8',
  })
  const publicKey = createPublicKey(privateKey)
    .export({ format: 'der', type: 'spki' })
    .subarray(PUBLIC_KEY_PREFIX_BYTES)
  return { name, publicKey, sign: text => sign(null, Buffer.from(text), privateKey) }
}
