import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { sealBooks } from '#server/ledger/sealer.ts'
import { getReturn, newReturn } from '#shared/contract/returns.ts'
import { openWorld, type World } from '#test/support/world.ts'
import { writeLog } from './epochs.ts'
import { proofFile } from './files.ts'

const pdf = (text: string) => Buffer.from(`%PDF-1.7\n${text}\ntrailer <<>>\nstartxref\n9\n%%EOF\n`)
const sha256 = (content: Buffer | string) => createHash('sha256').update(content).digest('hex')

async function record(world: World, file: Buffer | undefined): Promise<string> {
  let evidence: object = { evidence: 'https://example.com/notice' }
  if (file !== undefined) {
    const { data } = (
      await world.app.inject({
        method: 'POST',
        url: '/api/return/evidence?name=rent.pdf',
        headers: {
          'content-type': 'application/pdf',
          authorization: `Bearer ${await world.tokenOf(world.admin)}`,
        },
        payload: file,
      })
    ).json()
    evidence = { evidenceFile: data._id }
  }
  const body = { amount: 100, source: 'Rent of a hall', realisedAt: '2026-03-01', ...evidence }
  return (await world.call(newReturn, world.admin, { body })).data._id
}

async function endEpoch(world: World): Promise<void> {
  await sealBooks(world.services)
  expect(await writeLog(world.services, { closeNow: true })).toBe(1)
}

async function published(world: World, path: string): Promise<string | undefined> {
  const file = await proofFile(world.services.pool, path)
  return file && (await file.read(0, file.bytes)).toString()
}

test('an epoch seals the hash of each document of the returns that it records', async () => {
  const world = await openWorld()
  const files = [pdf('first'), pdf('second')]
  await record(world, files[0])
  await record(world, files[1])
  await record(world, undefined)
  await endEpoch(world)
  const listing = await published(world, 'epochs/1/evidence.txt')
  expect(listing).toBe(
    files
      .map(file => `${sha256(file)}\n`)
      .toSorted()
      .join(''),
  )
  const { rows } = await world.owner('SELECT leaf FROM ledger.log ORDER BY index DESC LIMIT 1')
  expect(rows[0].leaf.toString()).toContain(`\n; evidence: sha256=${sha256(listing!)}\n; verifier: sha256=`)

  await record(world, undefined)
  await endEpoch(world)
  expect(await published(world, 'epochs/2/evidence.txt')).toBeUndefined()
})

test('a return says which epoch has sealed it', async () => {
  const world = await openWorld()
  const sealedIn = async (id: string) =>
    (await world.call(getReturn, world.admin, { params: { id } })).data.sealedInEpoch
  const first = await record(world, pdf('first'))
  expect(await sealedIn(first)).toBeNull()
  await endEpoch(world)
  const second = await record(world, undefined)
  await sealBooks(world.services)
  await writeLog(world.services)
  expect([await sealedIn(first), await sealedIn(second)]).toEqual([1, null])
  await endEpoch(world)
  expect([await sealedIn(first), await sealedIn(second)]).toEqual([1, 2])
})
