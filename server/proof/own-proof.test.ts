import { beforeEach, expect, test } from 'vitest'
import { sealBooks } from '#server/ledger/sealer.ts'
import { mostOwnTransactions, type OwnProof, ownProof } from '#shared/contract/proof.ts'
import { newWithdrawal } from '#shared/contract/withdrawals.ts'
import { allowPostingsWithoutRecords } from '#test/support/database.ts'
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

test('of many transactions the proof comes in parts of one and the same log', async () => {
  const ann = await world.person('Ann')
  await allowPostingsWithoutRecords(world.database)
  await world.owner(`SELECT ledger.post(ROW (uuidv7(), 'deposit.settled', 'deposit', uuidv7(), NULL, NULL, NULL),
      ARRAY[ROW (1, ledger.firm(), 'exchange', '${ann.id}'::uuid, 'available', 'USD', 100)::ledger.leg])
    FROM generate_series(1, ${2 * mostOwnTransactions + 1})`)
  await endEpoch()
  const first = await proofOf(ann)
  const size = first.checkpoint.split('\n')[1]!
  await world.fund(ann, 100_00n)
  await endEpoch()
  const parts = [first]
  for (let { next } = first; next !== null; next = parts.at(-1)!.next) {
    const { data } = await world.call(ownProof, ann, { query: { from: next, size } })
    parts.push(data as OwnProof)
  }
  expect(parts.map(({ transactions }) => transactions.length)).toEqual([1000, 1000, 1])
  const transactions = parts.flatMap(part => part.transactions)
  expect(checked({ ...first, transactions }).total).toBe(2_001_00n)
  expect(() => checked(first)).toThrow('the published total has')
  const none = await world.call(ownProof, ann, { query: { size: '7' } })
  expect([none.status, none.code]).toEqual([400, 'invalid_input'])
})

test('reading a proof writes nothing', async () => {
  const [ann, eve] = [await world.person('Ann'), await world.person('Eve')]
  await world.fund(ann, 100_00n)
  await endEpoch()
  const secrets = () => world.owner('SELECT user_id, sealed_secret FROM app.proof_secrets ORDER BY 1')
  const before = (await secrets()).rows
  expect(checked(await proofOf(eve)).total).toBe(0n)
  expect(await proofOf(await world.person('Late'))).toBeNull()
  expect((await secrets()).rows).toEqual(before)
})
