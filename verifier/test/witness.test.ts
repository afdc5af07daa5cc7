import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { nodeHashes } from '#verifier/node-hashes.mjs'
import { cosignatures, openCheckpoint, parseVerifierKey } from '#verifier/note.mjs'
import { signerIn } from '#verifier/witness-key.mjs'
import { WitnessedLogs } from '#verifier/witness-log.mjs'
import { checkpointOf, type LogKey, newKey, sha256, treeHash } from './made-up-firm.ts'
import { RunningWitness } from './running-witness.ts'

/** The witness, by its protocol (C2SP tlog-witness). */

const key = newKey()
const leaves: Buffer[] = Array.from({ length: 40 }, (_, at) => sha256(Buffer.of(0), `leaf ${at}`))
const others = leaves.map((hash, at): Buffer => (at === 3 ? sha256('another') : hash))

const noteOf = (size: number, from = leaves, by = key) =>
  checkpointOf(by, size, treeHash(from.slice(0, size))).toString()

/** RFC 6962, 2.1.2, as it is written there. */
function subproof(m: number, hashes: Buffer[], isWhole: boolean): Buffer[] {
  if (m === hashes.length) return isWhole ? [] : [treeHash(hashes)]
  let k = 1
  while (2 * k < hashes.length) k *= 2
  if (m <= k) return [...subproof(m, hashes.slice(0, k), isWhole), treeHash(hashes.slice(k))]
  return [...subproof(m - k, hashes.slice(k), false), treeHash(hashes.slice(0, k))]
}

function request(
  old: number,
  size: number,
  { from = leaves, by = key, proofOf = leaves }: { from?: Buffer[]; by?: LogKey; proofOf?: Buffer[] } = {},
): string {
  const proof = old === 0 || old > size ? [] : subproof(old, proofOf.slice(0, size), true)
  return `old ${old}\n${proof.map(hash => `${hash.toString('base64')}\n`).join('')}\n${noteOf(size, from, by)}`
}

let witness: RunningWitness
beforeEach(async () => {
  witness = await new RunningWitness([key.vkey]).start()
})
afterEach(async () => await witness.forget())

/** The cosignatures of an answer, verified. */
function verified(answer: { status: number; text: string }, size: number, from = leaves) {
  expect(answer.status).toBe(200)
  const log = parseVerifierKey(key.vkey, nodeHashes)
  const checkpoint = openCheckpoint(noteOf(size, from) + answer.text, log, nodeHashes)
  return cosignatures(checkpoint, [parseVerifierKey(witness.vkey, nodeHashes)], nodeHashes, new Date())
}

test('cosigns a log that grows, and each answer verifies', async () => {
  for (const [old, size] of [
    [0, 1],
    [1, 7],
    [7, 8],
    [8, 8],
    [8, 39],
  ] as const) {
    const [cosignature, ...more] = verified(await witness.post(request(old, size)), size)
    expect(more).toEqual([])
    expect(Math.abs(cosignature!.time - Date.now() / 1000)).toBeLessThan(60)
  }
})

test('another old size than its own is a conflict, and the answer names its size', async () => {
  verified(await witness.post(request(0, 7)), 7)
  for (const old of [0, 3]) {
    const { status, text, type } = await witness.post(request(old, 9))
    expect({ status, text, type }).toEqual({ status: 409, text: '7\n', type: 'text/x.tlog.size' })
  }
  // A log that was restored to an earlier state.
  expect(await witness.post(request(5, 6))).toMatchObject({ status: 409, text: '7\n' })
})

test('of two histories only the first is cosigned', async () => {
  verified(await witness.post(request(0, 7)), 7)
  expect((await witness.post(request(7, 7, { from: others }))).status).toBe(409)
  for (const proofOf of [leaves, others])
    expect((await witness.post(request(7, 12, { from: others, proofOf }))).status).toBe(422)
  verified(await witness.post(request(7, 12)), 12)
})

test.each([
  ['a proof of another size', () => request(7, 12).replace(/^old 7\n[^\n]+\n/, 'old 7\n'), 422],
  [
    'a proof where none is due',
    () => request(7, 7).replace('\n\n', `\n${leaves[0]!.toString('base64')}\n\n`),
    422,
  ],
  ['a signature of another key', () => request(7, 12, { by: newKey() }), 403],
  ['no signature of the log', () => request(7, 12).replace(/— [^\n]*\n$/, '— x AAAAAAAA\n'), 403],
  ['an unknown log', () => request(0, 12, { by: newKey('other.example/log') }), 404],
  ['an old size above the checkpoint', () => request(13, 12), 400],
  ['an old size with a zero before it', () => request(7, 12).replace('old 7', 'old 07'), 400],
  [
    '64 lines of proof',
    () => request(7, 12).replace(/^old 7\n/, `old 7\n${`${leaves[0]!.toString('base64')}\n`.repeat(64)}`),
    400,
  ],
  ['a short hash', () => request(7, 12).replace(/^old 7\n[^\n]+/, 'old 7\nAAAA'), 400],
  ['no checkpoint', () => 'old 7\n\n', 400],
  ['no empty line', () => 'old 7\nfirm.example/proof\n', 400],
  ['nothing', () => '', 400],
  ['random bytes', () => randomBytes(5000), 400],
  ['a body above its limit', () => 'old 0\n'.repeat(20_000), 413],
])('%s is refused, and the state stays', async (_kind, body, status) => {
  verified(await witness.post(request(0, 7)), 7)
  expect((await witness.post(body())).status).toBe(status)
  verified(await witness.post(request(7, 12)), 12)
})

