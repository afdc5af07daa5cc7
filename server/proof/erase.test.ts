import { beforeEach, expect, test } from 'vitest'
import { cleanUp } from '#server/jobs/clean-up.ts'
import { sealBooks } from '#server/ledger/sealer.ts'
import { noticeWriter } from '#server/notifications/deliver.ts'
import { addressOf } from '#shared/call-address.ts'
import { eraseProofSecret, freezeUser, getUser } from '#shared/contract/console.ts'
import { listOwnDeposits } from '#shared/contract/deposits.ts'
import { statement } from '#shared/contract/ledger.ts'
import { type OwnProof, ownProof, ownReceipt } from '#shared/contract/proof.ts'
import { listAudit } from '#shared/contract/site.ts'
import { approveWithdrawal, newWithdrawal, payWithdrawal } from '#shared/contract/withdrawals.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'
import { checkSavedProof, parseSavedProof } from '#verifier/investor.mjs'
import { nodeHashes } from '#verifier/node-hashes.mjs'
import { parseVerifierKey } from '#verifier/note.mjs'
import { writeLog } from './epochs.ts'

let world: World
let ann: Person
beforeEach(async () => {
  world = await openWorld()
  ann = await world.person('Ann')
  await world.fund(ann, 100_00n)
})

async function endEpoch(): Promise<void> {
  await sealBooks(world.services)
  expect(await writeLog(world.services, { closeNow: true })).toBe(1)
}

async function payOut(): Promise<void> {
  const wallet = { wallet: 'Bitcoin (BTC)', address: 'mzYW7o4b2Jh9vPY4MpUCD86mrU1vf7qKXT' } as const
  const { data } = await world.call(newWithdrawal, ann, { body: { amount: 100, ...wallet } })
  const params = { id: data._id }
  await world.call(approveWithdrawal, world.admin, { params })
  await world.call(payWithdrawal, world.secondAdmin, { params, body: { transactionId: 'f00d'.repeat(16) } })
}

const freeze = () =>
  world.call(freezeUser, world.admin, { params: { id: ann.id }, body: { reason: 'Asked to leave' } })

function erase(by = world.admin, email = ann.email) {
  const body = { reason: 'Asked for by the owner', email }
  return world.call(eraseProofSecret, by, { params: { id: ann.id }, body })
}

const proof = () => world.call(ownProof, ann, { query: { since: '0' } })
const reasonOf = async (answer: ReturnType<typeof erase>) => (await answer).reason

test('erasing ends every proof but one saved before, for good', async () => {
  await payOut()
  await endEpoch()
  const saved = (await proof()).data as OwnProof
  await freeze()
  expect((await erase()).status).toBe(200)
  const refused = await proof()
  expect([refused.status, refused.reason]).toEqual([409, 'secret_erased'])
  const kept = parseSavedProof(JSON.stringify(saved))
  expect(checkSavedProof(kept, parseVerifierKey(kept.vkey, nodeHashes), nodeHashes).total).toBe(0n)
  const { data } = await world.call(getUser, world.admin, { params: { id: ann.id } })
  expect(data.proofErasedAt).not.toBeNull()
  const { data: lines } = await world.call(listAudit, world.admin, {
    query: { status: 'account.proof_erased', limit: 1 },
  })
  expect(lines[0]).toMatchObject({ subject: ann.id, reason: 'Asked for by the owner' })
  expect(await reasonOf(erase())).toBe('already_erased')
  await endEpoch()
  expect((await proof()).reason).toBe('secret_erased')
})

test('no part of a tree is tied to the investor afterwards', async () => {
  await endEpoch()
  await payOut()
  await endEpoch()
  const partsOf = async () =>
    (await world.owner(`SELECT FROM ledger.epoch_parts WHERE owner = '${ann.id}'`)).rowCount
  expect(await partsOf()).toBe(1)
  await freeze()
  await erase()
  expect(await partsOf()).toBe(0)
})

test('the secret stays while there is money, or an entry is not published', async () => {
  await endEpoch()
  expect(await reasonOf(erase())).toBe('not_frozen')
  await payOut()
  await freeze()
  expect(await reasonOf(erase())).toBe('not_published')
  await endEpoch()
  const other = await erase(world.admin, 'other@probity.test')
  expect([other.status, Object.keys(other.fields ?? {})]).toEqual([400, ['email']])
  expect((await erase(await world.person('Sue', 'support'))).status).toBe(403)
  expect((await proof()).status).toBe(200)
  expect((await erase()).status).toBe(200)
})

