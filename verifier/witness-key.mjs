// @ts-check
import { createPrivateKey, createPublicKey, randomBytes, sign } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { base64, concat, fromBase64, hex, utf8 } from './bytes.mjs'
import { Invalid } from './errors.mjs'
import { nodeHashes } from './node-hashes.mjs'
import { COSIGNER_KEY } from './note.mjs'

/** A witness's key, in a file in the form of Go's notes: PRIVATE+KEY+<name>+<key id>+<base64(0x04 ‖ seed)>. */

/** @typedef {{ name: string, vkey: string, keyId: string, privateKey: import('node:crypto').KeyObject }} Signer */

/** DER of an Ed25519 private key before its 32 bytes (RFC 8410). */
const ED25519_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')
const PUBLIC_KEY_PREFIX_BYTES = 12

/**
 * The key in a file, made on the first run.
 * @param {string} file
 * @param {string | undefined} name of a new key
 * @returns {Promise<Signer>}
 * @throws {Invalid} if there is none and no name for one
 */
export async function signerIn(file, name) {
  const text = await readFile(file, 'utf8').catch(error => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (text !== null) return parseSigner(text.trim(), name)
  if (name === undefined || !/^[^\s+]+$/u.test(name))
    throw new Invalid(
      'the first run needs --name: an address of yours without https://, such as example.org/witness',
    )
  const signer = signerOf(name, randomBytes(32))
  // Never over a key that appeared in the meantime.
  await writeFile(file, `${signer.text}\n`, { flag: 'wx', mode: 0o600, flush: true })
  return signer
}

/**
 * @param {string} text
 * @param {string | undefined} name
 */
function parseSigner(text, name) {
  const [, named = '', keyId = '', encoded = ''] =
    /^PRIVATE\+KEY\+([^\s+]+)\+([0-9a-f]{8})\+(\S+)$/u.exec(text) ?? []
  const typed = fromBase64(encoded)
  if (typed.length !== 33 || typed[0] !== COSIGNER_KEY)
    throw new Invalid('the key file has no key of a witness')
  const signer = signerOf(named, typed.subarray(1))
  if (signer.keyId !== keyId) throw new Invalid('the key file is damaged: its key id is of another key')
  if (name !== undefined && name !== named)
    throw new Invalid(`the key file is that of ${named}, not of ${name}`)
  return signer
}

/**
 * @param {string} name
 * @param {Uint8Array} seed
 * @returns {Signer & { text: string }}
 */
function signerOf(name, seed) {
  const privateKey = createPrivateKey({
    key: Buffer.concat([ED25519_PREFIX, seed]),
    format: 'der',
    type: 'pkcs8',
  })
  const publicKey = createPublicKey(privateKey)
    .export({ format: 'der', type: 'spki' })
    .subarray(PUBLIC_KEY_PREFIX_BYTES)
  const type = new Uint8Array([COSIGNER_KEY])
  const typed = concat(type, publicKey)
  const keyId = hex(nodeHashes.sha256(concat(utf8(`${name}\n`), typed)).subarray(0, 4))
  return {
    name,
    keyId,
    privateKey,
    vkey: `${name}+${keyId}+${base64(typed)}`,
    text: `PRIVATE+KEY+${name}+${keyId}+${base64(concat(type, seed))}`,
  }
}

/**
 * The line that a witness adds to a checkpoint (C2SP tlog-cosignature).
 * @param {Signer} signer
 * @param {string} text of the checkpoint
 * @param {Date} now
 */
export function cosign({ name, keyId, privateKey }, text, now) {
  const time = Math.floor(now.getTime() / 1000)
  const stamp = Buffer.alloc(8)
  stamp.writeBigUInt64BE(BigInt(time))
  const signature = sign(null, utf8(`cosignature/v1\ntime ${time}\n${text}`), privateKey)
  return `— ${name} ${base64(concat(Buffer.from(keyId, 'hex'), stamp, signature))}`
}
