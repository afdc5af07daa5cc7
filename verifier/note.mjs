// @ts-check
import { base64, concat, equal, fromBase64, fromDecimal, fromHex, hex, utf8 } from './bytes.mjs'
import { Invalid } from './errors.mjs'

/** Signed notes, verifier keys, checkpoints and cosignatures (C2SP signed-note, tlog-checkpoint, tlog-cosignature). */

/** @typedef {import('./bytes.mjs').Hashes} Hashes */
/** @typedef {{ name: string, keyId: string, signature: Uint8Array }} NoteSignature */
/** @typedef {{ text: string, signatures: NoteSignature[] }} Note */
/** @typedef {{ name: string, keyId: string, type: number, publicKey: Uint8Array, vkey: string }} VerifierKey */
/** @typedef {{ origin: string, size: number, root: Uint8Array, text: string, note: string, signatures: NoteSignature[] }} Checkpoint */
/** @typedef {{ name: string, keyId: string, time: number }} Cosignature */

export const LOG_KEY = 0x01
export const COSIGNER_KEY = 0x04
/** How far ahead a witness's clock may be. */
const FUTURE_SECONDS = 600
const MOST_SIGNATURES = 100
const KEY_NAME = /^[^\s+]+$/u
// biome-ignore lint/suspicious/noControlCharactersInRegex: signed-note forbids them
const CONTROL_CHARACTER = /[\x00-\x09\x0b-\x1f]/

/**
 * A log's or a witness's key: `<name>+<key id in hex>+<base64(type ‖ public key)>`.
 * @param {string} vkey
 * @param {Hashes} hashes
 * @returns {VerifierKey}
 * @throws {Invalid}
 */
export function parseVerifierKey(vkey, hashes) {
  const [, name = '', keyId = '', encoded = ''] =
    /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+=*)$/u.exec(vkey) ?? []
  if (name === '') throw new Invalid(`"${vkey}" is not a verifier key (<name>+<key id>+<base64>)`)
  const typed = fromBase64(encoded)
  const type = typed[0] ?? 0
  if ((type !== LOG_KEY && type !== COSIGNER_KEY) || typed.length !== 33)
    throw new Invalid(`the key of ${name} is not an Ed25519 key of a log or a witness`)
  const expected = hex(hashes.sha256(concat(utf8(`${name}\n`), typed)).subarray(0, 4))
  if (expected !== keyId)
    throw new Invalid(`the key id of ${name} is ${keyId}, but its key gives ${expected}`)
  return { name, keyId, type, publicKey: typed.slice(1), vkey }
}

/**
 * @param {string} note
 * @returns {Note}
 * @throws {Invalid}
 */
export function parseNote(note) {
  const split = note.lastIndexOf('\n\n')
  if (split < 0 || !note.endsWith('\n')) throw new Invalid('it is not a signed note')
  if (CONTROL_CHARACTER.test(note)) throw new Invalid('the note has a control character')
  const lines = note.slice(split + 2, -1).split('\n')
  if (lines.length > MOST_SIGNATURES)
    throw new Invalid(`the note has more than ${MOST_SIGNATURES} signatures`)
  return { text: note.slice(0, split + 1), signatures: lines.map(parseSignatureLine) }
}

/**
 * @param {string} line
 * @returns {NoteSignature}
 */
function parseSignatureLine(line) {
  const [, name = '', encoded = ''] = /^— (\S+) (\S+)$/u.exec(line) ?? []
  if (!KEY_NAME.test(name)) throw new Invalid(`"${line}" is not a line of a signature`)
  const bytes = fromBase64(encoded)
  if (bytes.length < 5) throw new Invalid(`the signature of ${name} is too short`)
  return { name, keyId: hex(bytes.subarray(0, 4)), signature: bytes.slice(4) }
}

/**
 * A checkpoint with a valid signature of the log's key.
 * @param {string} note
 * @param {VerifierKey} key
 * @param {Hashes} hashes
 * @returns {Checkpoint}
 * @throws {Invalid}
 */
export function openCheckpoint(note, key, hashes) {
  const { text, signatures } = parseNote(note)
  const checkpoint = { ...parseCheckpoint(text), text, note, signatures }
  if (checkpoint.origin !== key.name)
    throw new Invalid(`the checkpoint is of the log "${checkpoint.origin}", but the key of "${key.name}"`)
  requireSigned(checkpoint, key, hashes, 'checkpoint')
  return checkpoint
}

