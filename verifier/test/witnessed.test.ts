import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { askWitness } from '#verifier/witnessed.mjs'
import { deeds, type Files, firmsDays, newKey, publish, write } from './made-up-firm.ts'
import { visitOnce } from './run-audit.ts'
import { RunningWitness } from './running-witness.ts'

/** What witnesses hold, compared with what a reader is shown: two real witnesses, two histories. */

const key = newKey()
const days = firmsDays(6)
const honest = write(days)
const forked = write(
  days.map((day, at) =>
    at === 1 ? { ...day, deeds: [deeds.recorded(77_77n), ...day.deeds.slice(1)] } : day,
  ),
)
const after = (count: number, { drafts } = honest) => publish({ drafts: drafts.slice(0, count) }, key)
const shown = after(4)
const noteOf = (files: Files) => files.get('checkpoint')!.toString()

let ann: RunningWitness
let ben: RunningWitness
beforeEach(async () => {
  ann = await new RunningWitness([key.vkey], 'ann.example').start()
  ben = await new RunningWitness([key.vkey], 'ben.example').start()
})
const ends: (() => void)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) end()
  await ann.forget()
  await ben.forget()
})

/** @returns the line of the cosignature */
async function cosign(witness: RunningWitness, files: Files): Promise<string> {
  const { status, text } = await witness.post(`old 0\n\n${noteOf(files)}`)
  expect(status).toBe(200)
  return text
}

const policy = (urlOfBen = ben.url) =>
  `witness ann ${ann.vkey} ${ann.url}\nwitness ben ${ben.vkey} ${urlOfBen}\nquorum none\n`
const visit = async (files: Files, text = policy()) =>
  await visitOnce(files, { policy: text, askWitness, now: new Date() })

/** All that is published later, with the checkpoint and the tiles of before. */
const still = (earlier: Files, later: Files): Files => new Map([...later, ...earlier])

test('says what each witness holds of the same log, before, now and later', async () => {
  await cosign(ann, after(2))
  await cosign(ben, after(6))
  for (const files of [still(shown, after(6)), after(6)]) {
    const { exitCode, failures, report } = await visit(files)
    expect({ exitCode, failures }).toEqual({ exitCode: 0, failures: [] })
    const size = (of: Files) => noteOf(of).split('\n')[1]
    expect(report).toContain(`ann.example holds a checkpoint of ${size(after(2))} leaves of this same log.`)
    expect(report).toContain(`ben.example holds a checkpoint of ${size(after(6))} leaves of this same log.`)
  }
})

test('of two histories that two witnesses hold, each reader finds the other', async () => {
  await cosign(ann, shown)
  await cosign(ben, after(4, forked))
  for (const [files, other, name] of [
    [shown, after(4, forked), 'ben.example'],
    [after(4, forked), shown, 'ann.example'],
  ] as const) {
    const { exitCode, failures, report, audit } = await visit(files)
    expect(exitCode).toBe(1)
    expect(failures).toEqual([
      { check: 'witnesses', message: expect.stringContaining(`two histories: the witness ${name} holds`) },
    ])
    expect(report).toContain(noteOf(files))
    expect(report).toContain(noteOf(other))
    expect(audit.evidence).toHaveLength(2)
  }
})

test.each([
  ['an earlier checkpoint that is no beginning of this log', () => after(3, forked), () => shown],
  [
    'a later checkpoint that does not continue this log',
    () => after(6, forked),
    () => still(shown, after(6, forked)),
  ],
])('names a witness that holds %s', async (_kind, theirs, files) => {
  await cosign(ben, theirs())
  const { exitCode, failures } = await visit(files())
  expect(exitCode).toBe(1)
  expect(failures).toEqual([
    { check: 'witnesses', message: expect.stringContaining('the witness ben.example holds') },
  ])
})

test('a later log that is not published is unknown, unless this one is cosigned', async () => {
  const line = await cosign(ann, shown)
  await cosign(ben, after(6))
  const { exitCode, report } = await visit(shown)
  expect(exitCode).toBe(2)
  expect(report).toContain('could not be compared with ben.example: it has cosigned')
  // Ben's line on what is shown here, from before.
  await ben.forget()
  ben = await new RunningWitness([key.vkey], 'ben.example').start()
  const lines = line + (await cosign(ben, shown))
  const files = new Map(shown).set('checkpoint', Buffer.from(noteOf(shown) + lines))
  const ask = async () => Buffer.from(noteOf(after(6)))
  expect(await visitOnce(files, { policy: policy(), askWitness: ask, now: new Date() })).toMatchObject({
    exitCode: 0,
    failures: [],
  })
})

/** A server in the place of a witness. */
async function answering(status: number, body: string): Promise<string> {
  const server = createServer((_request, response) =>
    response.writeHead(status, { location: ann.url }).end(body),
  )
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  ends.push(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test.each([
  ['has cosigned nothing', async () => ben.url, 'it answered 404'],
  ['is not there', async () => await ben.stop().then(() => ben.url), 'ECONNREFUSED'],
  ['has no address', async () => '', 'your policy has no address of it'],
  ['sends without end', async () => await answering(200, 'x'.repeat(70_000)), 'more than 65536 bytes'],
  ['sends something else', async () => await answering(200, '<html>'), 'it is not a signed note'],
  [
    "sends another log's checkpoint",
    async () => await answering(200, noteOf(publish(honest, newKey()))),
    'signature of the key',
  ],
  ['sends to somewhere else', async () => await answering(302, ''), 'redirect'],
])('a witness that %s is named, and is no fault of the firm', async (_kind, place, problem) => {
  await cosign(ann, shown)
  const { exitCode, report } = await visit(shown, policy(await place()))
  expect(exitCode).toBe(0)
  expect(report).toContain('Compared: ann.example holds')
  expect(report).toMatch(new RegExp(`Not compared with what ben\\.example holds: .*${problem}`))
})

test('the command asks the witnesses of the policy', async () => {
  await cosign(ann, shown)
  await cosign(ben, after(4, forked))
  const folder = join(ann.folder, 'published')
  for (const [path, bytes] of new Map(shown).set('../policy.txt', Buffer.from(policy()))) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), bytes)
  }
  const command = join(import.meta.dirname, '../verify.mjs')
  const args = [
    folder,
    '--json',
    '--policy',
    join(ann.folder, 'policy.txt'),
    '--state',
    join(ann.folder, 'seen'),
  ]
  const output = await new Promise<string>(resolve => {
    execFile(process.execPath, [command, ...args], (_error, stdout) => resolve(stdout))
  })
  expect(JSON.parse(output)).toMatchObject({
    exitCode: 1,
    heldByWitnesses: [
      { name: 'ann.example', state: 'same' },
      { name: 'ben.example', state: 'other' },
    ],
  })
})
