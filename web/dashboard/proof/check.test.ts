import { sign } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type { OwnProof } from '#shared/contract/proof.ts'
import { nodeHashes } from '#verifier/node-hashes.mjs'
import { keyStatement } from '#verifier/test/key-statement.ts'
import { type Files, firmsDays, newKey, publish, savedProof, write } from '#verifier/test/made-up-firm.ts'
import type { Proof } from '#verifier/test/proof-changes.ts'
import * as changing from '#verifier/test/proof-changes.ts'
import { cosign, type Signer, signerIn } from '#verifier/witness-key.mjs'
import { checkProof, type Outcome, type Receipt, type Seen } from './check.ts'

/** What an investor's device finds, with the witness's own code. */

const key = newKey()
const books = write(firmsDays(4))
const files = publish(books, key)
const earlier = publish({ drafts: books.drafts.slice(0, 3) }, key)

const folder = mkdtempSync(join(tmpdir(), 'witness-keys-'))
afterAll(() => rmSync(folder, { recursive: true }))
const ann = await signerIn(join(folder, 'ann'), 'ann.example/witness')
const ben = await signerIn(join(folder, 'ben'), 'ben.example/witness')
const policy = `log ${key.vkey}\nwitness ann ${ann.vkey}\nwitness ben ${ben.vkey}\nquorum ann\n`

const noteIn = (published: Files) => published.get('checkpoint')!.toString()
const textOf = (note: string) => note.slice(0, note.indexOf('\n\n') + 1)
const lineOf = (by: Signer, { of = files, at = new Date() } = {}) => cosign(by, textOf(noteIn(of)), at)

const withLines = (note: string, lines: string[]) => note + lines.map(line => `${line}\n`).join('')

/** What the first investor finds whose checkpoint has these lines, when everybody gets this one. */
function checked(
  lines: string[],
  by: string | undefined = policy,
  published = withLines(noteIn(files), lines),
  receipts: Receipt[] = [],
) {
  const saved = savedProof(books, 0, files, key)
  const checkpoint = withLines(noteIn(files), lines)
  const made = { ...saved, checkpoint, consistency: [], receipts: [], next: null }
  return checkProof(
    {
      owner: saved.owner,
      proof: made as unknown as OwnProof,
      published,
      policy: by,
      seen: undefined,
      heard: undefined,
      isContinued: false,
      receipts,
      today: '2026-10-05',
    },
    nodeHashes,
  )
}

test('names the witnesses that have cosigned, and no others', () => {
  expect(checked([lineOf(ann), lineOf(ben)])).toMatchObject({ holds: true, witnesses: [ann.name, ben.name] })
  expect(checked([lineOf(ben)])).toMatchObject({ holds: true, witnesses: [ben.name] })
  expect(checked([])).toMatchObject({ holds: true, witnesses: [] })
  expect(checked([lineOf(ann)], '')).toMatchObject({ holds: false, step: 'witnesses' })
  expect(checked([lineOf(ann)], 'quorum none\n')).toMatchObject({ holds: true, witnesses: [] })
})

test('counts the newer lines of the account, for which it has receipts', () => {
  const { owner } = savedProof(books, 0, files, key)
  const receipts = [receiptOf(owner), receiptOf('019a0000-0000-7000-8000-00000000000f')]
  expect(checked([], policy, undefined, receipts)).toMatchObject({ holds: true, waiting: 1, receipts })
  expect(checked([])).toMatchObject({ holds: true, waiting: 0 })
})

/** For a line that is due on the day after the check. */
function receiptOf(owner: string): Receipt {
  const origin = noteIn(files).split('\n')[0]!
  const { keyId, privateKey, vkey } = newKey(`${origin}/receipts`)
  const text = `probity-receipt/v1\nlog: ${origin}\nowner: ${owner}\nkind: available\nasset: USD\nversion: 90000
amount: 12345\nbalance: 12345\nevent: deposit.settled\ndate: 2026-10-05\nsealed-by: 2026-10-06\n`
  const signature = Buffer.concat([keyId, sign(null, Buffer.from(text), privateKey)]).toString('base64')
  return { vkey, note: `${text}\n— ${origin}/receipts ${signature}\n` }
}

test('judges the cosignatures of what the investor gets, not of what everybody gets', () => {
  const everybodys = withLines(noteIn(files), [lineOf(ann)])
  expect(checked([], policy, everybodys)).toMatchObject({ holds: true, witnesses: [] })
  expect(checked([forged(lineOf(ann))], policy, everybodys)).toMatchObject({
    holds: false,
    step: 'witnesses',
  })
})

