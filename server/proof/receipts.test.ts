import { beforeEach, expect, test } from 'vitest'
import { sealBooks } from '#server/ledger/sealer.ts'
import { noticeWriter } from '#server/notifications/deliver.ts'
import { addressOf } from '#shared/call-address.ts'
import { listOwnDeposits } from '#shared/contract/deposits.ts'
import { statement, statementPdf } from '#shared/contract/ledger.ts'
import { type OwnProof, ownProof, ownReceipt } from '#shared/contract/proof.ts'
import { newWithdrawal } from '#shared/contract/withdrawals.ts'
import { readPdf } from '#test/support/pdf.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'
import { parseEpoch } from '#verifier/epoch.mjs'
import { parseSavedProof } from '#verifier/investor.mjs'
import { nodeHashes } from '#verifier/node-hashes.mjs'
import { parseVerifierKey } from '#verifier/note.mjs'
import { tidied } from '#verifier/promises.mjs'
import { checkOwnReceipts, openReceipt } from '#verifier/receipts.mjs'
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

async function proofOf(person: Person): Promise<OwnProof> {
  return (await world.call(ownProof, person, { query: { since: '0' } })).data as OwnProof
}

function download(id: string, person: Person) {
  const url = addressOf(ownReceipt, { params: { id } })
  return world.app.inject({ url, headers: { authorization: `Bearer ${world.tokenOf(person)}` } })
}

const fileOf = async (name: string) => (await world.app.inject({ url: `/proof/${name}` })).body.trim()

test('every line of a statement has a receipt, and the published key has signed it', async () => {
  const wallet = { wallet: 'Bitcoin (BTC)', address: 'mzYW7o4b2Jh9vPY4MpUCD86mrU1vf7qKXT' } as const
  await world.call(newWithdrawal, ann, { body: { amount: 40.5, ...wallet } })
  const { data: lines } = await world.call(statement, ann)
  expect(lines).toHaveLength(3)
  for (const line of lines) {
    const { headers, body } = await download(line._id, ann)
    expect(headers['content-type']).toBe('text/plain; charset=utf-8')
    const key = parseVerifierKey(await fileOf('receipts-vkey'), nodeHashes)
    const receipt = openReceipt(body, key, nodeHashes)
    expect(receipt).toMatchObject({ owner: ann.id, kind: line.account, event: line.event })
    expect(receipt).toMatchObject({
      amount: BigInt(Math.round(line.amount * 100)),
      balance: BigInt(Math.round(line.balance * 100)),
    })
    expect(headers['content-disposition']).toContain(`receipt-${receipt.kind}-${receipt.version}.txt`)
    expect((await download(line._id, ann)).body).toBe(body)
  }
})

test("another's receipt is refused as a missing one is", async () => {
  const { data } = await world.call(statement, ann)
  const refused = await download(data[0]!._id, await world.person('Ben'))
  expect(refused.statusCode).toBe(403)
  expect((await download('999999999', ann)).json()).toEqual(refused.json())
})

test('each epoch seals the key of receipts, and it is not the key of the log', async () => {
  await endEpoch()
  const vkey = await fileOf('receipts-vkey')
  const proof = await proofOf(ann)
  expect(parseEpoch(proof.epoch.leaf).receipts).toBe(vkey)
  const [own, log] = [vkey, proof.vkey].map(text => parseVerifierKey(text, nodeHashes))
  expect(own!.name).toBe(`${log!.name}/receipts`)
  expect(own!.publicKey).not.toEqual(log!.publicKey)
})

test('a proof brings the receipts that its checkpoint does not hold yet', async () => {
  await endEpoch()
  expect((await proofOf(ann)).receipts).toEqual([])
  await world.fund(ann, 100_00n)
  await sealBooks(world.services)
  await writeLog(world.services)
  const before = await proofOf(ann)
  expect(before.receipts).toHaveLength(1)
  const checked = (proof: OwnProof, receipts: string[]) => {
    const saved = parseSavedProof(JSON.stringify(proof))
    return checkOwnReceipts(receipts, saved, parseEpoch(saved.epoch.leaf), nodeHashes)
  }
  expect(checked(before, before.receipts)).toEqual({ sealed: 0, pending: 1, earlier: 0 })
  await endEpoch()
  expect(checked(await proofOf(ann), before.receipts)).toEqual({ sealed: 1, pending: 0, earlier: 0 })
})

test('emails about money bring the receipt and the head of the log', async () => {
  await endEpoch()
  const [deposit] = (await world.call(listOwnDeposits, ann)).data
  const email = (await noticeWriter(world.services)({ notice: 'deposit.approved', id: deposit!._id }))!
  const key = parseVerifierKey(await fileOf('receipts-vkey'), nodeHashes)
  const receipt = openReceipt(tidied(email.text), key, nodeHashes)
  expect(receipt).toMatchObject({
    owner: ann.id,
    kind: 'available',
    amount: 100_00n,
    event: 'deposit.settled',
  })
  expect(email.html).toContain(`sealed-by: ${receipt.sealedBy}`)
  const [, size, root] = (await fileOf('checkpoint')).split('\n')
  for (const form of [email.text, email.html]) expect(form).toContain(`${size}:${root}`)
  const requested = await noticeWriter(world.services)({ notice: 'deposit.declined', id: deposit!._id })
  expect(requested!.text).not.toContain('probity-receipt')
})

test('a PDF statement ends with the head of the log', async () => {
  const pdf = async () => {
    const url = addressOf(statementPdf, { query: {} })
    const answer = await world.app.inject({ url, headers: { authorization: `Bearer ${world.tokenOf(ann)}` } })
    return (await readPdf(answer.rawPayload)).pages.flat().join('')
  }
  expect(await pdf()).not.toContain('Public log')
  await endEpoch()
  const [, size, root] = (await fileOf('checkpoint')).split('\n')
  expect((await pdf()).replaceAll(/\s/g, '')).toContain(`${size}:${root}`)
})
