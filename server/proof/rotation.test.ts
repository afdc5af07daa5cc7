import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { sealBooks } from '#server/ledger/sealer.ts'
import { type OwnProof, ownProof } from '#shared/contract/proof.ts'
import { atEnd } from '#test/support/clean-up.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'
import { auditLog, chooseKey, publishedKey } from '#verifier/audit.mjs'
import { parseSavedProof } from '#verifier/investor.mjs'
import { nodeHashes } from '#verifier/node-hashes.mjs'
import { parsePolicy } from '#verifier/policy.mjs'
import type { GivenReceipt } from '#verifier/promises.mjs'
import { checkOwnReceipts } from '#verifier/receipts.mjs'
import { exitCode, reportText } from '#verifier/report.mjs'
import { openSource } from '#verifier/source.mjs'
import { State } from '#verifier/state.mjs'
import { RunningWitness } from '#verifier/test/running-witness.ts'
import { type Copy, publish } from './copies.ts'
import { writeLog } from './epochs.ts'
import { proofFile } from './files.ts'
import { folderCopy, publishTo } from './folder.ts'
import { receiptFor } from './receipts.ts'
import { type RotationReason, rotateKey } from './rotation.ts'
import { submitNewest } from './witnesses.ts'

/** Keys that are replaced in the middle of a log, and what those see who knew the old ones. */

let world: World
let ann: Person
let folder: string
beforeEach(async () => {
  world = await openWorld()
  ann = await world.person('Ann')
  const made = mkdtempSync(join(tmpdir(), 'probity-rotation-'))
  atEnd(() => rmSync(made, { recursive: true }))
  folder = made
  await endEpoch()
})

async function endEpoch(services: Parameters<typeof writeLog>[0] = world.services): Promise<void> {
  await world.fund(ann, 100_00n)
  await sealBooks(world.services)
  expect(await writeLog(services, { closeNow: true })).toBe(1)
}

async function rotate(purpose: 'log' | 'receipts', reason: RotationReason = 'planned', by = world) {
  const owner = await by.ownerPool.connect()
  return await rotateKey(by.services, owner, { purpose, reason }).finally(() => owner.release())
}

async function published(path: string): Promise<string> {
  const file = await proofFile(world.services.pool, path)
  return file === undefined ? '' : (await file.read(0, file.bytes)).toString()
}

/** Somebody who comes again with what they remember, and reads the copy in a folder. */
async function visit(given?: string, receipts: GivenReceipt[] = []) {
  await publishTo(world.services.pool, join(folder, 'copy'))
  return await read(given, receipts)
}

async function read(given?: string, receipts: GivenReceipt[] = []) {
  const source = await openSource(join(folder, 'copy'))
  const key = await publishedKey(source)
  const state = new State(join(folder, 'visitor'))
  const pinned = await state.vkey()
  const chosen = chooseKey({ given: given ?? null, pinned, published: key }, nodeHashes)
  if (pinned === null) await state.trust(chosen.vkey)
  const now = world.clock.now()
  const audit = await auditLog(
    { source, site: null, hashes: nodeHashes, now, policy: null, receipts },
    { key: chosen, firstSeen: pinned === null, published: key },
    state,
  )
  return { code: exitCode(audit), report: reportText(audit) }
}

const proofOfAnn = async () => (await world.call(ownProof, ann, { query: { since: '0' } })).data as OwnProof

test('a planned rotation is followed by those who knew the old key, and by copies', async () => {
  expect((await visit()).code).toBe(0)
  const before = await published('vkey')
  const vkey = await rotate('log')
  // Nothing is published of it before its epoch ends.
  expect(await published('vkey')).toBe(before)
  expect(await published('keys')).toBe('')
  await endEpoch()
  expect(await published('vkey')).toBe(`${vkey}\n`)
  const { code, report } = await visit()
  expect(report).toContain("The log's key was replaced on")
  expect(code).toBe(0)
  await endEpoch()
  expect((await visit()).code).toBe(0)
  await expect(proofOfAnn()).resolves.toMatchObject({ vkey, keys: await published('keys') })
})

