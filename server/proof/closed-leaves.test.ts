import { beforeEach, describe, expect, test } from 'vitest'
import { checkBooks } from '#server/ledger/invariants.ts'
import { sealBooks } from '#server/ledger/sealer.ts'
import { type OwnProof, ownProof } from '#shared/contract/proof.ts'
import { publishedFiles } from '#test/support/published-files.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'
import { checkSavedProof, parseSavedProof } from '#verifier/investor.mjs'
import { nodeHashes } from '#verifier/node-hashes.mjs'
import { parseVerifierKey } from '#verifier/note.mjs'
import { Opening } from '#verifier/opening.mjs'
import { expectListed } from '#verifier/test/mutation-table.ts'
import { visitOnce } from '#verifier/test/run-audit.ts'
import { writeLog } from './epochs.ts'
import { outsideChecks } from './outside-checks.ts'
import { overviewOf } from './overview.ts'

/** A firm that closes its transactions after its first epoch. */

let world: World
let ann: Person
let auditor: Person
beforeEach(async () => {
  world = await openWorld()
  ann = await world.person('Ann')
  auditor = await world.person('Olga', 'auditor')
  const bob = await world.person('Bob')
  for (const person of [ann, bob]) await world.fund(person, 100_00n)
  await endEpoch({ closedLeaves: false })
  for (const person of [ann, bob, ann]) await world.fund(person, 250_00n)
  await endEpoch({ closedLeaves: true })
})

async function endEpoch({ closedLeaves }: { closedLeaves: boolean }): Promise<void> {
  await sealBooks(world.services)
  const config = { ...world.services.config, closedLeaves }
  expect(await writeLog({ ...world.services, config }, { closeNow: true })).toBe(1)
}

async function verify(opening?: string) {
  const rows = opening?.split('\n').slice(0, -1) ?? []
  return await visitOnce(await publishedFiles(world.services.pool), {
    now: world.clock.now(),
    ...(opening === undefined ? {} : { opening: new Opening(nodeHashes, () => rows.shift() ?? null) }),
  })
}

async function download(): Promise<string> {
  const headers = { authorization: `Bearer ${world.tokenOf(auditor)}` }
  return (await world.app.inject({ url: '/api/proof/opening', headers })).body
}

async function proofOf(person: Person): Promise<OwnProof> {
  const { data } = await world.call(ownProof, person, { query: {} })
  return data as OwnProof
}

/** As the verifier does with a file that an investor saved. */
function checked(proof: OwnProof) {
  const saved = parseSavedProof(JSON.stringify(proof))
  return checkSavedProof(saved, parseVerifierKey(saved.vkey, nodeHashes), nodeHashes)
}

test('publishes no text of a closed transaction, and the verifier says what it sees', async () => {
  const files = await publishedFiles(world.services.pool)
  const entries = files.get('tile/entries/000.p/7')!.toString('latin1')
  expect(entries.match(/\* "deposit\.settled"/g)).toHaveLength(2)
  expect(entries.match(/; sealed:\S{44}\n\n/g)).toHaveLength(3)
  const { audit, exitCode, report } = await verify()
  expect(audit.findings.failures).toEqual([])
  expect(exitCode).toBe(0)
  expect(audit.log).toMatchObject({ closed: 3, closedSince: 2 })
  expect(report).toMatch(/Closed: 3 of 5 transactions, since epoch 2/)
})

test.each([true, false])('no epoch is signed with leaves against the setting %s', async closedLeaves => {
  await world.fund(ann, 100_00n)
  await endEpoch({ closedLeaves })
  await world.fund(ann, 100_00n)
  await sealBooks(world.services)
  // As a thief of the application's login adds Ann's deposit.
  await world.services.pool.query('SELECT ledger.log_transactions(1, $1, $2, $2, $3)', [
    Buffer.alloc(32),
    world.clock.now(),
    closedLeaves ? null : [Buffer.alloc(32)],
  ])
  const { rows } = await world.owner('SELECT max(index) AS index FROM ledger.log')
  const errors: string[] = []
  const error = (_facts: unknown, text: string) => void errors.push(text)
  const log = { ...world.services.log, error } as typeof world.services.log
  const config = { ...world.services.config, closedLeaves }
  expect(await writeLog({ ...world.services, config, log }, { closeNow: true })).toBeNull()
  const state = closedLeaves ? 'open' : 'closed'
  expect(errors).toEqual([
    `no epoch is signed: leaf ${rows[0].index} is ${state}, against PROOF_CLOSED_LEAVES (docs/operate.md, Public proof)`,
  ])
  const violated = async () =>
    (await checkBooks(world.services.pool, log, outsideChecks(config))).checks.filter(
      check => check.faults > 0,
    )
  expect(await violated()).toMatchObject([
    { name: 'leaves_closed_as_set', examples: [{ leaf: Number(rows[0].index), closed: !closedLeaves }] },
  ])
  await world.owner('SELECT ledger.remove_epochs(4)')
  await endEpoch({ closedLeaves })
  expect(await violated()).toEqual([])
})

