import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import { keyRing, type Secrets } from '#server/platform/encrypted.ts'
import { append, emptyLog, HASH_BYTES, isLog, type Log, rootOf, sha256 } from './merkle.ts'

/** A row of `ledger.seals`. */
export type SealRow = {
  number: bigint
  sealed_at: Date
  journal_size: bigint
  journal_root: Buffer
  audit_size: bigint
  audit_root: Buffer
  previous_hash: Buffer
  public_key: Buffer
  signature: Buffer
  hash: Buffer
  journal_subtrees: Buffer[]
  audit_subtrees: Buffer[]
}
type Unsigned = Omit<SealRow, 'public_key' | 'signature' | 'hash'>

/** The two logs. */
export type Logs = { readonly journal: Log; readonly audit: Log }
export const emptyLogs: Logs = { journal: emptyLog, audit: emptyLog }

/** Hashes of new leaves of each log, one after the other. */
export type Leaves = { readonly journal: Buffer; readonly audit: Buffer }

/** How an operator names a seal: its number and its hash. The hash stands for everything sealed up to there. */
export type SealName = { number: bigint; hash: string }

/** The first seal's `previous_hash`. */
export const NO_SEAL = Buffer.alloc(HASH_BYTES)

/** PKCS #8 of an Ed25519 private key up to its 32 bytes, and of a public key likewise (RFC 8410). */
const PRIVATE_KEY = Buffer.from('302e020100300506032b657004220420', 'hex')
const PUBLIC_KEY = Buffer.from('302a300506032b6570032100', 'hex')

/** A key that signs seals, with its public key as 32 bytes. */
export type SealKey = { readonly privateKey: KeyObject; readonly publicKey: Buffer }

/** The keys of TOKEN_SECRET and its predecessors, the current one first. The database does not have them. */
export function sealKeys(secrets: Secrets): [SealKey, ...SealKey[]] {
  return keyRing(secrets, 'seals of the books').map(seed => {
    const key = Buffer.concat([PRIVATE_KEY, seed])
    const privateKey = createPrivateKey({ key, format: 'der', type: 'pkcs8' })
    const publicKey = createPublicKey(privateKey).export({ format: 'der', type: 'spki' })
    return { privateKey, publicKey: publicKey.subarray(PUBLIC_KEY.length) }
  }) as [SealKey, ...SealKey[]]
}

export function signed(seal: Unsigned, { privateKey, publicKey }: SealKey): SealRow {
  const signature = sign(null, textOf({ ...seal, public_key: publicKey }), privateKey)
  const row = { ...seal, public_key: publicKey, signature }
  return { ...row, hash: hashOf(row) }
}

/** True if the holder of the stated key signed it. Whose key that is, the caller must know. */
function isSigned(seal: SealRow): boolean {
  const key = Buffer.concat([PUBLIC_KEY, seal.public_key])
  return verify(null, textOf(seal), createPublicKey({ key, format: 'der', type: 'spki' }), seal.signature)
}

export function isSignedBy(keys: readonly SealKey[], seal: SealRow): boolean {
  return keys.some(({ publicKey }) => publicKey.equals(seal.public_key)) && isSigned(seal)
}

/** SHA-256 of what is signed and the signature. */
export function hashOf(seal: Omit<SealRow, 'hash'>): Buffer {
  return sha256(Buffer.concat([textOf(seal), seal.signature]))
}

/** The two logs as the seal states them; undefined if they do not have the roots that it states. */
export function logsOf(seal: SealRow): Logs | undefined {
  const journal = { size: Number(seal.journal_size), subtrees: seal.journal_subtrees }
  const audit = { size: Number(seal.audit_size), subtrees: seal.audit_subtrees }
  const agrees = (log: Log, root: Buffer) => isLog(log) && rootOf(log).equals(root)
  return agrees(journal, seal.journal_root) && agrees(audit, seal.audit_root) ? { journal, audit } : undefined
}

export function withLeaves(logs: Logs, { journal, audit }: Leaves): Logs {
  return { journal: append(logs.journal, journal), audit: append(logs.audit, audit) }
}

export function nameOf({ number, hash }: Pick<SealRow, 'number' | 'hash'>): SealName {
  return { number, hash: hash.toString('hex') }
}

/** What is signed. */
function textOf(seal: Unsigned & Pick<SealRow, 'public_key'>): Buffer {
  const lines = [
    'probity-seal/v1',
    `seal ${seal.number} ${seal.sealed_at.toISOString()}`,
    `journal ${seal.journal_size} ${seal.journal_root.toString('hex')}`,
    `audit ${seal.audit_size} ${seal.audit_root.toString('hex')}`,
    `previous ${seal.previous_hash.toString('hex')}`,
    `key ${seal.public_key.toString('hex')}`,
  ]
  return Buffer.from(`${lines.join('\n')}\n`)
}

/** A seal as an operator writes it down, `12:<64 hexadecimal digits>`; undefined if the text is none. */
export function sealName(text: string): SealName | undefined {
  const [, number, hash] = /^([1-9]\d{0,17}):([0-9a-f]{64})$/.exec(text) ?? []
  return number === undefined || hash === undefined ? undefined : { number: BigInt(number), hash }
}