test('signatures of strangers on the checkpoint are ignored', async () => {
  const note = `${request(0, 7)}— stranger.example AAAAAAAA\n`
  verified(await witness.post(note), 7)
})

test('no bytes of a stranger end it', async () => {
  for (const bytes of [
    'GARBAGE\r\n\r\n',
    'POST /add-checkpoint HTTP/1.1\r\nhost: x\r\ncontent-length: 99\r\n\r\nold',
    '\0'.repeat(99),
  ]) {
    const socket = connect(Number(new URL(witness.url).port), '127.0.0.1')
    socket.on('error', () => {})
    await new Promise(resolve => socket.write(bytes, resolve))
    socket.destroy()
  }
  expect((await fetch(`${witness.url}/${'%'.repeat(9)}`)).status).toBe(404)
  expect((await fetch(`${witness.url}/add-checkpoint`)).status).toBe(405)
  verified(await witness.post(request(0, 7)), 7)
})

test('of requests at the same time one wins, and the others are conflicts', async () => {
  const sizes = [3, 5, 7, 9, 11]
  const answers = await Promise.all(sizes.map(size => witness.post(request(0, size))))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409, 409])
  const won = sizes[answers.findIndex(({ status }) => status === 200)]
  expect(answers.filter(({ status }) => status === 409).map(({ text }) => text)).toEqual(
    Array(4).fill(`${won}\n`),
  )
})

test('keeps its key and what it has cosigned over a restart and a kill', async () => {
  const { vkey, folder } = witness
  expect(statSync(join(folder, 'key')).mode & 0o777).toBe(0o600)
  verified(await witness.post(request(0, 7)), 7)
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    await witness.stop(signal)
    await witness.start()
    expect(witness.vkey).toBe(vkey)
    expect(await witness.post(request(0, 12))).toMatchObject({ status: 409, text: '7\n' })
  }
  verified(await witness.post(request(7, 12)), 12)
})

test('killed at any moment, it has kept whatever it answered', async () => {
  let cosigned = 0
  for (let round = 0; round < 8; round++) {
    const asked = [1, 2, 3].map(step => {
      const size = cosigned + step
      return witness.post(request(cosigned, size)).then(
        ({ status }) => (status === 200 ? size : 0),
        () => 0,
      )
    })
    // The kill comes with the first answer, or before it.
    if (round % 2 === 0) await Promise.race(asked)
    await witness.stop('SIGKILL')
    const answered = Math.max(...(await Promise.all(asked)))
    await witness.start()
    const { status, text } = await witness.post(request(39, 39))
    expect(status).toBe(409)
    const kept = Number(text)
    expect(kept).toBeGreaterThanOrEqual(Math.max(answered, cosigned))
    cosigned = kept
  }
  verified(await witness.post(request(cosigned, 39)), 39)
})

test('does not begin anew from a damaged state', async () => {
  verified(await witness.post(request(0, 7)), 7)
  await witness.stop()
  const file = readdirSync(witness.folder).find(name => name.endsWith('.checkpoint'))!
  writeFileSync(join(witness.folder, file), '')
  await expect(witness.start()).rejects.toThrow('is damaged')
})

test('a second process on the same folder does not start', async () => {
  const second = new RunningWitness([key.vkey], 'witness.example/w1', witness.folder)
  await expect(second.start()).rejects.toThrow('another witness uses')
  await witness.stop()
  await second.start()
  await second.stop()
})

test('processes that do not see each other cosign one history', async () => {
  const signer = await signerIn(join(witness.folder, 'key'), undefined)
  const logs = [parseVerifierKey(key.vkey, nodeHashes)]
  const processes = Array.from(
    { length: 6 },
    () => new WitnessedLogs({ folder: witness.folder, logs, signer }),
  )
  let old = 0
  for (let round = 0; round < 8; round++) {
    const sizes = processes.map((_, at) => old + 1 + (at % 3))
    const asked = processes.map((one, at) => {
      const from = at % 2 === 0 ? leaves : others
      return one.add(Buffer.from(request(old, sizes[at]!, { from, proofOf: from })), new Date())
    })
    const answers = await Promise.all(asked)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    old = sizes[answers.findIndex(({ status }) => status === 200)]!
    for (const one of processes) expect((await one.newest('firm.example/proof'))!.size).toBe(old)
  }
})

test('shows what it has cosigned to anybody, so that it can be compared', async () => {
  const address = `${witness.url}/${encodeURIComponent('firm.example/proof')}/checkpoint`
  expect((await fetch(address)).status).toBe(404)
  verified(await witness.post(request(0, 7)), 7)
  expect(await (await fetch(address)).text()).toBe(noteOf(7))
  expect(await (await fetch(witness.url)).text()).toBe(`${witness.vkey}\n`)
  expect(readFileSync(join(witness.folder, 'key'), 'utf8')).toMatch(/^PRIVATE\+KEY\+witness\.example\/w1\+/)
})
