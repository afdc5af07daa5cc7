import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { checkBooks, checkNewBooks } from '#server/ledger/invariants.ts'
import { sealBooks } from '#server/ledger/sealer.ts'
import { ownProof, proofOverview } from '#shared/contract/proof.ts'
import { atEnd } from '#test/support/clean-up.ts'
import { Cosigner } from '#test/support/cosigner.ts'
import { allEnded } from '#test/support/database.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'
import { parseNote } from '#verifier/note.mjs'
import { storeCosignature } from './cosignatures.ts'
import { writeLog } from './epochs.ts'
import { proofFile } from './files.ts'
import { publishTo } from './folder.ts'
import { outsideChecks } from './outside-checks.ts'

/** Cosignatures are stored for good, and published as further lines of their checkpoint. */

let world: World
beforeEach(async () => {
  world = await openWorld()
})

const witness = new Cosigner('witness.example')

/** @returns the investor whose deposit is in it */
async function endEpoch(): Promise<Person> {
  const ann = await world.person('Ann')
  await world.fund(ann, 100_00n)
  await sealBooks(world.services)
  await writeLog(world.services, { closeNow: true })
  return ann
}

/** Stores a cosignature of epoch 1, or what else is given. @returns its line */
async function cosign(
  by = witness,
  given: { epoch?: bigint; line?: string; vkey?: string; cosignedAt?: Date } = {},
): Promise<string> {
  const now = world.clock.now()
  const line = by.line(await published('checkpoint'), now)
  const cosignature = { epoch: 1n, kind: 'witness', vkey: by.vkey, line, cosignedAt: now, ...given } as const
  await storeCosignature(world.services.pool, cosignature, now)
  return cosignature.line
}

async function published(path: string): Promise<string> {
  const file = await proofFile(world.services.pool, path)
  expect([file!.kind, file!.immutable]).toEqual(['text', false])
  return (await file!.read(0, file!.bytes)).toString()
}

test('a cosignature is a further line wherever its checkpoint is published', async () => {
  const ann = await endEpoch()
  const note = await published('checkpoint')
  const first = await cosign()
  world.clock.pass({ minutes: 1 })
  const second = await cosign(new Cosigner('second.example'))
  const cosigned = `${note}${first}\n${second}\n`
  expect(await published('checkpoint')).toBe(cosigned)
  expect(await published('epochs/1/checkpoint')).toBe(cosigned)
  const { log } = (await world.call(proofOverview, null)).data
  expect(log?.checkpoint).toBe(cosigned)
  expect(log?.cosigners.map(({ name, kind, epoch }) => ({ name, kind, epoch }))).toEqual([
    { name: 'second.example', kind: 'witness', epoch: 1 },
    { name: 'witness.example', kind: 'witness', epoch: 1 },
  ])
  const proof = await world.call(ownProof, ann, { query: { since: '0' } })
  expect(proof.data?.checkpoint).toBe(cosigned)
})

test('a published folder gains the cosignatures that came later', async () => {
  await endEpoch()
  await endEpoch()
  const folder = mkdtempSync(join(tmpdir(), 'probity-cosigned-'))
  atEnd(() => rmSync(folder, { recursive: true, force: true }))
  await publishTo(world.services.pool, folder)
  const [first, second] = [await published('epochs/1/checkpoint'), await published('checkpoint')]
  const line = await cosign(witness, { epoch: 1n })
  const other = await cosign(witness, { epoch: 2n })
  expect(await publishTo(world.services.pool, folder)).toBe(3)
  const read = (path: string) => readFileSync(join(folder, path), 'utf8')
  expect(read('epochs/1/checkpoint')).toBe(`${first}${line}\n`)
  expect([read('epochs/2/checkpoint'), read('checkpoint')]).toEqual(Array(2).fill(`${second}${other}\n`))
  expect(await publishTo(world.services.pool, folder)).toBe(0)
})

