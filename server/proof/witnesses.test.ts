import { writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { witnessPolicyErrors, witnessPolicyOf } from '#server/config/witness-policy.ts'
import { sealBooks } from '#server/ledger/sealer.ts'
import { openWorld, type World } from '#test/support/world.ts'
import { nodeHashes } from '#verifier/node-hashes.mjs'
import { cosignatures, openCheckpoint, parseVerifierKey } from '#verifier/note.mjs'
import { parsePolicy } from '#verifier/policy.mjs'
import { newKey } from '#verifier/test/made-up-firm.ts'
import { RunningWitness } from '#verifier/test/running-witness.ts'
import { writeLog } from './epochs.ts'
import { proofFile } from './files.ts'
import { missingCosignatures, submitNewest } from './witnesses.ts'

/** The log's side of tlog-witness, with the witness that anybody can run. */

let world: World
let witnesses: RunningWitness[]
let logged: string[]
beforeEach(async () => {
  world = await openWorld()
  witnesses = []
  logged = []
})
afterEach(async () => {
  for (const witness of witnesses) await witness.forget()
})

async function published(path: string): Promise<string> {
  const file = await proofFile(world.services.pool, path)
  return file === undefined ? '' : (await file.read(0, file.bytes)).toString()
}

/** The product with a policy of these witnesses, at these addresses if not their own. */
function asking(named = witnesses, urls = named.map(({ url }) => url)) {
  const lines = named.map(({ vkey }, at) => `witness w${at} ${vkey} ${urls[at]}\n`)
  const text = `${lines.join('')}quorum ${named.length === 0 ? 'none' : 'w0'}\n`
  const words = (_facts: unknown, message?: string) => logged.push(message ?? '')
  return {
    ...world.services,
    config: { ...world.services.config, witnesses: { text, policy: parsePolicy(text, nodeHashes) } },
    log: { ...world.services.log, warn: words, error: words } as typeof world.services.log,
  }
}

/** Ends an epoch, with this policy or none. */
async function endEpoch(services: Parameters<typeof writeLog>[0] = world.services): Promise<number | null> {
  await world.fund(await world.person('Ann'), 100_00n)
  await sealBooks(world.services)
  return await writeLog(services, { closeNow: true })
}

/** As somebody who can turn off the guards. */
async function asSuperuser(statements: string): Promise<void> {
  const tables = ['log', 'epochs', 'epoch_files', 'log_progress', 'cosignatures']
  const guards = (state: string) =>
    tables.map(table => `ALTER TABLE ledger.${table} ${state} TRIGGER USER;`).join('')
  await world.owner(`${guards('DISABLE')} ${statements}; ${guards('ENABLE')}`)
}

/** With its own DATA_DIR, without the mark of what was published. */
function onAnotherMachine() {
  const services = asking()
  return { ...services, config: { ...services.config, dataDir: join(witnesses[0]!.folder, 'data') } }
}

async function newWitness(name = 'witness.example/w1'): Promise<RunningWitness> {
  const witness = await new RunningWitness([(await published('vkey')).trim()], name).start()
  witnesses.push(witness)
  return witness
}

async function cosigners(path = 'checkpoint'): Promise<string[]> {
  const key = parseVerifierKey((await published('vkey')).trim(), nodeHashes)
  const checkpoint = openCheckpoint(await published(path), key, nodeHashes)
  const keys = witnesses.map(({ vkey }) => parseVerifierKey(vkey, nodeHashes))
  return cosignatures(checkpoint, keys, nodeHashes, new Date()).map(({ name }) => name)
}

const stateOf = async (witness: RunningWitness) =>
  (await world.owner(`SELECT state, size, problem FROM app.witnesses WHERE vkey = '${witness.vkey}'`)).rows[0]

/** A server in the place of a witness. */
async function answering(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onEnd.push(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
const onEnd: (() => void)[] = []
afterEach(() => {
  for (const end of onEnd.splice(0)) end()
})

test('each witness cosigns each epoch as the log grows, once', async () => {
  await endEpoch()
  await newWitness()
  await newWitness('second.example')
  await submitNewest(asking())
  expect(await cosigners()).toEqual(['witness.example/w1', 'second.example'])
  expect(await missingCosignatures(asking())).toBe(0)
  const cosigned = await published('checkpoint')
  await submitNewest(asking())
  expect(await published('checkpoint')).toBe(cosigned)
  await endEpoch()
  expect(await cosigners()).toEqual([])
  expect(await missingCosignatures(asking())).toBe(2)
  await endEpoch()
  await submitNewest(asking())
  expect(await cosigners()).toEqual(['witness.example/w1', 'second.example'])
  expect(await cosigners('epochs/1/checkpoint')).toHaveLength(2)
  expect(await cosigners('epochs/2/checkpoint')).toEqual([])
})

test('a witness whose answer was lost is asked again from the size that it names', async () => {
  await endEpoch()
  const witness = await newWitness()
  await submitNewest(asking())
  await endEpoch()
  await world.owner('DELETE FROM app.witnesses')
  await submitNewest(asking())
  expect(await cosigners()).toEqual(['witness.example/w1'])
  expect(await stateOf(witness)).toEqual({ state: 'cosigned', size: 4n, problem: null })
})

test('a witness that is not there is asked again by the queue', async () => {
  await endEpoch()
  const witness = await newWitness()
  await witness.stop()
  await expect(submitNewest(asking())).rejects.toThrow('not every witness answered')
  expect(await stateOf(witness)).toMatchObject({ state: 'unreachable' })
  await endEpoch(asking())
  expect(logged.at(-1)).toContain('an epoch ends without having heard all witnesses')
  await witness.start()
  await submitNewest(asking())
  expect(await cosigners()).toEqual(['witness.example/w1'])
})

test('a restored database that its witness knows to be behind signs nothing more', async () => {
  await endEpoch()
  const witness = await newWitness()
  await endEpoch()
  await submitNewest(asking())
  // The restore: the second epoch is gone, and so is what this machine had marked.
  await asSuperuser(`
    DELETE FROM ledger.cosignatures; DELETE FROM ledger.epoch_files WHERE epoch = 2;
    DELETE FROM ledger.epoch_parts WHERE epoch = 2; DELETE FROM ledger.epochs WHERE number = 2;
    DELETE FROM ledger.log WHERE index >= 2; DELETE FROM app.witnesses;
    UPDATE ledger.log_progress SET size = 2, epoch_from = 2`)
  const elsewhere = onAnotherMachine()
  const before = await published('checkpoint')
  expect(await endEpoch(elsewhere)).toBeNull()
  expect(logged.join('\n')).toContain(
    'no epoch is signed: the witness witness.example/w1 says: it has cosigned a log of 4 leaves, and the database has 2',
  )
  expect(await published('checkpoint')).toBe(before)
  expect(await stateOf(witness)).toMatchObject({ state: 'forked', size: 4n })
  // An operator who has found the witness to be wrong takes it out of the policy.
  expect(await endEpoch({ ...elsewhere, config: { ...elsewhere.config, witnesses: null } })).toBe(1)
})

test('a log that does not continue what a witness has cosigned is not signed again', async () => {
  await endEpoch()
  const witness = await newWitness()
  await submitNewest(asking())
  await endEpoch()
  await asSuperuser("UPDATE ledger.log SET leaf = leaf || 'x'::bytea WHERE index = 2")
  await submitNewest(asking())
  expect(await stateOf(witness)).toMatchObject({ state: 'forked', problem: expect.stringContaining('(422)') })
  expect(await endEpoch(onAnotherMachine())).toBeNull()
  expect(logged.at(-1)).toContain('says: the log does not continue what it has cosigned (422)')
  expect(await cosigners()).toEqual([])
})

test('a fork stays one while its witness is away, until it cosigns again', async () => {
  await endEpoch()
  const witness = await newWitness()
  const size = await answering((request, response) => {
    request
      .resume()
      .on('end', () => response.writeHead(409, { 'content-type': 'text/x.tlog.size' }).end('9\n'))
  })
  await submitNewest(asking([witness], [size]))
  const fork = { state: 'forked', size: 9n, problem: expect.stringContaining('a log of 9 leaves') }
  expect(await stateOf(witness)).toEqual(fork)
  await witness.stop()
  expect(await endEpoch(onAnotherMachine())).toBeNull()
  expect(logged.at(-1)).toContain('no epoch is signed: the witness witness.example/w1 says')
  const refusing = await answering((request, response) => {
    request.resume().on('end', () => response.writeHead(403).end())
  })
  expect(await endEpoch(asking([witness], [refusing]))).toBeNull()
  expect(await stateOf(witness)).toEqual(fork)
  await witness.start()
  await submitNewest(asking())
  expect(await stateOf(witness)).toMatchObject({ state: 'cosigned', problem: null })
  expect(await endEpoch(asking())).toBe(1)
})

test.each([
  ['404', 'refused', 404, 'this log is not known here\n', 'it does not know the log (404)'],
  ['403', 'refused', 403, '', 'it does not know the key of the log (403)'],
  ['409 without a size', 'forked', 409, '', 'it has cosigned another log of this size (409)'],
  ['500', 'unreachable', 500, '', 'it answered 500'],
  [
    '200 without a cosignature',
    'refused',
    200,
    '— other.example AAAAAAAA\n',
    'has no cosignature of its key',
  ],
  ['200 with something else', 'refused', 200, '<html>', 'it is not a signed note'],
  ['200 without an end', 'unreachable', 200, 'x'.repeat(20_000), 'its answer is too long'],
])('an answer of %s is %s, and nothing is stored', async (_kind, state, status, body, problem) => {
  await endEpoch()
  const witness = await newWitness()
  const url = await answering((request, response) => {
    request.resume().on('end', () => response.writeHead(status).end(body))
  })
  await submitNewest(asking([witness], [url])).catch(() => {})
  expect(await stateOf(witness)).toMatchObject({ state, problem: expect.stringContaining(problem) })
  expect(logged.at(-1)).toContain(problem)
  expect(await cosigners()).toEqual([])
})

test('a cosignature of another checkpoint is refused', async () => {
  await endEpoch()
  const witness = await newWitness()
  await submitNewest(asking())
  const [, ...lines] = (await published('checkpoint')).split('\n\n')[1]!.split('\n')
  await endEpoch()
  const url = await answering((request, response) => {
    request.resume().on('end', () => response.end(lines.join('\n')))
  })
  await submitNewest(asking([witness], [url]))
  expect(await stateOf(witness)).toMatchObject({
    state: 'refused',
    problem: expect.stringContaining('is forged'),
  })
  expect(await cosigners()).toEqual([])
})

test('a cosignature from the future is refused', async () => {
  await endEpoch()
  const witness = await newWitness()
  const late = { ...asking(), clock: { now: () => new Date(world.clock.now().getTime() - 3_600_000) } }
  await submitNewest(late)
  expect(await stateOf(witness)).toMatchObject({ problem: expect.stringContaining('dated in the future') })
  expect(await cosigners()).toEqual([])
})

test.each([
  ['on this machine', [], /^http:\/\/127\.0\.0\.1:\d+$/],
  ['elsewhere', ['--host', '0.0.0.0'], /^https:\/\/witness\.example\/w1$/],
])('the policy that a witness %s prints is accepted', async (_where, more, address) => {
  const witness = new RunningWitness([newKey().vkey])
  witnesses.push(witness)
  const { printed, folder } = await witness.start(...more)
  expect(printed).toContain('PROOF_WITNESS_POLICY=')
  const file = join(folder, 'policy')
  writeFileSync(file, printed.match(/^ {2}(witness|quorum) .*\n/gm)!.join(''))
  expect(witnessPolicyErrors({ PROOF_WITNESS_POLICY: file })).toEqual([])
  const { policy } = witnessPolicyOf({ PROOF_WITNESS_POLICY: file })!
  expect([...policy.witnesses.values()]).toMatchObject([
    { vkey: witness.vkey, url: expect.stringMatching(address) },
  ])
  expect(policy.quorum).toBe('example')
})

test('the policy is published with the key of the log, until there is none', async () => {
  await endEpoch()
  await newWitness()
  await submitNewest(asking())
  const { text } = asking().config.witnesses
  const vkey = (await published('vkey')).trim()
  expect(await published('policy')).toBe(`log ${vkey}\n${text}`)
  expect(parsePolicy(await published('policy'), nodeHashes).logs[0]!.vkey).toBe(vkey)
  await submitNewest(world.services)
  expect(await published('policy')).toBe('')
})
