import { mkdtempSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { sealBooks } from '#server/ledger/sealer.ts'
import { proofStatus } from '#shared/contract/proof-status.ts'
import { atEnd } from '#test/support/clean-up.ts'
import { clearOfTheHour } from '#test/support/hour.ts'
import { openWorld, type World } from '#test/support/world.ts'
import { nodeHashes } from '#verifier/node-hashes.mjs'
import { parsePolicy } from '#verifier/policy.mjs'
import { RunningWitness } from '#verifier/test/running-witness.ts'
import { publishToBucket } from './bucket.ts'
import { writeLog } from './epochs.ts'
import { proofFile } from './files.ts'
import { publishTo } from './folder.ts'
import { problemCount } from './problems.ts'
import { stampNewest } from './stamps.ts'
import { submitNewest } from './witnesses.ts'

/** What the console says about publishing the log. */

/** Short enough for all epochs of a test to end on one day. */
const aMoment = { minutes: 0.05 }

let world: World
beforeEach(async () => {
  await clearOfTheHour()
  world = await openWorld()
})

const status = async () => (await world.call(proofStatus, world.admin)).data
const configure = (config: object) => Object.assign(world.services.config, config)

async function endEpoch(): Promise<number | null> {
  await world.fund(await world.person('Ann'), 100_00n)
  await sealBooks(world.services)
  return await writeLog(world.services, { closeNow: true })
}

async function newWitness(): Promise<RunningWitness> {
  const file = (await proofFile(world.services.pool, 'vkey'))!
  const vkey = (await file.read(0, file.bytes)).toString().trim()
  const witness = await new RunningWitness([vkey], 'witness.example/w1').start()
  atEnd(() => void witness.forget())
  const text = `witness w ${witness.vkey} ${witness.url}\nquorum w\n`
  configure({ witnesses: { text, policy: parsePolicy(text, nodeHashes) } })
  return witness
}

test('before the first epoch nothing is there, and nothing is a problem', async () => {
  const none = { newest: null, witnesses: [], auditors: [], authorities: [], copies: [], problems: [] }
  expect(await status()).toEqual({ nextEndsAt: null, ...none })
})

test('each witness has its newest epoch, and since when it lacks the next', async () => {
  await endEpoch()
  const witness = await newWitness()
  expect((await status()).witnesses).toEqual([
    { name: 'witness.example/w1', state: 'waiting', newest: null, missingSince: null, problem: null },
  ])
  await submitNewest(world.services)
  expect((await status()).witnesses).toMatchObject([
    { state: 'cosigned', newest: { epoch: 1 }, missingSince: null },
  ])
  await witness.stop()
  world.clock.pass(aMoment)
  const before = world.clock.now().toISOString()
  await endEpoch()
  const after = world.clock.now().toISOString()
  world.clock.pass(aMoment)
  await endEpoch()
  await submitNewest(world.services).catch(() => undefined)
  const { newest, witnesses } = await status()
  expect(newest).toMatchObject({ epoch: 3, size: 6 })
  expect(witnesses).toMatchObject([
    { state: 'unreachable', newest: { epoch: 1 }, problem: expect.any(String) },
  ])
  const { missingSince } = witnesses[0]!
  expect([before, missingSince, after].toSorted()).toEqual([before, missingSince, after])
})

test('a refused signature is a problem from the first refusal until an epoch is signed', async () => {
  await endEpoch()
  const published = join(world.services.config.dataDir, 'published-checkpoint')
  const ahead = `${(await status()).newest!.size + 100}\n${'A'.repeat(43)}=\n`
  const file = (await proofFile(world.services.pool, 'vkey'))!
  const vkey = (await file.read(0, file.bytes)).toString().trim()
  await writeFile(published, `${vkey}\n${vkey.split('+')[0]}\n${ahead}\n`)
  expect(await endEpoch()).toBeNull()
  const [first] = (await status()).problems
  world.clock.pass(aMoment)
  expect(await endEpoch()).toBeNull()
  const { problems } = await status()
  expect(problems).toEqual([
    {
      kind: 'signing',
      reason: expect.stringContaining('a log of 102 leaves was published'),
      since: first!.since,
    },
  ])
  await writeFile(published, '')
  expect(await endEpoch()).toBe(1)
  expect((await status()).problems).toEqual([])
})

test('a log that cannot be written is a problem until it is, also in the metrics', async () => {
  world.clock.pass({ minutes: -30 })
  await expect(endEpoch()).rejects.toThrow('refused: the clock says')
  await expect(endEpoch()).rejects.toThrow('refused: the clock says')
  const reason = expect.stringContaining('refused: the clock says')
  expect((await status()).problems).toEqual([{ kind: 'writing', reason, since: expect.any(String) }])
  expect(await problemCount(world.services.pool)).toBe(1)
  world.clock.pass({ minutes: 30 })
  expect(await endEpoch()).toBe(1)
  expect((await status()).problems).toEqual([])
  expect(await problemCount(world.services.pool)).toBe(0)
})

test('an epoch that nobody signs an hour after its end is a problem', async () => {
  await endEpoch()
  const { nextEndsAt } = await status()
  const wait = Date.parse(nextEndsAt!) - world.clock.now().getTime()
  world.clock.pass({ minutes: wait / 60_000 + 58 })
  expect((await status()).problems).toEqual([])
  world.clock.pass({ minutes: 3 })
  expect((await status()).problems).toEqual([{ kind: 'overdue', reason: null, since: nextEndsAt }])
})

test('copies say how far they are, and why a bucket or a time stamp failed', async () => {
  await endEpoch()
  const folder = mkdtempSync(join(tmpdir(), 'probity-status-'))
  atEnd(() => rmSync(folder, { recursive: true, force: true }))
  await publishTo(world.services.pool, folder)
  await endEpoch()
  const url = 'http://127.0.0.1:9/bucket'
  const timeAuthority = { url: 'http://127.0.0.1:9', name: '127.0.0.1', certificates: '', policy: null }
  configure({ bucket: { url, region: 'r', id: 'i', secret: 's' }, timeAuthority })
  await expect(publishToBucket(world.services)).rejects.toThrow()
  await expect(stampNewest(world.services)).rejects.toThrow()
  const { copies, authorities } = await status()
  expect(copies).toEqual([
    { place: url, isBucket: true, newest: null, problem: expect.any(String) },
    { place: folder, isBucket: false, newest: { epoch: 1, at: expect.any(String) }, problem: null },
  ])
  expect(authorities).toEqual([
    {
      name: '127.0.0.1',
      isConfigured: true,
      newest: null,
      missingSince: null,
      problem: expect.any(String),
    },
  ])
})

test('a proof of reserves that became too old before it was sealed is a problem', async () => {
  await endEpoch()
  await world.owner(
    `INSERT INTO app.reserve_proofs (id, asked_by, asked_at, epoch, message, published_by, published_at, reserves, prices, cents)
     SELECT gen_random_uuid(), id, now(), 1, 'm', id, now(), '', '', 1 FROM app.users LIMIT 1`,
  )
  expect((await status()).problems).toEqual([])
  await world.owner(
    `INSERT INTO ledger.epochs SELECT number + 1000, size + 1000, root, ended_at, closed_at, transactions, liabilities, tree_leaves, checkpoint
       FROM ledger.epochs`,
  )
  expect((await status()).problems).toMatchObject([{ kind: 'reserves', reason: null }])
})