test.each(['lost', 'stolen'] as const)(
  'a key that was %s is replaced only for those who say so',
  async reason => {
    await visit()
    const vkey = await rotate('log', reason)
    await endEpoch()
    const { code, report } = await visit()
    expect(code).toBe(1)
    expect(report).toContain(`replaced as ${reason}, by a statement that the old key has not signed`)
    expect((await visit(vkey)).code).toBe(0)
    expect((await visit()).code).toBe(0)
    const { rows } = await world.owner(
      'SELECT count(sealed_seed) AS seeds, count(*) AS keys FROM app.proof_keys',
    )
    expect(rows).toEqual([{ seeds: 2n, keys: 3n }])
  },
)

test('the old key signs for thirty days more, so that witnesses with it cosign', async () => {
  const witness = await new RunningWitness([(await published('vkey')).trim()], 'witness.example').start()
  atEnd(() => witness.forget())
  const text = `witness w ${witness.vkey} ${witness.url}\nquorum w\n`
  const config = { ...world.services.config, witnesses: { text, policy: parsePolicy(text, nodeHashes) } }
  const cosigned = async () => {
    await submitNewest({ ...world.services, config }).catch(() => {})
    return (await published('checkpoint')).split('\n').filter(line => line.startsWith('— witness.example '))
  }
  await rotate('log')
  await endEpoch()
  expect(await cosigned()).toHaveLength(1)
  expect((await visit()).code).toBe(0)
  world.clock.pass({ days: 40 })
  await world.refreshPrices()
  await sealBooks(world.services)
  expect(await writeLog(world.services)).toBeGreaterThan(30)
  expect(await cosigned()).toHaveLength(0)
  expect((await visit()).code).toBe(0)
})

test('receipts of an earlier key stay valid, and new ones are of the sealed key', async () => {
  await world.fund(ann, 100_00n)
  const first = await proofOfAnn()
  expect(first.receipts).not.toEqual([])
  await rotate('receipts')
  // Until its epoch ends, receipts are of the key that is sealed.
  expect((await proofOfAnn()).receipts).toEqual(first.receipts)
  await endEpoch()
  expect((await visit()).code).toBe(0)
  await world.fund(ann, 100_00n)
  const saved = parseSavedProof(JSON.stringify(await proofOfAnn()))
  const [leaf] = [saved.epoch.leaf]
  const receipts = /^; receipts: (\S+)$/m.exec(leaf)![1]!
  expect(`${receipts}\n`).toBe(await published('receipts-vkey'))
  const date = /^; date: (\S+)$/m.exec(leaf)![1]!
  const epoch = { receipts, date } as Parameters<typeof checkOwnReceipts>[2]
  // A device keeps the earlier key's receipts, and puts them into the file.
  const kept = [...first.receipts, ...saved.receipts]
  expect(checkOwnReceipts(kept, saved, epoch, nodeHashes)).toEqual({
    sealed: 0,
    pending: 1,
    earlier: first.receipts.length,
  })
  const receiptsGiven = first.receipts.map(note => ({ name: 'kept.txt', note }))
  expect((await visit(undefined, receiptsGiven)).code).toBe(0)
})

test.each(['lost', 'stolen'] as const)(
  'until a key that was %s is replaced, nothing else fails',
  async reason => {
    await rotate('log', reason)
    await world.fund(ann, 100_00n)
    expect((await proofOfAnn()).receipts).toHaveLength(1)
    await rotate('receipts', reason)
    await world.fund(ann, 100_00n)
    expect((await proofOfAnn()).receipts).toEqual([])
    const { rows } = await world.owner('SELECT max(id) AS id FROM ledger.entries WHERE version IS NOT NULL')
    const id = rows[0]!.id.toString()
    await expect(receiptFor(world.services, ann.id, id)).rejects.toMatchObject({ reason: 'no_receipts_key' })
    await endEpoch()
    await expect(receiptFor(world.services, ann.id, id)).resolves.toMatchObject({ note: expect.anything() })
  },
)

test('the seed of a replaced key of receipts is deleted once an epoch seals the next', async () => {
  const seeds = async () => {
    const { rows } = await world.owner(
      "SELECT count(sealed_seed) AS seeds FROM app.proof_keys WHERE purpose = 'receipts'",
    )
    return rows[0]!.seeds
  }
  await rotate('receipts')
  expect(await seeds()).toBe(2n)
  await endEpoch()
  expect(await seeds()).toBe(1n)
})