test('an account with money keeps its secret', async () => {
  await endEpoch()
  await freeze()
  expect(await reasonOf(erase())).toBe('has_money')
})

test('no receipt is signed that the log can never keep', async () => {
  await payOut()
  await endEpoch()
  const { data: lines } = await world.call(statement, ann)
  const download = async () => {
    const headers = { authorization: `Bearer ${world.tokenOf(ann)}` }
    const url = addressOf(ownReceipt, { params: { id: lines[0]!._id } })
    return await world.app.inject({ url, headers })
  }
  const [deposit] = (await world.call(listOwnDeposits, ann)).data
  const email = async () =>
    (await noticeWriter(world.services)({ notice: 'deposit.approved', id: deposit!._id }))!.text
  expect((await download()).statusCode).toBe(200)
  expect(await email()).toContain('probity-receipt/v1')
  await freeze()
  await erase()
  const refused = await download()
  expect([refused.statusCode, refused.json().reason]).toEqual([409, 'secret_erased'])
  expect(await email()).not.toContain('probity-receipt/v1')
})

test('nobody restores an erased secret', async () => {
  await payOut()
  await endEpoch()
  await freeze()
  await erase()
  const restored = `UPDATE app.proof_secrets SET sealed_secret = '\\x00', erased_at = NULL WHERE user_id = '${ann.id}'`
  await expect(world.services.pool.query(restored)).rejects.toThrow('permission denied')
  await expect(world.owner(restored)).rejects.toThrow('stays erased')
})

test("the application's role erases no secret that may not be erased", async () => {
  await endEpoch()
  const { pool } = world.services
  const kept = async () =>
    (await world.owner('SELECT FROM app.proof_secrets WHERE erased_at IS NULL')).rowCount
  for (const statement of [
    'UPDATE app.proof_secrets SET sealed_secret = NULL, erased_at = now()',
    "UPDATE app.proof_secrets SET sealed_secret = '\\x00'",
    "INSERT INTO app.proof_secrets (user_id, erased_at) SELECT id, now() FROM app.users WHERE type = 'admin'",
    'DELETE FROM app.proof_secrets',
  ])
    await expect(pool.query(statement), statement).rejects.toThrow('permission denied')
  const asked = 'SELECT app.erase_proof_secret(user_id, now()) AS refusal FROM app.proof_secrets'
  expect((await pool.query(asked)).rows).toEqual([{ refusal: 'not_frozen' }])
  await freeze()
  expect((await pool.query(asked)).rows).toEqual([{ refusal: 'has_money' }])
  const bob = await world.person('Bob')
  await world.call(freezeUser, world.admin, { params: { id: bob.id }, body: { reason: 'Asked to leave' } })
  expect((await pool.query('SELECT app.erase_proof_secret($1, now()) AS refusal', [bob.id])).rows).toEqual([
    { refusal: 'nothing_published' },
  ])
  expect(await kept()).toBe(1)
})

test('a secret that the application overwrites is kept for a month, then deleted', async () => {
  await endEpoch()
  const secrets = async (of: string) => (await world.owner(`SELECT ${of}`)).rows
  const [before] = await secrets('sealed_secret AS sealed FROM app.proof_secrets')
  const junk = "SELECT app.reseal_proof_secret(user_id, sealed_secret, '\\x00') FROM app.proof_secrets"
  await world.services.pool.query(junk)
  await expect(world.services.pool.query('SELECT FROM app.former_proof_seals')).rejects.toThrow(
    'permission denied',
  )
  expect(await secrets('sealed FROM app.former_proof_seals')).toEqual([before])
  await world.owner("UPDATE app.former_proof_seals SET replaced_at = now() - interval '31 days'")
  await cleanUp(world.services)
  expect(await secrets('sealed FROM app.former_proof_seals')).toEqual([])
  await world.services.pool.query(
    "SELECT app.reseal_proof_secret(user_id, '\\x00', '\\x01') FROM app.proof_secrets",
  )
  await cleanUp(world.services)
  expect(await secrets('sealed FROM app.former_proof_seals')).toEqual([{ sealed: Buffer.of(0) }])
})
