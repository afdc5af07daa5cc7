// @ts-check
import { base64 } from './bytes.mjs'

/** @typedef {import('./investor.mjs').IncludedLeaf} IncludedLeaf */

/**
 * That a leaf is in the log of a checkpoint, for other people's programs (c2sp.org/tlog-proof).
 * @param {Pick<IncludedLeaf, 'index' | 'path'>} leaf
 * @param {string} checkpoint the signed note, with its cosignatures
 */
export function tlogProof({ index, path }, checkpoint) {
  const hashes = path.map(hash => `${base64(hash)}\n`).join('')
  return `c2sp.org/tlog-proof@v1\nindex ${index}\n${hashes}\n${checkpoint}`
}
