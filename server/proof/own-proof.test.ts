import { beforeEach, expect, test } from 'vitest'
import { sealBooks } from '#server/ledger/sealer.ts'
import { type OwnProof, ownProof } from '#shared/contract/proof.ts'
import { newWithdrawal } from '#shared/contract/withdrawals.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'
import { checkSavedProof, parseSavedProof } from '#verifier/investor.mjs'
import { verifyConsistency } from '#verifier/merkle.mjs'
import { nodeHashes } from '#verifier/node-hashes.mjs'
import { openCheckpoint, parseVerifierKey } from '#verifier/note.mjs'
import { writeLog } from './epochs.ts'

let world: World
beforeEach(async () => {
  world = await openWorld()
})

async function endEpoch(): Promise<void> {
  await sealBooks(world.services)
  expect(await writeLog(world.services, { closeNow: true })).toBe(1)
}

async function proofOf(person: Person, since = '0'): Promise<OwnProof> {
  const { data } = await world.call(ownProof, person, { query: { since } })
  return data as OwnProof
}

/** As the verifier does with a file that an investor saved. */
function checked(proof: OwnProof) {
  const saved = parseSavedProof(JSON.stringify(proof))
  return checkSavedProof(saved, parseVerifierKey(saved.vkey, nodeHashes), nodeHashes)
}

const wallet = { wallet: 'Bitcoin (BTC)', address: 'mzYW7o4b2Jh9vPY4MpUCD86mrU1vf7qKXT' } as const

test('before the first epoch ends there is nothing to check', async () => {
  const ann = await world.person('Ann')
  await world.fund(ann, 100_00n)
  expect(await proofOf(ann)).toBeNull()
})

test("the verifier finds an investor's balance in the published total, among others", async () => {
  const [ann, ben, eve] = [await world.person('Ann'), await world.person('Ben'), await world.person('Eve')]
  for (const person of [ann, ben, ann, ann]) await world.fund(person, 200_00n)
  await world.call(newWithdrawal, ann, { body: { amount: 40.5, ...wallet } })
  await endEpoch()
  const { balances, total, epoch } = checked(await proofOf(ann))
  expect({ balances, total }).toEqual({
    balances: { available: 559_50n, held: 40_50n, invested: 0n },
    total: 600_00n,
  })
  expect(epoch.liabilities?.sum).toBe(800_00n)
  expect(checked(await proofOf(ben)).total).toBe(200_00n)
  expect(checked(await proofOf(eve)).total).toBe(0n)
})

test('nobody else is proved by the same lines and parts', async () => {
  const [ann, ben] = [await world.person('Ann'), await world.person('Ben')]
  for (const person of [ann, ben]) await world.fund(person, 200_00n)
  await endEpoch()
  const [first, other] = [await proofOf(ann), await proofOf(ben)]
  expect(() => checked({ ...other, shares: first.shares })).toThrow('is not in the tree of liabilities')
  expect(() => checked({ ...other, transactions: first.transactions })).toThrow(
    "not the one of this investor's entry",
  )
})

test('each epoch continues the log that the investor saw before', async () => {
  const ann = await world.person('Ann')
  await world.fund(ann, 100_00n)
  await endEpoch()
  const before = await proofOf(ann)
  for (let more = 0; more < 3; more++) await world.fund(ann, 100_00n)
  await endEpoch()
  const headOf = ({ vkey, checkpoint }: OwnProof) =>
    openCheckpoint(checkpoint, parseVerifierKey(vkey, nodeHashes), nodeHashes)
  const after = await proofOf(ann, headOf(before).size.toString())
  const path = after.consistency.map(hash => Buffer.from(hash, 'base64'))
  verifyConsistency(nodeHashes, headOf(before), headOf(after), path)
  const forged = { ...headOf(before), root: Buffer.alloc(32) }
  expect(() => verifyConsistency(nodeHashes, forged, headOf(after), path)).toThrow('does not continue')
})

test('a proof holds in a long log, at every level of its tiles', async () => {
  const ann = await world.person('Ann')
  // After 300 leaves of others come two of Ann's epoch.
  for (const [from, to] of [
    [0, 300],
    [302, 70_000],
  ]) {
    await world.owner(`
      SELECT ledger.add_to_log(${from}, array_agg(NULL::uuid), array_agg(convert_to('; other', 'UTF8')))
        FROM generate_series(${from}, ${to} - 1);
      UPDATE ledger.log_progress SET size = ${to}, epoch_from = ${to}`)
    await world.fund(ann, 100_00n)
    await endEpoch()
  }
  expect(checked(await proofOf(ann)).total).toBe(200_00n)
})