/**
 * @param {Note} note
 * @param {VerifierKey} key
 * @param {Hashes} hashes
 * @param {string} what it is, for people
 * @throws {Invalid} if it has no signature of the key, or a forged one
 */
export function requireSigned({ text, signatures }, key, hashes, what) {
  const own = signatures.filter(({ name, keyId }) => name === key.name && keyId === key.keyId)
  if (own.length === 0)
    throw new Invalid(`the ${what} has no signature of the key ${key.keyId} of ${key.name}`)
  const message = utf8(text)
  if (!own.every(({ signature }) => isSignature(hashes, signature, message, key.publicKey)))
    throw new Invalid(`the signature of ${key.name} on the ${what} is forged`)
}

/**
 * The checkpoint as the log signed it: without the lines that witnesses have added.
 * @param {Checkpoint} checkpoint
 * @param {VerifierKey[]} keys the log's
 */
export function ownNote({ text, signatures }, keys) {
  const own = signatures.filter(line =>
    keys.some(({ name, keyId }) => line.name === name && line.keyId === keyId),
  )
  const lines = own.map(
    ({ name, keyId, signature }) => `— ${name} ${base64(concat(fromHex(keyId), signature))}\n`,
  )
  return `${text}\n${lines.join('')}`
}

/**
 * @param {Hashes} hashes
 * @param {Uint8Array} signature
 * @param {Uint8Array} message
 * @param {Uint8Array} publicKey
 */
function isSignature(hashes, signature, message, publicKey) {
  return signature.length === 64 && hashes.ed25519Verify(signature, message, publicKey)
}

/**
 * The three lines of a checkpoint, with or without a valid signature.
 * @param {string} text
 * @returns {{ origin: string, size: number, root: Uint8Array }}
 * @throws {Invalid}
 */
export function parseCheckpoint(text) {
  const [origin = '', size = '', root = '', ...rest] = text.split('\n')
  if (origin === '' || rest.length !== 1 || rest[0] !== '')
    throw new Invalid('a checkpoint has three lines: origin, size and root')
  const bytes = fromBase64(root)
  if (bytes.length !== 32) throw new Invalid('the root of the checkpoint is not 32 bytes long')
  return { origin, size: fromDecimal(size), root: bytes }
}

/**
 * The cosignatures of known witnesses on a checkpoint.
 * @param {Pick<Checkpoint, 'text' | 'signatures'>} checkpoint
 * @param {VerifierKey[]} witnesses
 * @param {Hashes} hashes
 * @param {Date} now
 * @returns {Cosignature[]}
 * @throws {Invalid} if a cosignature of a known witness is forged or dated in the future
 */
export function cosignatures({ text, signatures }, witnesses, hashes, now) {
  return witnesses.flatMap(witness => {
    const own = signatures.filter(({ name, keyId }) => name === witness.name && keyId === witness.keyId)
    return own.map(line => cosignature(line, text, witness, hashes, now))
  })
}

/**
 * @param {NoteSignature} line
 * @param {string} text
 * @param {VerifierKey} witness
 * @param {Hashes} hashes
 * @param {Date} now
 * @returns {Cosignature}
 */
function cosignature({ name, keyId, signature }, text, witness, hashes, now) {
  const forged = new Invalid(`the cosignature of ${name} is forged`)
  if (signature.length !== 72) throw forged
  const time = Number(new DataView(signature.buffer, signature.byteOffset).getBigUint64(0))
  const message = utf8(`cosignature/v1\ntime ${time}\n${text}`)
  if (!isSignature(hashes, signature.subarray(8), message, witness.publicKey)) throw forged
  if (time > now.getTime() / 1000 + FUTURE_SECONDS)
    throw new Invalid(`the cosignature of ${name} is dated in the future`)
  return { name, keyId, time }
}

/**
 * True if two checkpoints state the same history.
 * @param {Pick<Checkpoint, 'size' | 'root'>} one
 * @param {Pick<Checkpoint, 'size' | 'root'>} other
 */
export function sameHead(one, other) {
  return one.size === other.size && equal(one.root, other.root)
}

/** @param {Pick<Checkpoint, 'size' | 'root'>} checkpoint */
export function headInWords({ size, root }) {
  return `${size} leaves, root ${base64(root)}`
}
