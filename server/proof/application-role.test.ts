import type { Pool, QueryConfig } from 'pg'
import { beforeEach, expect, test } from 'vitest'
import { sealBooks } from '#server/ledger/sealer.ts'
import { publishedFiles } from '#test/support/published-files.ts'
import { openWorld, type World } from '#test/support/world.ts'
import { visitOnce } from '#verifier/test/run-audit.ts'
import { writeLog } from './epochs.ts'

/** What a thief of the application's login can have signed: nothing but the books. */

let world: World
beforeEach(async () => {
  world = await openWorld()
  await world.fund(await world.person('Ann'), 100_00n)
  await sealBooks(world.services)
})

const inHours = (hours: number) => new Date(world.clock.now().getTime() + hours * 3_600_000)

/** As a writer calls it for Ann's deposit, which has one line of hers. */
async function logTransactions({ count = 1, tags = 32, now = 0, ends = 1 }) {
  await world.services.pool.query('SELECT ledger.log_transactions($1, $2, $3, $4)', [
    count,
    Buffer.alloc(tags),
    inHours(now),
    inHours(ends),
  ])
}

const count = async () => (await world.owner('SELECT FROM ledger.log')).rowCount

test.each([
  ['a leaf of no transaction', { count: 2 }, 'a leaf of no sealed transaction'],
  ['no tag', { tags: 0 }, 'need a tag each'],
  ['half a tag', { tags: 16 }, 'need a tag each'],
  ['two tags for one line', { tags: 64 }, 'need a tag each'],
  ['a date of the past', { now: -2 }, 'refused: the clock says'],
  ['an epoch of years', { ends: 24 * 365 }, 'an epoch lasts at most a day'],
  ['an epoch that is over', { ends: -1 }, 'has no transaction after it'],
])('the log takes no transaction with %s', async (_what, given, refusal) => {
  await expect(logTransactions(given)).rejects.toThrow(refusal)
  expect(await count()).toBe(0)
  await logTransactions({})
  expect(await count()).toBe(1)
})

/** The parameters of ledger.close_epoch, by their place. */
const Parameter = {
  Number: 0,
  Root: 2,
  EndedAt: 3,
  Liabilities: 6,
  TreeLeaves: 7,
  Checkpoint: 8,
  Leaf: 9,
  NextEnds: 10,
} as const

/** The product, which closes its epoch with one parameter changed. */
function closingWith(parameter: number, change: (value: never) => unknown) {
  const connect = async () => {
    const client = await world.services.pool.connect()
    const query = async (query: string | QueryConfig, values?: unknown[]) => {
      const isEnd = typeof query === 'string' && query.includes('ledger.close_epoch')
      const given = isEnd ? values!.with(parameter, change(values![parameter] as never)) : values
      return given === undefined ? await client.query(query) : await client.query(query, given)
    }
    return { query, release: client.release.bind(client) }
  }
  const pool = { connect, query: world.services.pool.query.bind(world.services.pool) } as unknown as Pool
  return { ...world.services, pool }
}

const replaced = (from: string | RegExp, to: string) => (value: string | Buffer) =>
  typeof value === 'string' ? value.replace(from, to) : Buffer.from(value.toString().replace(from, to))
const hoursLater = (hours: number) => (value: Date) => new Date(value.getTime() + hours * 3_600_000)

test('a planted secret stops the log with an alarm, until its row is deleted', async () => {
  const bob = await world.person('Bob')
  const plant = "INSERT INTO app.proof_secrets (user_id, sealed_secret) VALUES ($1, '\\x00')"
  await world.services.pool.query(plant, [bob.id])
  await world.fund(bob, 100_00n)
  await sealBooks(world.services)
  const errors: string[] = []
  const error = (_facts: unknown, text: string) => void errors.push(text)
  const services = { ...world.services, log: { ...world.services.log, error } as typeof world.services.log }
  await expect(writeLog(services)).rejects.toThrow(
    `the proof secret of the investor ${bob.id} is sealed under`,
  )
  expect(errors).toEqual([
    expect.stringMatching(
      `^nothing is added to the log: the proof secret of the investor ${bob.id} is .*operate.md`,
    ),
  ])
  await world.owner(`DELETE FROM app.proof_secrets WHERE user_id = '${bob.id}'`)
  expect(await writeLog(services, { closeNow: true })).toBe(1)
})

test.each<[string, number, (value: never) => unknown]>([
  ['another number', Parameter.Number, () => 2n],
  ['another root', Parameter.Root, (root: Buffer) => Buffer.alloc(root.length)],
  ['an end after its own', Parameter.EndedAt, hoursLater(48)],
  ['a next one of years', Parameter.NextEnds, hoursLater(48)],
  ['a next one that is over', Parameter.NextEnds, hoursLater(-48)],
  ['other liabilities', Parameter.Liabilities, () => 1n],
  ['no tree', Parameter.TreeLeaves, () => 0n],
  ['a free text as its leaf', Parameter.Leaf, () => Buffer.from('; free text\n\n')],
  ['another date', Parameter.Leaf, replaced(/date: \S+/, 'date: 2099-01-01')],
  ['another balance', Parameter.Leaf, replaced('Available -100.00', 'Available -1.00')],
  ['a balance less', Parameter.Leaf, replaced(/; assert: .*\n/, '')],
  ['a line more', Parameter.Leaf, replaced('; verifier', '; free: text\n; verifier')],
  ["another's receipts", Parameter.Leaf, replaced(/receipts: \S+/, 'receipts: a+00000000+AA')],
  ['a free text as its checkpoint', Parameter.Checkpoint, () => 'free text'],
  ['a checkpoint of another size', Parameter.Checkpoint, replaced('\n2\n', '\n3\n')],
  ["a stranger's signature", Parameter.Checkpoint, replaced(/— (\S+) \S+/, `— $1 ${'A'.repeat(91)}=`)],
  ['a line more on its checkpoint', Parameter.Checkpoint, replaced(/$/, 'more\n')],
])('an epoch does not end with %s', async (_what, parameter, change) => {
  await expect(writeLog(closingWith(parameter, change), { closeNow: true })).rejects.toMatchObject({
    code: 'PB202',
  })
  expect(await writeLog(world.services, { closeNow: true })).toBe(1)
  const { exitCode } = await visitOnce(await publishedFiles(world.services.pool), { now: world.clock.now() })
  expect(exitCode).toBe(0)
})