test("the application's role can neither put back a seed nor exchange two", async () => {
  const { pool } = world.services
  const { rows } = await world.owner("SELECT sealed_seed AS seed FROM app.proof_keys WHERE purpose = 'log'")
  await rotate('log', 'stolen')
  const put = "UPDATE app.proof_keys SET sealed_seed = $1 WHERE purpose = 'log' AND since_epoch = $2"
  await expect(pool.query(put, [rows[0]!.seed, 2])).rejects.toThrow('permission denied')
  await expect(world.ownerPool.query(put, [rows[0]!.seed, 1])).rejects.toThrow(
    'a replaced key signs nothing more',
  )
  await pool.query(
    `SELECT ledger.reseal_proof_key(purpose, since_epoch, sealed_seed, $1) FROM app.proof_keys WHERE purpose = 'log' AND since_epoch = 2`,
    [rows[0]!.seed],
  )
  await world.fund(ann, 100_00n)
  await sealBooks(world.services)
  await expect(writeLog(world.services, { closeNow: true })).rejects.toThrow(
    'is not that of its published key',
  )
  await world.owner(`
    UPDATE app.proof_keys k SET sealed_seed = f.sealed FROM app.former_proof_seals f
     WHERE (f.purpose, f.since_epoch) = (k.purpose, k.since_epoch)`)
  expect(await writeLog(world.services, { closeNow: true })).toBe(1)
})

test("the application's role deletes no seed that still signs", async () => {
  const { pool } = world.services
  const seeds = async () =>
    (await world.owner('SELECT FROM app.proof_keys WHERE sealed_seed IS NOT NULL')).rowCount
  await expect(pool.query('UPDATE app.proof_keys SET sealed_seed = NULL')).rejects.toThrow(
    'permission denied',
  )
  const retire = "SELECT ledger.retire_proof_keys('log', 100), ledger.retire_proof_keys('receipts', 100)"
  await pool.query(retire)
  await rotate('receipts')
  await pool.query(retire)
  expect(await seeds()).toBe(3)
  await endEpoch()
  expect(await seeds()).toBe(2)
})

test("the application's role cannot replace a key", async () => {
  const { pool } = world.services
  for (const statement of [
    `INSERT INTO app.proof_keys (purpose, name, public_key, since_epoch, made_on) VALUES ('log', 'x', sha256('x'), 1, now())`,
    "UPDATE app.proof_keys SET public_key = sha256('x')",
    'DELETE FROM app.proof_keys',
    "SELECT ledger.replace_proof_key(ROW('log', name, sha256('x'), '', 2, now()::date, 'lost', 'x')) FROM app.proof_keys",
  ])
    await expect(pool.query(statement), statement).rejects.toThrow(/permission denied/)
  const before = await published('vkey')
  await pool.query("SELECT ledger.add_first_proof_key('log', 'x', sha256('x'), '', current_date)")
  await endEpoch()
  expect(await published('vkey')).toBe(before)
})

test('a planned rotation waits until the key before it signs no more', async () => {
  await rotate('log')
  await endEpoch()
  const words = /^the key was replaced on .*, and the one before it signs until .*: rotate after that$/
  await expect(rotate('log')).rejects.toThrow(words)
  world.clock.pass({ days: 31 })
  await rotate('log')
  await world.refreshPrices()
  await sealBooks(world.services)
  await writeLog(world.services)
  await rotate('log', 'stolen')
})

test.each(['checkpoint', 'keys', 'vkey'])('a copy that is cut short before %s still holds', async last => {
  await visit()
  await rotate('log')
  await endEpoch()
  const copy = folderCopy(join(folder, 'copy'))
  const write: Copy['write'] = (path, file) =>
    path === last ? Promise.reject(new Error('the disk is full')) : copy.write(path, file)
  await expect(publish(world.services.pool, { ...copy, write })).rejects.toThrow('the disk is full')
  expect((await read()).code).toBe(0)
  expect((await visit()).code).toBe(0)
})

test('a rotation waits for its epoch, and there is one at a time', async () => {
  await rotate('log')
  await expect(rotate('log')).rejects.toThrow('the key was replaced already')
  const empty = await openWorld()
  await expect(rotate('log', 'planned', empty)).rejects.toThrow('no epoch has ended')
})