test('an epoch in which the setting was changed has leaves of both kinds', async () => {
  await world.fund(ann, 100_00n)
  await sealBooks(world.services)
  const config = { ...world.services.config, closedLeaves: true }
  expect(await writeLog({ ...world.services, config })).toBe(0)
  await world.fund(ann, 100_00n)
  await endEpoch({ closedLeaves: false })
})

test('the page of the proof says since when transactions are closed', async () => {
  const { isClosed, log } = await overviewOf(world.services)
  const day = world.clock.now().toISOString().slice(0, 10)
  expect({ isClosed, closedSince: log?.closedSince }).toEqual({
    isClosed: false,
    closedSince: { epoch: 2, day },
  })
  const config = { ...world.services.config, closedLeaves: true }
  expect(await overviewOf({ ...world.services, config })).toMatchObject({ isClosed: true })
})

test('a firm that opens its books again goes on with the same log', async () => {
  await world.fund(ann, 150_00n)
  await endEpoch({ closedLeaves: false })
  const { audit } = await verify()
  expect(audit.findings.failures).toEqual([])
  expect(audit.log).toMatchObject({ closed: 3, closedSince: 2 })
})

test('an investor proves their balance with the salts of their own transactions', async () => {
  const proof = await proofOf(ann)
  expect(proof.transactions.map(({ salt }) => salt.length)).toEqual([0, 44, 44])
  expect(checked(proof).total).toBe(600_00n)
})

describe('an investor’s check refuses', () => {
  type Transaction = OwnProof['transactions'][number]
  test.each<[string, (transaction: Transaction) => void]>([
    ['a saved proof with another salt', own => (own.salt = `${'A'.repeat(43)}=`)],
    ['a saved proof of another transaction', own => (own.leaf = own.leaf.replaceAll('250.00', '260.00'))],
  ])('%s', async (kind, change) => {
    expectListed(kind)
    const proof = await proofOf(ann)
    change(proof.transactions[1]!)
    expect(() => checked(proof)).toThrow('is not in the log')
  })
})

test('the opening opens closed transactions too, and all is computed again', async () => {
  const opening = await download()
  expect(opening.match(/^text /gm)).toHaveLength(3)
  const { audit, report } = await verify(opening)
  expect(audit.findings.failures).toEqual([])
  expect(audit.log).toMatchObject({ closed: 0 })
  expect(report).toContain('All holds')
  expect(report).toContain('3 closed transactions opened, each as it was sealed')
})

const secondText = (change: (words: string[]) => string[] | null) => (opening: string) => {
  const row = opening.match(/^text .*\n/gm)![1]!
  const words = change(row.trimEnd().split(' '))
  return opening.replace(row, words === null ? '' : `${words.join(' ')}\n`)
}

describe('the verifier names', () => {
  test.each<[string, (opening: string) => string]>([
    [
      'a closed leaf opened as another transaction',
      secondText(([text, leaf, salt]) => [text!, leaf!, salt!, Buffer.from('another').toString('base64')]),
    ],
    [
      'a closed leaf opened with another salt',
      secondText(([text, leaf, , content]) => [text!, leaf!, `${'A'.repeat(43)}=`, content!]),
    ],
    ['a closed leaf that is not opened', secondText(() => null)],
  ])('%s', async (kind, change) => {
    expectListed(kind)
    const { audit } = await verify(change(await download()))
    expect(audit.findings.failures).toContainEqual({
      check: 'opening',
      message: expect.stringMatching(/leaf 4 is closed, and not opened as what was sealed/),
    })
  })
})

test('what opens a leaf fits it and stays, also for the application’s role', async () => {
  const { pool } = world.services
  await expect(pool.query('UPDATE ledger.log SET salt = NULL, opened = NULL')).rejects.toThrow(
    /permission denied/,
  )
  await expect(world.owner('UPDATE ledger.log SET salt = NULL, opened = NULL')).rejects.toThrow(/stays/)
  const salted = `INSERT INTO ledger.log (index, transaction_id, leaf, salt, opened)
                  VALUES (99, uuidv7(), '; sealed:x', sha256('salt'), 'text')`
  await expect(world.owner(salted)).rejects.toThrow(/violates check constraint/)
})
