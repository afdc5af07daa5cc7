import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { sealBooks } from '#server/ledger/sealer.ts'
import { ownProof, proofOverview } from '#shared/contract/proof.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'
import { storeCosignature } from './cosignatures.ts'
import { writeLog } from './epochs.ts'
import { proofFile } from './files.ts'
import { publishTo } from './folder.ts'

/** Cosignatures are stored for good, and published as further lines of their checkpoint. */

let world: World
beforeEach(async () => {
  world = await openWorld()
})

const vkey = 'witness.example+1a2b3c4d+BAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'
const line = '— witness.example AAAA'

/** @returns the investor whose deposit is in it */
async function endEpoch(): Promise<Person> {
  const ann = await world.person('Ann')
  await world.fund(ann, 100_00n)
  await sealBooks(world.services)
  await writeLog(world.services, { closeNow: true })
  return ann
}

async function cosign(cosignature: { epoch?: bigint; line?: string; vkey?: string } = {}): Promise<void> {
  const now = world.clock.now()
  const given = { epoch: 1n, kind: 'witness', vkey, line, cosignedAt: now, ...cosignature } as const
  await storeCosignature(world.services.pool, given, now)
}

async function published(path: string): Promise<string> {
  const file = await proofFile(world.services.pool, path)
  expect([file!.kind, file!.immutable]).toEqual(['text', false])
  return (await file!.read(0, file!.bytes)).toString()
}

test('a cosignature is a further line wherever its checkpoint is published', async () => {
  const ann = await endEpoch()
  const note = await published('checkpoint')
  await cosign()
  const other = { vkey: vkey.replace('witness', 'second'), line: line.replace('witness', 'second') }
  world.clock.pass({ minutes: 1 })
  await cosign(other)
  const cosigned = `${note}${line}\n${other.line}\n`
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
  await publishTo(world.services.pool, folder)
  const [first, second] = [await published('epochs/1/checkpoint'), await published('checkpoint')]
  await cosign({ epoch: 1n })
  await cosign({ epoch: 2n })
  expect(await publishTo(world.services.pool, folder)).toBe(3)
  const read = (path: string) => readFileSync(join(folder, path), 'utf8')
  expect(read('epochs/1/checkpoint')).toBe(`${first}${line}\n`)
  expect([read('epochs/2/checkpoint'), read('checkpoint')]).toEqual(Array(2).fill(`${second}${line}\n`))
  expect(await publishTo(world.services.pool, folder)).toBe(0)
})

test('the first cosignature of a key stays, and none can be changed or removed', async () => {
  await endEpoch()
  await cosign()
  await cosign({ line: '— witness.example BBBB' })
  expect((await published('checkpoint')).split('\n').slice(-2)).toEqual([line, ''])
  const { pool } = world.services
  for (const statement of ["UPDATE ledger.cosignatures SET line = 'x'", 'DELETE FROM ledger.cosignatures']) {
    await expect(pool.query(statement), statement).rejects.toThrow(/permission denied/)
    await expect(world.owner(statement), statement).rejects.toThrow('cosignatures of the public log stay')
  }
})

test.each([
  ['two lines', { line: `${line}\n— x AAAA` }],
  ["another key's name", { line: '— other.example AAAA' }],
  ['an epoch that has not ended', { epoch: 7n }],
])('a cosignature of %s is refused', async (_kind, cosignature) => {
  await endEpoch()
  await expect(cosign(cosignature)).rejects.toThrow(/violates/)
})
