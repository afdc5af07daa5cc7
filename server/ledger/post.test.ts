import { sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { beforeAll, expect, test } from 'vitest'
import { deposit, firmBalance, insertUser, investorWith } from '#test/support/books.ts'
import { type TestDatabase, testDatabase } from '#test/support/database.ts'
import { balancesOfInvestors, investorBalances } from './balances.ts'
import type { Posting } from './chart.ts'
import { booksAtAGlance } from './daily.ts'
import * as events from './events.ts'
import { post, postEach } from './post.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase({ ledgerAlone: true })
})

/** Posts a list in one call, as the hot commands do; returns each refusal. */
async function refusalsOf(postings: Posting[]): Promise<(string | null)[]> {
  const { rows } = await sql<{ refusals: ({ code: string } | null)[] }>`
    SELECT to_jsonb(${postEach(postings)}) AS refusals`.execute(database.db)
  return rows[0]!.refusals.map(refused => refused?.code ?? null)
}

test('[B-05] in a list, a transaction refused at its last leg leaves the next one unaffected', async () => {
  const userId = await investorWith(database, 1_000n)
  const of = { userId, actor: null }
  const payment = { asset: 'BTC', receivedUnits: 5n } as const
  const funded = { ...of, investmentId: uuidv7(), payment, amountCents: 500n }
  const withdrawal = events.withdrawalRequested({ ...of, withdrawalId: uuidv7(), amountCents: 900n })
  const paid = { ...of, withdrawalId: uuidv7(), holdId: withdrawal.id, amountCents: 900n }
  const refusals = await refusalsOf([
    events.investmentFunded({ ...funded, investedCents: 1_501n }),
    withdrawal,
    events.investmentFunded({ ...funded, investedCents: 600n }),
    events.withdrawalRequested({ ...of, withdrawalId: uuidv7(), amountCents: 1n }),
  ])
  expect(refusals).toEqual(['insufficient_funds', null, null, 'insufficient_funds'])
  expect(await investorBalances(database.db, userId)).toEqual({ available: 0n, held: 900n, invested: 600n })
  expect(await refusalsOf([events.withdrawalPaid(paid), events.withdrawalDeclined(paid)])).toEqual([
    null,
    'hold_not_open',
  ])
  expect(await investorBalances(database.db, userId)).toEqual({ available: 0n, held: 0n, invested: 600n })
})

test('a refusal states the balance, in words for its reader', async () => {
  const userId = await investorWith(database, 123_456n)
  const of = { userId, actor: null, amountCents: 123_457n }
  await expect(
    post(database.db, events.withdrawalRequested({ ...of, withdrawalId: uuidv7() })),
  ).rejects.toMatchObject({
    code: 'insufficient_funds',
    status: 409,
    message: 'Insufficient funds: $1,234.56 is available.',
  })
  await expect(post(database.db, events.earningPaid({ ...of, earningId: uuidv7() }))).rejects.toMatchObject({
    code: 'insufficient_returns',
    status: 409,
    message: expect.stringContaining('$0.00'),
  })
})

test("a payment's rounding remainder goes to the rounding account, either way", async () => {
  const userId = await insertUser(database)
  const of = { userId, actor: null, amountCents: 10_000n }
  const before = await firmBalance(database.db, 'rounding', 'BTC')
  const settle = (receivedUnits: bigint, exchangedUnits: bigint) => {
    const payment = { asset: 'BTC', receivedUnits, exchangedUnits } as const
    return post(database.db, events.depositSettled({ ...of, depositId: uuidv7(), payment }))
  }
  await settle(153_850n, 153_846n)
  expect((await firmBalance(database.db, 'rounding', 'BTC')) - before).toBe(4n)
  await settle(153_840n, 153_846n)
  expect((await firmBalance(database.db, 'rounding', 'BTC')) - before).toBe(-2n)
  expect((await investorBalances(database.db, userId)).available).toBe(20_000n)
})

test('balances of several investors, and of all together, are read from the ledger', async () => {
  const together = async () =>
    (await booksAtAGlance(database.db, { today: '2026-01-01', since: '2026-01-01' })).owed
  const before = await together()
  const [one, two, none] = [await investorWith(database, 100n), await investorWith(database, 200n), uuidv7()]
  await post(
    database.db,
    events.withdrawalRequested({ userId: two, actor: two, withdrawalId: uuidv7(), amountCents: 50n }),
  )
  const balances = await balancesOfInvestors(database.db, [one, two, none])
  expect([balances.get(one), balances.get(two), balances.get(none)]).toEqual([
    { available: 100n, held: 0n, invested: 0n },
    { available: 150n, held: 50n, invested: 0n },
    undefined,
  ])
  const after = await together()
  expect([after.available - before.available, after.held - before.held]).toEqual([250n, 50n])
})

test("the books' owner may backdate demonstration postings, in order per account", async () => {
  const userId = await insertUser(database)
  const client = await database.owner.connect()
  const call = (amount: number) =>
    client.query(
      `SELECT ledger.post(ROW (gen_random_uuid(), 'deposit.settled', 'deposit', gen_random_uuid(), NULL, NULL, NULL),
         ARRAY[ROW (1, ledger.firm(), 'exchange', $1::uuid, 'available', 'USD', $2::bigint)::ledger.leg])`,
      [userId, amount],
    )
  await client.query("SET ledger.at = '2026-03-01T12:00:00Z'")
  await call(100)
  await client.query("SET ledger.at = '2026-02-01T12:00:00Z'")
  await call(200)
  await client.query('RESET ledger.at')
  client.release()
  await post(database.db, deposit(userId, 300n))
  const { rows } = await database.owner.query(
    `SELECT e.amount, t.created_at = '2026-03-01T12:00:00Z' AS march, t.created_at > now() - interval '1 minute' AS now
       FROM ledger.entries e JOIN ledger.transactions t ON t.id = e.transaction_id
       JOIN ledger.accounts a ON a.id = e.account_id WHERE a.owner = $1 ORDER BY e.id`,
    [userId],
  )
  expect(rows).toEqual([
    { amount: 100n, march: true, now: false },
    { amount: 200n, march: true, now: false },
    { amount: 300n, march: false, now: true },
  ])
})

test('a transaction has no more lines than fit into a leaf of the public log', async () => {
  const userId = await investorWith(database, 1n)
  const { legs, ...one } = deposit(userId, 1n)
  const withLegs = (count: number): Posting => ({
    ...one,
    id: uuidv7(),
    legs: Array.from({ length: count }, (_, index) => legs[index % legs.length]!),
  })
  const { rows } = await database.owner.query<{ legs: number; bytes: number }>(`
    SELECT ledger.most_lines() / 2 AS legs,
           octet_length(ledger.public_leaf(now(), max(event), repeat(
             ledger.public_line('available', 'USD', -9223372036854775808, encode(sha256(''), 'base64')), ledger.most_lines()))) AS bytes
      FROM ledger.posting_rules`)
  const { legs: most, bytes } = rows[0]!
  expect(bytes).toBeLessThan(65_536)
  await expect(post(database.db, withLegs(most))).resolves.toEqual(expect.any(String))
  await expect(post(database.db, withLegs(most + 1))).rejects.toThrow(
    `a transaction has at most ${2 * most} lines`,
  )
})
