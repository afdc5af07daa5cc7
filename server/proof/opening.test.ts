import { beforeEach, expect, test } from 'vitest'
import { sealBooks } from '#server/ledger/sealer.ts'
import { listAudit } from '#shared/contract/site.ts'
import { newWithdrawal } from '#shared/contract/withdrawals.ts'
import { deposited } from '#test/support/books.ts'
import { publishedFiles } from '#test/support/published-files.ts'
import { openWorld, type Person, type World } from '#test/support/world.ts'
import { nodeHashes } from '#verifier/node-hashes.mjs'
import { Opening } from '#verifier/opening.mjs'
import { visitOnce } from '#verifier/test/run-audit.ts'
import { writeLog } from './epochs.ts'

/** The auditor gets every line opened, and the verifier recomputes all of it. */

let world: World
let ann: Person
let bob: Person
let auditor: Person
let files: Map<string, Buffer>
beforeEach(async () => {
  world = await openWorld()
  ann = await world.person('Ann')
  bob = await world.person('Bob')
  auditor = await world.person('Olga', 'auditor')
  await world.fund(ann, 100_00n)
  await world.fund(bob, 170_00n)
  await endEpoch()
  await world.fund(ann, 250_00n)
  const wallet = { wallet: 'Bitcoin (BTC)', address: 'mzYW7o4b2Jh9vPY4MpUCD86mrU1vf7qKXT' } as const
  await world.call(newWithdrawal, bob, { body: { amount: 100, ...wallet } })
  await endEpoch()
  files = await publishedFiles(world.services.pool)
})

async function endEpoch(): Promise<void> {
  await sealBooks(world.services)
  expect(await writeLog(world.services, { closeNow: true })).toBe(1)
}

function download(who: Person) {
  const headers = { authorization: `Bearer ${world.tokenOf(who)}` }
  return world.app.inject({ url: '/api/proof/opening', headers })
}

async function failures(opening: string): Promise<string[]> {
  const rows = opening.split('\n').slice(0, -1)
  const read = () => rows.shift() ?? null
  const { audit } = await visitOnce(files, { opening: new Opening(nodeHashes, read), now: world.clock.now() })
  expect(audit.findings.missing).toEqual([])
  return audit.findings.failures.map(({ check, message }) => `${check}: ${message}`)
}

test('an opening without names or addresses opens every line and part', async () => {
  const answer = await download(auditor)
  expect(answer.statusCode).toBe(200)
  expect(answer.headers['content-disposition']).toContain('opening-2.txt')
  expect(answer.body).not.toMatch(/@|Ann|Bob/)
  expect(answer.body.match(/^leg /gm)).toHaveLength(5)
  expect(await failures(answer.body)).toEqual([])
  const { data } = await world.call(listAudit, world.admin, { query: { status: 'list.exported', limit: 1 } })
  expect(data[0]).toMatchObject({ actor: auditor.id, details: { list: 'proof-opening' } })
})

test('only those who may read the log get an opening', async () => {
  const staff = [await world.person('Fin', 'finance'), await world.person('Sue', 'support')]
  for (const who of [ann, ...staff]) expect((await download(who)).statusCode, who.email).toBe(403)
  expect((await download(world.admin)).statusCode).toBe(200)
})

const row = (text: string, kind: string, at = 0) => text.match(new RegExp(`^${kind} .*\n`, 'gm'))!.at(at)!
const without =
  (kind: string, at = 0) =>
  (text: string) =>
    text.replace(row(text, kind, at), '')
const word = (kind: string, at: number, change: (word: string) => string) => (text: string) => {
  const words = row(text, kind, -1).trimEnd().split(' ')
  words[at] = change(words[at]!)
  return text.replace(row(text, kind, -1), `${words.join(' ')}\n`)
}
const plusOne = (number: string) => String(BigInt(number) + 1n)

test.each<[string, (text: string) => string, RegExp]>([
  ['a line left out', without('leg', 1), /line \d+ of leaf \d+ is not opened/],
  [
    'a line opened twice',
    text => text.replace(row(text, 'leg'), row(text, 'leg').repeat(2)),
    /is opened twice, or is no line of an investor/,
  ],
  [
    "another owner's key",
    text => {
      const [one, other] = text.match(/(?<=^key \S+ )\S+/gm)!
      return text.replace(one!, 'x').replace(other!, one!).replace('x', other!)
    },
    /its tag is not that of/,
  ],
  ['a key left out', without('key', -1), /the key of \S+ in epoch 2 is missing/],
  ['another owner', word('leg', 3, () => ann.id), /its tag is not that of/],
  ['another amount', word('leg', 6, plusOne), /is opened as \S+ cents of held, which it is not/],
  ['another balance', word('leg', 7, plusOne), /the balance of \S+ held does not follow/],
  ['a gap in the versions', word('leg', 5, plusOne), /entry 1 of \S+ held is missing, it is 2/],
  ['another kind', word('leg', 4, () => 'invested'), /cents of invested, which it is not/],
  ['a part left out', without('part', 1), /leaf 1 of the tree of epoch 2 is not opened/],
  ['a part of somebody else', word('part', 3, () => '019a'), /has a part of 019a, who has no line/],
  [
    "an investor's part shown as another's",
    word('part', 3, owner => (owner === ann.id ? bob.id : ann.id)),
    /has \d+ cents by the lines, \d+ in the tree of epoch 2/,
  ],
  ['a part of another value', word('part', 2, plusOne), /is not the part that is opened/],
  [
    "a part with another's nonce",
    word('part', 4, () => `${'A'.repeat(43)}=`),
    /is not the part that is opened/,
  ],
  ['a part called erased', word('part', 4, () => 'erased'), /is called erased, but the newest line of/],
  [
    'an erased part of another value',
    text => word('part', 2, plusOne)(word('part', 4, () => 'erased')(text)),
    /is not the part that is opened/,
  ],
  ['another epoch', text => text.replace('epoch 2', 'epoch 3'), /epoch 2 is not opened in its place/],
  ['more than the log has', text => `${text}${row(text, 'leg')}`, /after the last leaf comes/],
])('the verifier finds and names %s', async (_what, change, error) => {
  const { body } = await download(auditor)
  const changed = change(body)
  expect(changed).not.toBe(body)
  expect((await failures(changed)).join('\n')).toMatch(new RegExp(`opening: .*${error.source}`))
})

test('parts of nothing are opened, too, where investors have fewer cents than parts', async () => {
  world = await openWorld()
  for (const name of ['Ann', 'Bob', 'Cy']) {
    await deposited(world.database.db, (await world.person(name)).id, 1n)
  }
  await endEpoch()
  files = await publishedFiles(world.services.pool)
  const opening = (await download(await world.person('Olga', 'auditor'))).body
  expect(opening.match(/^part \d+ 0 /gm)).toHaveLength(1)
  expect(await failures(opening)).toEqual([])
})
