import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { checkBooks } from '#server/ledger/invariants.ts'
import { sealBooks } from '#server/ledger/sealer.ts'
import { lockKeys } from '#server/platform/database/lock-keys.ts'
import { proofStatus } from '#shared/contract/proof-status.ts'
import { atEnd } from '#test/support/clean-up.ts'
import { publishedFiles } from '#test/support/published-files.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'
import { nodeHashes } from '#verifier/node-hashes.mjs'
import { parsePolicy } from '#verifier/policy.mjs'
import { visitOnce } from '#verifier/test/run-audit.ts'
import { RunningWitness } from '#verifier/test/running-witness.ts'
import { publishToBucket } from './bucket.ts'
import { type LogOptions, writeLog } from './epochs.ts'
import { proofFile } from './files.ts'
import { publishTo } from './folder.ts'
import { markOf } from './mark.ts'
import { outsideChecks } from './outside-checks.ts'
import { pendingReceipts } from './receipts.ts'
import { submitNewest } from './witnesses.ts'

/** What others have of the log, against a database that was restored to an earlier time. */

let world: World
let errors: string[]
let folder: string
beforeEach(async () => {
  world = await openWorld()
  errors = []
  folder = mkdtempSync(join(tmpdir(), 'probity-restored-'))
  const made = folder
  atEnd(() => rmSync(made, { recursive: true }))
})

type Others = { bucket?: string; policy?: string }

/** The product on a machine of its own, with these others. */
function on(machine: string, { bucket, policy = 'quorum none\n' }: Others = {}) {
  const error = (_facts: unknown, text: string) => void errors.push(text)
  return {
    ...world.services,
    log: { ...world.services.log, error, warn: () => {} } as unknown as LogOptions['log'],
    config: {
      ...world.services.config,
      dataDir: join(folder, machine),
      bucket: bucket === undefined ? null : { url: bucket, region: 'r', id: 'i', secret: 's' },
      witnesses: { text: policy, policy: parsePolicy(policy, nodeHashes) },
    },
  }
}

async function endEpoch(services: LogOptions): Promise<number | null> {
  await world.fund(await world.person('Ann'), 100_00n)
  await sealBooks(world.services)
  return await writeLog(services, { closeNow: true })
}

/** Takes the second epoch out of the database, as a restore to the time before it does. */
async function restore(): Promise<void> {
  const guards = (state: string) =>
    ['log', 'epochs', 'epoch_files', 'log_progress', 'cosignatures']
      .map(table => `ALTER TABLE ledger.${table} ${state} TRIGGER USER;`)
      .join('')
  await world.owner(`${guards('DISABLE')}
    DELETE FROM app.proof_copies; DELETE FROM ledger.cosignatures; DELETE FROM ledger.epoch_files WHERE epoch = 2;
    DELETE FROM ledger.epoch_parts WHERE epoch = 2; DELETE FROM ledger.epochs WHERE number = 2;
    DELETE FROM ledger.log WHERE index >= 2; DELETE FROM app.witnesses;
    UPDATE ledger.log_progress SET size = 2, epoch_from = 2; ${guards('ENABLE')}`)
}

/** A store that takes everything, and waits with its answers while asked to. */
class Store {
  readonly objects = new Map<string, Buffer>()
  hasBeenAsked = false
  #waiting: Promise<void> | undefined

  /** @returns to let it answer */
  holdAnswers(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting = promise
    return resolve
  }

