// @ts-check
import { base64, utf8 } from './bytes.mjs'

/** Leaves of a firm that publishes totals only: a salted hash in place of the transaction. */

/** @typedef {import('./bytes.mjs').Hashes} Hashes */

const CLOSED = /^; sealed:[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=\n\n$/
export const SALT_BYTES = 32

/** @param {string} leaf */
export function isClosed(leaf) {
  return CLOSED.test(leaf)
}

/**
 * What the log has of a transaction: its text or, under a salt, a hash of both.
 * @param {Hashes} hashes
 * @param {{ leaf: string, salt: Uint8Array | null }} transaction
 */
export function publishedLeaf(hashes, { leaf, salt }) {
  if (salt === null) return leaf
  const text = utf8(leaf)
  const salted = new Uint8Array(salt.length + text.length)
  salted.set(salt)
  salted.set(text, salt.length)
  return `; sealed:${base64(hashes.sha256(salted))}\n\n`
}
