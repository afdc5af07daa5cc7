import { createCipheriv, createDecipheriv, hkdfSync, type KeyObject, randomBytes } from 'node:crypto'

const NONCE_BYTES = 12
const TAG_BYTES = 16

/** The current secret, and earlier ones, which encrypt nothing new (docs/operate.md, rotation). */
export type Secrets = { readonly tokenSecret: string; readonly formerSecrets: readonly string[] }

/** Everything that a secret is used for, each with a key of its own. docs/keys.md says what they are and how to replace them. */
export const keyPurposes = [
  'access token',
  'refresh token',
  'emailed code',
  'payment quote',
  'second factor secret',
  'recovery code',
  'recovery code sealed',
  'seals of the books',
  'verified points of the books',
  'public proof',
  'webhook secret',
  'push sender',
  'push device',
  'reply address',
  'identity document',
] as const
type KeyPurpose = (typeof keyPurposes)[number]

/** A 256-bit key for one purpose, derived from the process's secret (HKDF-SHA256, RFC 5869). */
export function keyFor({ tokenSecret }: Secrets, purpose: KeyPurpose): Buffer {
  return derived(tokenSecret, purpose)
}

/** That key, then those of earlier secrets, which are still accepted. */
export function keyRing({ tokenSecret, formerSecrets }: Secrets, purpose: KeyPurpose): Buffer[] {
  return [tokenSecret, ...formerSecrets].map(secret => derived(secret, purpose))
}

function derived(secret: string, purpose: KeyPurpose): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', purpose, 32))
}

/**
 * Encrypts with AES-256-GCM: nonce, ciphertext, tag.
 * @param context where it belongs; it decrypts only there, so that nobody can move it to another row
 */
export function seal(key: Buffer | KeyObject, context: string, content: Uint8Array): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context))
  return Buffer.concat([nonce, cipher.update(content), cipher.final(), cipher.getAuthTag()])
}

/** @throws Error if it was sealed under another key or for another context, or was changed */
export function unseal(keys: readonly (Buffer | KeyObject)[], context: string, sealed: Buffer): Buffer {
  for (const key of keys) {
    const content = open(key, context, sealed)
    if (content !== undefined) return content
  }
  throw new Error('sealed under no secret that is known here (TOKEN_SECRET, TOKEN_SECRETS_BEFORE)')
}

/**
 * The same content sealed under the first key, or undefined if it already is.
 * @throws Error as unseal does
 */
export function resealed(keys: readonly Buffer[], context: string, sealed: Buffer): Buffer | undefined {
  if (open(keys[0]!, context, sealed) !== undefined) return undefined
  return seal(keys[0]!, context, unseal(keys, context, sealed))
}

/** Undefined if key, context or content do not match the tag, or there is none. */
function open(key: Buffer | KeyObject, context: string, sealed: Buffer): Buffer | undefined {
  const tagAt = sealed.length - TAG_BYTES
  if (tagAt < NONCE_BYTES) return undefined
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE_BYTES))
    .setAAD(Buffer.from(context))
    .setAuthTag(sealed.subarray(tagAt))
  const content = decipher.update(sealed.subarray(NONCE_BYTES, tagAt))
  try {
    return Buffer.concat([content, decipher.final()])
  } catch {
    return undefined
  }
}