  async listen(): Promise<string> {
    const server = createServer(async (request, response) => {
      const parts = []
      for await (const part of request) parts.push(part)
      this.hasBeenAsked = true
      await this.#waiting
      if (request.method === 'PUT') this.objects.set(request.url!, Buffer.concat(parts))
      const found = this.objects.get(request.url!)
      const isRead = request.method === 'GET'
      response.writeHead(found ? 200 : 404, { 'content-length': found?.length ?? 0 }).end(isRead ? found : '')
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    atEnd(() => void server.close())
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/proof`
  }
}

async function newWitness(): Promise<{ line: string; witness: RunningWitness }> {
  const file = (await proofFile(world.services.pool, 'vkey'))!
  const vkey = (await file.read(0, file.bytes)).toString().trim()
  const witness = await new RunningWitness([vkey], 'witness.example').start()
  atEnd(() => witness.forget())
  return { witness, line: `witness w ${witness.vkey} ${witness.url}\nquorum w\n` }
}

test.each(['bucket', 'witness', 'machine', 'folder'] as const)(
  'a fork written after a restore is refused by what its %s has',
  async what => {
    await endEpoch(on('first'))
    const bucket = await new Store().listen()
    const { line } = await newWitness()
    await endEpoch(on('first'))
    const copies = join(folder, 'copy')
    await publishTo(world.services.pool, copies)
    expect(await publishToBucket(on('first', { bucket }) as typeof world.services)).toBeGreaterThan(0)
    await submitNewest(on('first', { policy: line }))
    await restore()
    for (let epoch = 0; epoch < 2; epoch++) expect(await endEpoch(on('second'))).toBe(1)
    const words = {
      bucket: "no epoch is signed: the log's first 4 leaves are not those of the copy",
      witness:
        'no epoch is signed: the witness witness.example says: the log does not continue what it has cosigned (422)',
      machine: "no epoch is signed: the log's first 4 leaves are not those that were published",
    }
    if (what === 'folder')
      return await expect(publishTo(world.services.pool, copies)).rejects.toThrow(
        "the log's first 4 leaves are not those of the copy",
      )
    const asked = { bucket: { bucket }, witness: { policy: line }, machine: {} }[what]
    expect(await endEpoch(on(what === 'machine' ? 'first' : 'third', asked))).toBeNull()
    expect(errors.at(-1)).toBe(`${words[what]} (docs/operate.md, Public proof)`)
  },
)

describe('a database restored to before its first epoch', () => {
  let mark: string
  let ann: Person
  const markNow = () => readFileSync(markOf(join(folder, 'first')), 'utf8')
  const keys = async () => (await world.owner('SELECT FROM app.proof_keys')).rowCount
  beforeEach(async () => {
    await endEpoch(on('first'))
    mark = markNow()
    world = await openWorld()
    ann = await world.person('Ann')
    await world.fund(ann, 100_00n)
  })
  const refusal = () => {
    const vkey = mark.slice(0, mark.indexOf('\n'))
    return `no epoch is signed: this machine has published the log of the key ${vkey}, which the database does not know (docs/operate.md, Public proof)`
  }

  test('signs no second log, and makes no key for one, where the first was published', async () => {
    expect(await endEpoch(on('first'))).toBeNull()
    expect(errors).toEqual([refusal()])
    expect((await world.call(proofStatus, world.admin)).data.problems).toMatchObject([{ kind: 'signing' }])
    expect(await pendingReceipts(on('first'), ann.id, { number: 1n, size: 0n })).toEqual([])
    expect(await keys()).toBe(0)
    expect(markNow()).toBe(mark)
    rmSync(markOf(join(folder, 'first')))
    expect(await endEpoch(on('first'))).toBe(1)
  })

  test('leaves the mark of the first log, even if another machine began a second', async () => {
    expect(await endEpoch(on('second'))).toBe(1)
    expect(await endEpoch(on('first'))).toBeNull()
    await sealBooks(world.services)
    expect(await writeLog(on('first'))).toBeNull()
    expect(errors).toEqual([refusal(), refusal()])
    expect(markNow()).toBe(mark)
  })
})

test('the log vouches for no epoch that somebody else ended, until it is removed', async () => {
  await endEpoch(on('first'))
  const { rows } = await world.owner('SELECT checkpoint FROM ledger.epochs')
  await endEpoch(on('second'))
  await world.owner(`ALTER TABLE ledger.epochs DISABLE TRIGGER USER;
    UPDATE ledger.epochs SET checkpoint = regexp_replace(checkpoint, '.{8}=\n$', E'AAAAAAAA=\n') WHERE number = 2;
    ALTER TABLE ledger.epochs ENABLE TRIGGER USER`)
  expect(await endEpoch(on('second'))).toBeNull()
  const problem = 'the signature of 127.0.0.1:3000/proof on the checkpoint is forged'
  expect(errors).toEqual([
    `no epoch is signed: the newest epoch was not signed here: ${problem} (docs/operate.md, Public proof)`,
  ])
  const checks = async () =>
    (await checkBooks(world.services.pool, on('second').log, outsideChecks(world.services.config))).checks
  expect((await checks()).filter(({ faults }) => faults > 0)).toMatchObject([
    { name: 'checkpoints_signed', examples: [{ epoch: 2, problem }] },
  ])
  await expect(world.services.pool.query('SELECT ledger.remove_epochs(2)')).rejects.toThrow(
    'permission denied',
  )
  await expect(world.owner('SELECT ledger.remove_epochs(4)')).rejects.toThrow('there is no epoch 3')
  await world.owner('SELECT ledger.remove_epochs(2)')
  expect((await checks()).filter(({ faults }) => faults > 0)).toEqual([])
  expect(await endEpoch(on('first'))).toBe(1)
  expect((await checks()).filter(({ faults }) => faults > 0)).toEqual([])
  const { exitCode } = await visitOnce(await publishedFiles(world.services.pool), { now: world.clock.now() })
  expect(exitCode).toBe(0)
  const kept = await world.owner('SELECT checkpoint FROM ledger.epochs WHERE number = 1')
  expect(kept.rows).toEqual(rows)
})

test('an epoch that nobody signed is copied nowhere, so that its removal is no fork', async () => {
  const copies = join(folder, 'copy')
  const bucket = await new Store().listen()
  const first = on('first', { bucket })
  await endEpoch(first)
  const mark = readFileSync(markOf(join(folder, 'first')), 'utf8')
  // As a thief of the application's login ends it.
  await endEpoch(on('thief'))
  await world.owner(`ALTER TABLE ledger.epochs DISABLE TRIGGER USER;
    UPDATE ledger.epochs SET checkpoint = regexp_replace(checkpoint, '.{8}=\n$', E'AAAAAAAA=\n') WHERE number = 2;
    ALTER TABLE ledger.epochs ENABLE TRIGGER USER`)
  const problem =
    'the newest epoch was not signed here: the signature of 127.0.0.1:3000/proof on the checkpoint is forged'
  expect(await writeLog(first)).toBeNull()
  expect(readFileSync(markOf(join(folder, 'first')), 'utf8')).toBe(mark)
  await expect(publishTo(world.services.pool, copies)).rejects.toThrow(problem)
  expect(await publishToBucket(first as typeof world.services)).toBe(0)
  const advice = `${problem} (docs/operate.md, Public proof)`
  expect(errors).toEqual([`no epoch is signed: ${advice}`, `nothing is copied to the bucket: ${advice}`])
  await world.owner('SELECT ledger.remove_epochs(2)')
  expect(await endEpoch(first)).toBe(1)
  expect(await publishTo(world.services.pool, copies)).toBeGreaterThan(0)
  expect(await publishToBucket(first as typeof world.services)).toBeGreaterThan(0)
  expect(errors).toHaveLength(2)
})

test('a witness or bucket that is slow holds no lock; what it says is of that time', async () => {
  await endEpoch(on('first'))
  const store = new Store()
  const bucket = await store.listen()
  const answer = store.holdAnswers()
  const waiting = endEpoch(
    on('first', { bucket, policy: `witness w ${(await newWitness()).witness.vkey} ${bucket}\nquorum w\n` }),
  )
  await expect.poll(() => store.hasBeenAsked).toBe(true)
  const { rows } = await world.owner(`
    SELECT (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%') AS transactions,
           (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = ${lockKeys.publicLog}
             AND database = (SELECT oid FROM pg_database WHERE datname = current_database())) AS locks`)
  expect(rows).toEqual([{ transactions: 0n, locks: 0n }])
  expect(await endEpoch(on('first'))).toBe(1)
  answer()
  expect(await waiting).toBeNull()
  expect(errors.filter(text => text.includes('no epoch is signed'))).toEqual([])
  expect(await endEpoch(on('first', { bucket }))).toBe(1)
})
