import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { followKey } from '#verifier/log-keys.mjs'
import { nodeHashes } from '#verifier/node-hashes.mjs'
import { keyStatement } from './key-statement.ts'
import { deeds, type Files, firmsDays, type LogKey, newKey, publish, write } from './made-up-firm.ts'
import { Visitor, visitOnce } from './run-audit.ts'

/** A log whose key was replaced: what verifiers see that knew the old one, and those that did not. */

const [old, next, thiefs] = [newKey(), newKey(), newKey()]
const days = firmsDays(6)
const before = publish(write(days.slice(0, 4)), old)

const statement = (stated: Partial<Parameters<typeof keyStatement>[0]> = {}) =>
  keyStatement({ from: old, to: next, ...stated })

/** Six epochs, the first four signed with the old key. */
function rotated(statements: string | null, to = next): Files {
  const files = new Map(publish(write(days), to))
  for (const epoch of [1, 2, 3, 4])
    files.set(`epochs/${epoch}/checkpoint`, before.get(`epochs/${epoch}/checkpoint`)!)
  if (statements !== null) files.set('keys', Buffer.from(statements))
  return files
}

let visitor: Visitor
beforeEach(() => {
  visitor = new Visitor()
})
afterEach(async () => await visitor.forget())
const pinned = () => readFileSync(join(visitor.folder, 'vkey'), 'utf8').trim()

test('a planned rotation is followed, named, and remembered', async () => {
  await visitor.visit(before)
  const { exitCode, report } = await visitor.visit(rotated(statement()))
  expect(report).toContain("The log's key was replaced on 2026-10-05 (planned), from epoch 5 on.")
  expect(report).toContain('The log continues the checkpoint')
  expect(exitCode).toBe(0)
  expect(pinned()).toBe(next.vkey)
  expect((await visitor.visit(rotated(statement()))).exitCode).toBe(0)
  // Who has followed it does not go back to the old key, which may be stolen later.
  expect((await visitor.visit(publish(write(days), old))).failures[0]!.check).toBe('key')
})

test("a thief's planned rotation to another history is not remembered", async () => {
  const honest = publish(write(days), old)
  await visitor.visit(honest)
  const forked = firmsDays(6)
  forked[1]!.deeds.push(deeds.recorded(1n))
  const theirs = new Map(publish(write(forked), thiefs))
  theirs.set('keys', Buffer.from(statement({ to: thiefs })))
  const { failures } = await visitor.visit(theirs)
  expect(failures).toContainEqual({ check: 'history', message: expect.stringContaining('two histories') })
  expect(pinned()).toBe(old.vkey)
  expect((await visitor.visit(honest)).exitCode).toBe(0)
})

test('a stranger checks each epoch with the key of its time', async () => {
  expect((await visitOnce(rotated(statement()))).exitCode).toBe(0)
  const resigned = new Map(rotated(statement()))
  resigned.set('epochs/2/checkpoint', publish(write(days), next).get('epochs/2/checkpoint')!)
  const { failures } = await visitOnce(resigned)
  expect(failures).toEqual([
    { check: 'checkpoints', message: expect.stringContaining('epoch 2: the checkpoint has no signature of') },
  ])
})

test.each(['lost', 'stolen'])(
  'a key replaced as %s is named, and trusted when a person says so',
  async reason => {
    await visitor.visit(before)
    const files = rotated(statement({ reason, signers: [next] }))
    const { exitCode, failures } = await visitor.visit(files)
    expect(exitCode).toBe(1)
    expect(failures[0]).toEqual({
      check: 'key',
      message: expect.stringMatching(
        new RegExp(
          `replaced as ${reason}, by a statement that the old key has not signed.*Ask the firm, by another way`,
        ),
      ),
    })
    expect(pinned()).toBe(old.vkey)
    const { report } = await visitor.visit(files, { vkey: next.vkey })
    expect(report).toContain('All holds')
    expect(report).toContain('The log continues the checkpoint')
    expect(pinned()).toBe(next.vkey)
    expect((await visitor.visit(files)).exitCode).toBe(0)
  },
)

test.each<[what: string, statements: string | null, words: string]>([
  ['no statement', null, "the log's key is not the one pinned"],
  ['another key has signed it', statement({ signers: [thiefs, next] }), 'has no signature of the key'],
  ['the new key has not signed it', statement({ signers: [old] }), 'has no signature of the key'],
  ['it is changed afterwards', statement().replace('epoch: 5', 'epoch: 4'), 'is forged'],
  ['it is of other keys', statement({ from: thiefs }), 'do not name the one pinned'],
  ['it leads to another key', statement({ to: thiefs }), "the log's key is not the one pinned"],
  ['it has no form', statement().replace('reason: planned\n', ''), 'without its form'],
  ['it is doubled', statement() + statement(), 'does not follow'],
  ['something else is there', 'hello\n', 'does not begin with a statement'],
])('a replaced key is refused and named: %s', async (_, statements, words) => {
  await visitor.visit(before)
  const { exitCode, failures } = await visitor.visit(rotated(statements))
  expect(exitCode).toBe(1)
  expect(failures[0]).toEqual({ check: 'key', message: expect.stringContaining(words) })
  expect(pinned()).toBe(old.vkey)
})

test('rotations are followed one after the other, as far as they were planned', () => {
  const [a, b] = [newKey(), newKey()]
  const twice = statement() + statement({ from: next, to: a, epoch: 9 })
  const follow = (to: LogKey, statements: string) =>
    followKey({ from: old.vkey, to: to.vkey, statements }, nodeHashes).vkey
  expect(follow(a, twice)).toBe(a.vkey)
  const lost = twice + statement({ from: a, to: b, epoch: 12, reason: 'lost', signers: [b] })
  expect(() => follow(b, lost)).toThrow('was replaced as lost')
  expect(() => follow(b, statement())).toThrow('the one known here is')
})
