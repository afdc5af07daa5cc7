import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const NONCE_BYTES = 12
const TAG_BYTES = 16

/** A key of 256 bits for one purpose alone, derived from the process's secret (HKDF-SHA256, RFC 5869). */
export function keyFor(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', purpose, 32))
}

/**
 * Encrypts with AES-256-GCM: nonce, ciphertext, tag.
 * @param context what it belongs to; it opens only there, so that it cannot be moved to another row
 */
export function seal(key: Buffer, context: string, content: Uint8Array): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context))
  return Buffer.concat([nonce, cipher.update(content), cipher.final(), cipher.getAuthTag()])
}

/** @throws Error when it was sealed under another key or for another context, or was changed */
export function unseal(key: Buffer, context: string, sealed: Buffer): Buffer {
  const tagAt = sealed.length - TAG_BYTES
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE_BYTES))
    .setAAD(Buffer.from(context))
    .setAuthTag(sealed.subarray(tagAt))
  return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, tagAt)), decipher.final()])
}
