import { ed25519 } from '@noble/curves/ed25519.js'
import { hmac } from '@noble/hashes/hmac.js'
import { sha256 as nobleSha256 } from '@noble/hashes/sha2.js'
import { expect, test } from 'vitest'
import { checkSavedProof, parseSavedProof } from '#verifier/investor.mjs'
import {
  consistencyRanges,
  inclusionRanges,
  leafHash,
  verifyConsistency,
  verifyInclusion,
} from '#verifier/merkle.mjs'
import { nodeHashes } from '#verifier/node-hashes.mjs'
import { parseVerifierKey } from '#verifier/note.mjs'
import { proofFromTiles, tilePath, tilesOf } from '#verifier/tiles.mjs'
import {
  firmsDays,
  newKey,
  pathOf,
  publish,
  savedProof,
  sha256,
  tilesOfLeaves,
  treeHash,
  write,
} from './made-up-firm.ts'

/** Proofs that a browser makes from a few tiles, instead of reading the log. */

const leaves = Array.from({ length: 70_000 }, (_, index) => `leaf ${index}`)
const hashes = leaves.map(leaf => Buffer.from(leafHash(nodeHashes, Buffer.from(leaf))))

function proof(
  ranges: { from: number; to: number }[],
  size: number,
  tiles = tilesOfLeaves(leaves.slice(0, size)),
) {
  const needed = tilesOf(ranges, size).map(tilePath)
  expect(new Set(needed).size).toBe(needed.length)
  return proofFromTiles(nodeHashes, ranges, size, tile => {
    expect(needed).toContain(tilePath(tile))
    const found = tiles.get(tilePath(tile))
    if (found === undefined) throw new Error(`the log publishes no ${tilePath(tile)}`)
    return found
  })
}

test.each([
  [0, 1],
  [0, 2],
  [2, 3],
  [255, 256],
  [256, 257],
  [300, 700],
  [69_999, 70_000],
  [25_604, 70_000],
])('a few tiles prove leaf %i of %i', (index, size) => {
  const path = proof(inclusionRanges(index, size), size)
  expect(path.map(hash => Buffer.from(hash))).toEqual(pathOf(index, hashes.slice(0, size)))
  const root = treeHash(hashes.slice(0, size))
  verifyInclusion(nodeHashes, { index, size, leaf: hashes[index]!, path, root })
  const wrong = [
    { leaf: sha256('x') },
    { index: index + 1 },
    { root: sha256('x') },
    { path: [...path, sha256('x')] },
    ...(path.length > 0 ? [{ path: path.slice(1) }] : []),
  ]
  for (const change of wrong)
    expect(() =>
      verifyInclusion(nodeHashes, { index, size, leaf: hashes[index]!, path, root, ...change }),
    ).toThrow('is not in the log')
})

test('every log of up to 40 leaves is proven to continue every earlier one', () => {
  for (let size = 1; size <= 40; size += 1) {
    const tiles = tilesOfLeaves(leaves.slice(0, size))
    for (let old = 0; old <= size; old += 1) {
      const path = proof(consistencyRanges(old, size), size, tiles)
      const before = { size: old, root: treeHash(hashes.slice(0, old)) }
      const now = { size, root: treeHash(hashes.slice(0, size)) }
      verifyConsistency(nodeHashes, before, now, path)
      if (old === 0) continue
      const another = { size: old, root: sha256('another history') }
      expect(() => verifyConsistency(nodeHashes, another, now, path)).toThrow('does not continue')
      const later = { size, root: sha256('another history') }
      if (old < size)
        expect(() => verifyConsistency(nodeHashes, before, later, path)).toThrow('does not continue')
    }
  }
})

test('a few tiles prove that a long log continues a shorter one', () => {
  const [old, size] = [23_333, 70_000]
  const path = proof(consistencyRanges(old, size), size)
  expect(tilesOf(consistencyRanges(old, size), size).length).toBeLessThan(6)
  const head = (count: number) => ({ size: count, root: treeHash(hashes.slice(0, count)) })
  verifyConsistency(nodeHashes, head(old), head(size), path)
  expect(() => verifyConsistency(nodeHashes, head(old + 1), head(size), path)).toThrow('does not continue')
})

test("an investor's check gives the same with the hashes of a browser", () => {
  const browserHashes = {
    sha256: nobleSha256,
    hmacSha256: (key: Uint8Array, bytes: Uint8Array) => hmac(nobleSha256, key, bytes),
    ed25519Verify: (signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array) =>
      ed25519.verify(signature, message, publicKey),
  }
  const key = newKey()
  const books = write(firmsDays(3))
  const saved = JSON.stringify(savedProof(books, 2, publish(books, key), key))
  const [inNode, inBrowser] = [nodeHashes, browserHashes].map(platform =>
    checkSavedProof(parseSavedProof(saved), parseVerifierKey(key.vkey, platform), platform),
  )
  expect(inBrowser!.total).toBe(inNode!.total)
  const forged = saved.replace('"owner":"019a', '"owner":"019b')
  expect(() =>
    checkSavedProof(parseSavedProof(forged), parseVerifierKey(key.vkey, browserHashes), browserHashes),
  ).toThrow('the tag of line')
})
