import { createPrivateKey, createPublicKey, type KeyObject, randomBytes, sign } from 'node:crypto'
import type { ClientBase, Pool } from 'pg'
import { keyFor, keyRing, type Secrets, seal, unseal } from '#server/platform/encrypted.ts'
import { OtherLog } from './forked-log.ts'
import { publishedMark } from './mark.ts'

/** What a key signs: the log's checkpoints and its successor's statement, or receipts. */
export type ProofKeyPurpose = 'log' | 'receipts'

/** The key purpose for sealing the seeds of these keys, and investors' secrets. */
export const keyPurpose = 'public proof'

/** PKCS #8 of an Ed25519 private key up to its 32 bytes, and of a public key likewise (RFC 8410). */
const PRIVATE_KEY = Buffer.from('302e020100300506032b657004220420', 'hex')
const PUBLIC_KEY_PREFIX_BYTES = 12
const SEED_BYTES = 32
/** A replaced key of the log signs too for so long, for those who have not heard of the new one. */
export const OVERLAP_DAYS = 30
const DAY_MS = 86_400_000

/** A key that signs notes (C2SP signed-note, type 0x01), and its name, which stays even if the site moves. */
export type ProofKey = { readonly name: string; readonly publicKey: Buffer; sign(text: string): Buffer }
export type PublicProofKey = Pick<ProofKey, 'name' | 'publicKey'>

type Database = Pool | ClientBase
type KeyConfig = Secrets & { readonly publicUrl: string; readonly dataDir: string }
type KeyRow = {
  name: string
  public_key: Buffer
  sealed_seed: Buffer | null
  since_epoch: bigint
  reason: string | null
  made_on: string
}

/** It was replaced, and its seed deleted. */
export class ReplacedKey extends Error {}

/** The number of the newest epoch, whose keys are the published ones. */
const NEWEST = 'SELECT coalesce(max(number), 1) FROM ledger.epochs'

/**
 * The key that signs an epoch, or receipts once it has ended; without a number, the newest one's. The first is made once
 * for an installation and kept in the database, sealed under TOKEN_SECRET.
 * @throws ReplacedKey if its seed was deleted and its successor waits for its epoch's end; OtherLog if there is none yet, but this
 *   machine has published a log; Error if it is sealed under a secret that is not known here, or is not the published one
 */
export async function proofKey(
  database: Database,
  config: KeyConfig,
  purpose: ProofKeyPurpose,
  epoch?: bigint,
): Promise<ProofKey> {
  const [known] = await readKeys(database, purpose, epoch)
  if (known !== undefined) return unsealed(config, purpose, known)
  const mark = await publishedMark(config.dataDir)
  if (mark !== undefined) throw new OtherLog(mark.vkey)
  const name =
    purpose === 'log'
      ? logNameAt(config.publicUrl)
      : `${(await proofKey(database, config, 'log', epoch)).name}/receipts`
  const made = newKey(config, purpose, name)
  await database.query(
    `SELECT ledger.add_first_proof_key($1, $2, $3, $4, (now() AT TIME ZONE 'UTC')::date)`,
    [purpose, name, made.publicKey, made.sealedSeed],
  )
  const [kept] = await readKeys(database, purpose, epoch)
  return unsealed(config, purpose, kept!)
}

/** The address of an installation's proof, without scheme. The log keeps it: a command may have another PUBLIC_URL or PORT. */
function logNameAt(publicUrl: string): string {
  return `${new URL(publicUrl).host}/proof`
}

/** The log's key for an epoch, and for some time the one that it has replaced. @param day when the epoch ends */
export async function epochSigners(
  database: Database,
  config: KeyConfig,
  { epoch, day }: { epoch: bigint; day: Date },
): Promise<[ProofKey, ...ProofKey[]]> {
  const signer = await proofKey(database, config, 'log', epoch)
  const [own, before] = await readKeys(database, 'log', epoch)
  if (before === undefined) return [signer]
  await forgetLogKeys(database, before.since_epoch)
  if (own?.reason !== 'planned' || before.sealed_seed === null) return [signer]
  if (day.getTime() - Date.parse(own.made_on) <= OVERLAP_DAYS * DAY_MS)
    return [signer, unsealed(config, 'log', before)]
  await forgetLogKeys(database, own.since_epoch)
  return [signer]
}

/** Deletes the seeds of the log's keys before this one's. */
async function forgetLogKeys(database: Database, before: bigint): Promise<void> {
  await database.query("SELECT ledger.retire_proof_keys('log', $1)", [before])
}

/** A key that is in no table yet, and its seed sealed under TOKEN_SECRET. */
export function newKey(
  config: Secrets,
  purpose: ProofKeyPurpose,
  name: string,
): ProofKey & { sealedSeed: Buffer } {
  const seed = randomBytes(SEED_BYTES)
  const sealedSeed = seal(keyFor(config, keyPurpose), keyContext(purpose), seed)
  return { ...fromSeed(name, seed), sealedSeed }
}

/** Those up to an epoch, the newest first. */
async function readKeys(database: Database, purpose: ProofKeyPurpose, epoch?: bigint): Promise<KeyRow[]> {
  const { rows } = await database.query<KeyRow>(
    `SELECT name, public_key, sealed_seed, since_epoch, reason, made_on FROM app.proof_keys
      WHERE purpose = $1 AND since_epoch <= coalesce($2::bigint, (${NEWEST})) ORDER BY since_epoch DESC`,
    [purpose, epoch ?? null],
  )
  return rows
}

function unsealed(config: Secrets, purpose: ProofKeyPurpose, row: KeyRow): ProofKey {
  const { name, public_key, sealed_seed } = row
  if (sealed_seed === null) throw new ReplacedKey(`the key of ${name} was replaced and signs nothing more`)
  const key = fromSeed(name, unseal(keyRing(config, keyPurpose), keyContext(purpose), sealed_seed))
  if (!key.publicKey.equals(public_key))
    throw new Error(`the seed of ${name} is not that of its published key`)
  return key
}

/** Deletes the seeds of keys of receipts that an ended epoch has replaced: nothing more is signed with them. */
export async function retireReceiptKeys(database: Database, epoch: bigint): Promise<void> {
  await database.query("SELECT ledger.retire_proof_keys('receipts', $1)", [epoch])
}

/** The published public half, or undefined before the first epoch. */
export async function publicProofKey(
  database: Database,
  purpose: ProofKeyPurpose,
): Promise<PublicProofKey | undefined> {
  return (await publicProofKeys(database, purpose)).at(-1)
}

export type KeyRecord = PublicProofKey & {
  since: bigint
  madeOn: string
  reason: string | null
  statement: string | null
}

/** All keys of the published epochs, the newest last. */
export async function publicProofKeys(database: Database, purpose: ProofKeyPurpose): Promise<KeyRecord[]> {
  const { rows } = await database.query<KeyRecord>(
    `SELECT name, public_key AS "publicKey", since_epoch AS since, made_on AS "madeOn", reason, statement
       FROM app.proof_keys WHERE purpose = $1 AND since_epoch <= (${NEWEST}) ORDER BY since_epoch`,
    [purpose],
  )
  return rows
}

/** The statements by which the log's key was replaced, one after the other; empty if it never was. */
export async function keyStatements(database: Database): Promise<string> {
  return (await publicProofKeys(database, 'log')).map(({ statement }) => statement ?? '').join('')
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