test('a log of another size than everybody gets is another log', () => {
  const everybodys = withLines(noteIn(earlier), [lineOf(ann, { of: earlier })])
  expect(checked([lineOf(ann)], policy, everybodys)).toMatchObject({
    holds: false,
    step: 'public',
    reason: expect.stringMatching(/^your log has \d+ leaves, and everybody else's \d+$/),
  })
})

/** One bit of it is another. */
function forged(line: string): string {
  const [, name, encoded] = line.split(' ')
  const bytes = Buffer.from(encoded!, 'base64')
  bytes[40]! ^= 1
  return `— ${name} ${bytes.toString('base64')}`
}

const inAnHour = () => new Date(Date.now() + 3_600_000)

test.each([
  ['a forged cosignature', () => forged(lineOf(ann)), 'the cosignature of ann.example/witness is forged'],
  [
    'a cosignature of an earlier checkpoint',
    () => lineOf(ann, { of: earlier }),
    'the cosignature of ann.example/witness is forged',
  ],
  [
    "another witness's cosignature under its name",
    () => {
      const [, , own] = lineOf(ann).split(' ')
      const [, , other] = lineOf(ben).split(' ')
      const id = Buffer.from(own!, 'base64').subarray(0, 4)
      return `— ${ann.name} ${Buffer.concat([id, Buffer.from(other!, 'base64').subarray(4)]).toString('base64')}`
    },
    'the cosignature of ann.example/witness is forged',
  ],
  [
    'a cosignature from the future',
    () => lineOf(ann, { at: inAnHour() }),
    'the cosignature of ann.example/witness is dated in the future',
  ],
])('refuses %s, beside a good one', (_kind, line, reason) => {
  expect(checked([lineOf(ben), line()])).toMatchObject({ holds: false, step: 'witnesses', reason })
})

/** What the device of the investor finds who is logged in as `owner`, without an earlier check. */
function foundIn(proof: Proof, { owner = proof.owner, today = '2026-10-07' } = {}) {
  const given = { ...proof, consistency: [], receipts: [], next: null }
  return checkProof(
    {
      owner,
      proof: given as unknown as OwnProof,
      published: changing.files.get('checkpoint')!.toString(),
      policy: undefined,
      seen: undefined,
      heard: undefined,
      isContinued: false,
      receipts: [],
      today,
    },
    nodeHashes,
  )
}

test('an unchanged proof holds, and names the address that it is bound to', () => {
  const proof = changing.proofOf(0)
  expect(foundIn(proof)).toMatchObject({ holds: true, email: proof.email })
})

test.each(changing.changes)('a change of %s fails on the device', (_kind, _says, change) => {
  const proof = changing.proofOf(0)
  const { owner } = proof
  change(proof)
  expect(foundIn(proof, { owner })).toMatchObject({ holds: false, reason: expect.stringMatching(/./) })
})

test("another investor's whole proof is not taken for one's own", () => {
  const { owner } = changing.proofOf(1)
  expect(foundIn(changing.proofOf(0), { owner })).toMatchObject({
    holds: false,
    step: 'lines',
    reason: 'you were given the lines of another account',
  })
})

test('books that have stopped fail on the fourth day', () => {
  const proof = changing.proofOf(0)
  const { day } = foundIn(proof) as Outcome & { holds: true }
  const after = (days: number) => new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10)
  expect(foundIn(proof, { today: after(3) })).toMatchObject({ holds: true })
  expect(foundIn(proof, { today: after(4) })).toMatchObject({ holds: false, step: 'recent' })
})

test('a device follows planned rotations, and any other only with the key it is given', () => {
  const next = newKey()
  const now = publish(books, next)
  const proof = { ...savedProof(books, 0, now, next), consistency: [], receipts: [], next: null }
  const seen = { vkey: key.vkey, checkpoint: noteIn(files) }
  const found = (keys: string, { heard, before = seen }: { heard?: string; before?: Seen } = {}) =>
    checkProof(
      {
        owner: proof.owner,
        proof: { ...proof, keys } as unknown as OwnProof,
        published: noteIn(now),
        policy: undefined,
        seen: before,
        heard,
        isContinued: false,
        receipts: [],
        today: '2026-10-05',
      },
      nodeHashes,
    )
  const by = { from: key, to: next }
  expect(found(keyStatement(by))).toMatchObject({ holds: true, seen: { vkey: next.vkey } })
  for (const [keys, reason] of [
    [keyStatement({ ...by, reason: 'stolen', signers: [next] }), 'was replaced as stolen'],
    [keyStatement({ ...by, signers: [next] }), 'has no signature of the key'],
    ['', 'the one known here is'],
  ] as const)
    expect(found(keys)).toMatchObject({
      holds: false,
      step: 'signature',
      isKeyUnknown: !reason.includes('no signature'),
      reason: expect.stringContaining(reason),
    })
  const lost = keyStatement({ ...by, reason: 'lost', signers: [next] })
  expect(found(lost, { heard: next.vkey })).toMatchObject({ holds: true, seen: { vkey: next.vkey } })
  expect(found(lost, { heard: newKey().vkey })).toMatchObject({
    holds: false,
    isKeyUnknown: true,
    reason: expect.stringContaining('the key that you entered is not the one of these books'),
  })
  // A key that is heard does not excuse another history.
  const other = { vkey: key.vkey, checkpoint: noteIn(publish(write(firmsDays(4, 60)), key)) }
  expect(found(lost, { heard: next.vkey, before: other })).toMatchObject({
    holds: false,
    step: 'continuation',
  })
})