test('the first cosignature of a key stays, and none can be changed or removed', async () => {
  await endEpoch()
  const line = await cosign()
  world.clock.pass({ minutes: 1 })
  await cosign()
  expect((await published('checkpoint')).split('\n').slice(-2)).toEqual([line, ''])
  const { pool } = world.services
  for (const statement of ["UPDATE ledger.cosignatures SET line = 'x'", 'DELETE FROM ledger.cosignatures']) {
    await expect(pool.query(statement), statement).rejects.toThrow(/permission denied/)
    await expect(world.owner(statement), statement).rejects.toThrow('cosignatures of the public log stay')
  }
})

const other = new Cosigner('other.example')
test.each([
  ['two lines', () => ({ line: '— witness.example AAAA\n— x AAAA' })],
  ["another's line", async () => ({ line: other.line(await published('checkpoint'), world.clock.now()) })],
  ["another's key under its name", () => ({ vkey: other.vkey.replace('other', 'witness') })],
  ['another time', () => ({ cosignedAt: new Date(world.clock.now().getTime() + 2000) })],
  ['a word', () => ({ line: '— witness.example AAAA' })],
])('what is no cosignature is refused: %s', async (_kind, given) => {
  await endEpoch()
  await expect(cosign(witness, await given())).rejects.toThrow(
    'refused: this is not a cosignature of witness.example',
  )
})

test('a key that no setting names is no auditor, and fails the check of the books', async () => {
  await endEpoch()
  const stranger = new Cosigner('auditor.example')
  const now = world.clock.now()
  const line = stranger.line(await published('checkpoint'), now)
  const { pool, config, log: silent } = world.services
  const { vkey } = stranger
  await storeCosignature(pool, { epoch: 1n, kind: 'auditor', vkey, line, cosignedAt: now }, now)
  const auditors = async () => (await world.call(proofOverview, null)).data.log?.cosigners
  const violated = async (given = {}) =>
    (await checkBooks(pool, silent, outsideChecks({ ...config, ...given }))).checks.filter(
      check => check.faults > 0,
    )
  expect(await auditors()).toEqual([])
  expect(await violated()).toMatchObject([
    {
      name: 'checkpoints_signed',
      examples: [{ epoch: 1, problem: `no setting names the cosigner ${vkey}` }],
    },
  ])
  expect(await violated({ formerCosigners: [vkey] })).toEqual([])
  Object.assign(config, { auditor: vkey })
  expect(await violated()).toEqual([])
  expect(await auditors()).toMatchObject([{ name: 'auditor.example', kind: 'auditor' }])
})

test('a check of what is new names a cosigner that no setting names any more', async () => {
  await endEpoch()
  await cosign()
  const { pool, config, log } = world.services
  const keeper = { secrets: config, now: world.clock.now() }
  await allEnded(pool)
  const ofWitness = { ...config, formerCosigners: [witness.vkey] }
  expect((await checkBooks(pool, log, outsideChecks(ofWitness), keeper)).ok).toBe(true)
  const { since, checks } = await checkNewBooks(pool, log, outsideChecks(config), keeper)
  expect(since).not.toBe(null)
  const problem = `no setting names the cosigner ${witness.vkey}`
  expect(checks.find(({ name }) => name === 'checkpoints_signed')).toMatchObject({
    examined: 0,
    examples: [{ epoch: 1, problem }],
  })
})

test('an epoch that has not ended is cosigned by nobody', async () => {
  await endEpoch()
  await expect(cosign(witness, { epoch: 7n })).rejects.toThrow(/violates foreign key/)
})

test('a checkpoint never has more cosignatures than verifiers read', async () => {
  await endEpoch()
  const { rows } = await world.owner('SELECT ledger.most_cosignatures() AS most')
  const { most } = rows[0]!
  for (let n = 0; n < most; n++) await cosign(new Cosigner(`w${n}.example`))
  await expect(cosign()).rejects.toThrow(`refused: the checkpoint of epoch 1 has ${most} cosignatures`)
  expect(parseNote(await published('checkpoint')).signatures).toHaveLength(most + 1)
})
