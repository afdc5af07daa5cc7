import { expect, test } from 'vitest'
import { checkSavedProof, parseSavedProof } from '#verifier/investor.mjs'
import { nodeHashes } from '#verifier/node-hashes.mjs'
import { parseVerifierKey } from '#verifier/note.mjs'
import { firmsDays, pathOf, publish, savedProof, sha256, write } from './made-up-firm.ts'
import { expectListed } from './mutation-table.ts'
import { books, changes, files, key, type Proof, proofOf } from './proof-changes.ts'

/** One investor's saved proof. */

function check(proof: Proof) {
  return checkSavedProof(
    parseSavedProof(JSON.stringify(proof)),
    parseVerifierKey(key.vkey, nodeHashes),
    nodeHashes,
  )
}

test('the balance of every investor is part of the published total', () => {
  const totals = books.investors.map((_, investor) => check(proofOf(investor)).total)
  expect(totals.reduce((sum, total) => sum + total)).toBe(check(proofOf(0)).epoch.liabilities!.sum)
  expect(totals.every(total => total > 0n)).toBe(true)
})

test('a proof saved after a failed check shows what its device had seen before', () => {
  const kind = 'another history than its device had seen'
  expectListed(kind)
  const seenIn = (published: typeof files) => ({
    seen: { vkey: key.vkey, checkpoint: published.get('checkpoint')!.toString() },
  })
  const saved = proofOf(0)
  expect(() => check({ ...saved, ...seenIn(files) })).not.toThrow()
  const forked = publish(write(firmsDays(6, 60), 512), key)
  expect(() => check({ ...saved, ...seenIn(forked) })).toThrow(
    /^its device had seen a different history, signed with/,
  )
})

test.each(changes)('a change of %s is found and named', (kind, says, change) => {
  expectListed(kind)
  const proof = proofOf(0)
  change(proof)
  expect(() => check(proof)).toThrow(says)
})

test('a total of all balances that the journal does not owe is found and named', () => {
  const last = books.drafts.at(-1)!
  const end = last.end.replace(/(; assert: Liabilities:Investors:Available -)/, '$19')
  const lying = { ...books, drafts: [...books.drafts.slice(0, -1), { ...last, end }] }
  const proof = savedProof(lying, 0, publish(lying, key), key)
  expect(() => check(proof)).toThrow(/the balances of all investors are .*, the journal owes them/)
})

test("an earlier epoch's end is not taken for the newest", () => {
  const leaves = books.drafts.flatMap(({ transactions, end }) => [...transactions, end])
  const { end } = books.drafts[1]!
  const index = leaves.indexOf(end)
  const hashes = leaves.map(leaf => sha256(Buffer.of(0), leaf))
  const path = pathOf(index, hashes).map(hash => hash.toString('base64'))
  const proof = { ...proofOf(0), epoch: { index: String(index), leaf: end, path: path.join('\n') } }
  expect(() => check(proof)).toThrow('the last leaf of the checkpoint is not the end of an epoch')
})
