import { createHash } from 'node:crypto'
import { v7 as uuidv7 } from 'uuid'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { insertUser, investorWith, withdrawalCommand } from '#test/support/books.ts'
import { type TestDatabase, testDatabase } from '#test/support/database.ts'
import { investorBalances } from './balances.ts'
import { executeMoney, type MoneyCommand, type MoneyOutcome, MoneyWriter, moneyWriter } from './batch.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
})

const hash = (text: string) => createHash('sha256').update(text).digest()

function results(outcomes: MoneyOutcome[]): number {
  return outcomes.filter(outcome => 'result' in outcome).length
}

async function count(table: string, column: string, id: string): Promise<number> {
  const { rows } = await database.owner.query(
    `SELECT count(*)::int AS n FROM ${table} WHERE ${column} = $1`,
    [id],
  )
  return rows[0].n
}

const removeAddress = 'UPDATE app.payout_addresses SET removed_at = now() WHERE user_id = $1'

async function planOf(minimum: number, maximum: number | null): Promise<string> {
  const id = uuidv7()
  await database.owner.query(
    `INSERT INTO app.plan_versions (id, plan_id, version, current, position, name, percentage_bp, minimum_cents,
       maximum_cents, duration, duration_days) VALUES ($1::uuid, $1::uuid, 1, true, 1, $1::text, 300, $2, $3, '30 days', 30)`,
    [id, minimum, maximum],
  )
  return id
}

test('a withdrawal request is done with all that belongs to it', async () => {
  const userId = await investorWith(database, 10_000n)
  const command = withdrawalCommand(userId, 2_500n)
  const outcome = await moneyWriter(database.app).execute(command)
  expect(outcome).toEqual({
    result: {
      _id: command.id,
      amount: 25,
      invoiceId: expect.stringMatching(/^WDR-2\d{3}-\d{6,}$/),
      userName: expect.any(String),
    },
  })
  expect(await investorBalances(database.db, userId)).toEqual({
    available: 7_500n,
    held: 2_500n,
    invested: 0n,
  })
  expect(await count('app.withdrawals', 'id', command.id)).toBe(1)
  expect(await count('app.audit_log', 'subject_id', command.id)).toBe(1)
  expect(await count('ledger.holds', 'id', command.holdId)).toBe(1)
  const { rows } = await database.owner.query(
    `SELECT payload FROM graphile_worker._private_jobs WHERE payload ->> 'id' = $1`,
    [command.id],
  )
  expect(rows).toEqual([{ payload: { notice: 'withdrawal.requested', id: command.id } }])
})

test("an investment from the balance is complete and within its plan's limits", async () => {
  const userId = await investorWith(database, 100_000n)
  const planVersion = await planOf(50_000, 80_000)
  const { payout: _, ...of } = withdrawalCommand(userId, 60_000n)
  const investment: MoneyCommand = { ...of, kind: 'investment', planVersion }
  const writer = moneyWriter(database.app)
  for (const amountCents of [49_999n, 80_001n])
    expect(await writer.execute({ ...investment, amountCents })).toEqual({
      refusal: { code: 'plan_changed' },
    })
  const outcome = await writer.execute(investment)
  expect(outcome).toMatchObject({ result: { _id: of.id, invoiceId: expect.stringMatching(/^INV-/) } })
  const { rows } = await database.owner.query('SELECT * FROM app.investments WHERE user_id = $1', [userId])
  expect(rows).toMatchObject([{ id: of.id, status: 'pending', method: 'balance', hold_id: of.holdId }])
  expect(await investorBalances(database.db, userId)).toMatchObject({ available: 40_000n, held: 60_000n })

  await database.owner.query('UPDATE app.plan_versions SET current = false WHERE id = $1', [planVersion])
  const late = { ...investment, id: uuidv7(), holdId: uuidv7() }
  expect(await writer.execute(late)).toEqual({ refusal: { code: 'plan_changed' } })
})

test('[B-05] in one list, refused commands leave the others alone and no trace of themselves', async () => {
  const rich = await investorWith(database, 1_000n)
  const poor = await investorWith(database, 100n)
  const unverified = await insertUser(database, { verified: false })
  const commands = [
    withdrawalCommand(poor, 101n),
    withdrawalCommand(rich, 700n),
    withdrawalCommand(unverified, 1n),
    withdrawalCommand(rich, 301n),
    withdrawalCommand(poor, 100n),
    withdrawalCommand(rich, 300n),
  ]
  const outcomes = await executeMoney(database.db, commands)
  expect(outcomes.map(outcome => ('result' in outcome ? 'done' : outcome.refusal))).toEqual([
    { code: 'insufficient_funds', owner: poor, kind: 'available', asset: 'USD', balance: 100n, needed: 101n },
    'done',
    { code: 'email_not_verified' },
    { code: 'insufficient_funds', owner: rich, kind: 'available', asset: 'USD', balance: 300n, needed: 301n },
    'done',
    'done',
  ])
  for (const userId of [rich, poor]) expect((await investorBalances(database.db, userId)).available).toBe(0n)
  for (const i of [0, 2, 3]) {
    expect(await count('app.withdrawals', 'id', commands[i]!.id)).toBe(0)
    expect(await count('app.audit_log', 'subject_id', commands[i]!.id)).toBe(0)
    expect(await count('ledger.transactions', 'id', commands[i]!.holdId)).toBe(0)
  }
})

test('[B-06] a known key repeats its first answer or refusal, and refuses another request', async () => {
  const userId = await investorWith(database, 1_000n)
  const writer = moneyWriter(database.app)
  const key = { key: uuidv7(), hash: hash('one') }
  const first = await writer.execute(withdrawalCommand(userId, 400n, key))
  expect(await writer.execute(withdrawalCommand(userId, 400n, key))).toEqual(first)
  expect(await writer.execute(withdrawalCommand(userId, 500n, { ...key, hash: hash('two') }))).toEqual({
    refusal: { code: 'idempotency_key_reused' },
  })
  expect(await investorBalances(database.db, userId)).toMatchObject({ available: 600n, held: 400n })

  const refusedKey = { key: uuidv7(), hash: hash('three') }
  const refused = await writer.execute(withdrawalCommand(userId, 601n, refusedKey))
  expect(refused).toMatchObject({ refusal: { code: 'insufficient_funds', balance: 600n } })
  await writer.execute(withdrawalCommand(userId, 100n))
  expect(await writer.execute(withdrawalCommand(userId, 601n, refusedKey))).toEqual(refused)

  const stranger = await investorWith(database, 1_000n)
  expect(await writer.execute(withdrawalCommand(stranger, 400n, key))).toHaveProperty('result')
})

test('[B-06] a known key repeats its answer, even if its request would be refused now', async () => {
  const userId = await investorWith(database, 1_000n)
  const writer = moneyWriter(database.app)
  const key = { key: uuidv7(), hash: hash('one') }
  const first = await writer.execute(withdrawalCommand(userId, 400n, key))
  await database.owner.query(removeAddress, [userId])
  expect(await writer.execute(withdrawalCommand(userId, 400n, key))).toEqual(first)
  expect(await writer.execute(withdrawalCommand(userId, 400n))).toEqual({ refusal: { code: 'address_new' } })
})

test('an address that is removed while a request waits for its key is not paid', async () => {
  const userId = await investorWith(database, 1_000n)
  const key = { key: uuidv7(), hash: hash('one') }
  const other = await database.owner.connect()
  onTestFinished(() => other.release())
  await other.query('BEGIN')
  await other.query('SELECT ledger.lock_key($1, $2)', [userId, key.key])
  const asked = moneyWriter(database.app).execute(withdrawalCommand(userId, 400n, key))
  const sessions = '(SELECT * FROM pg_stat_activity WHERE datname = current_database()) AS session'
  await expect.poll(() => count(sessions, 'wait_event_type', 'Lock')).toBe(1)
  await database.owner.query(removeAddress, [userId])
  await other.query('COMMIT')
  expect(await asked).toEqual({ refusal: { code: 'address_new' } })
  expect(await investorBalances(database.db, userId)).toMatchObject({ available: 1_000n, held: 0n })
})

test('a fixable refusal is not stored with the key', async () => {
  const userId = await insertUser(database, { verified: false })
  const key = { key: uuidv7(), hash: hash('one') }
  const writer = moneyWriter(database.app)
  expect(await writer.execute(withdrawalCommand(userId, 1n, key))).toEqual({
    refusal: { code: 'email_not_verified' },
  })
  await database.owner.query('UPDATE app.users SET email_verified_at = now() WHERE id = $1', [userId])
  expect(await writer.execute(withdrawalCommand(userId, 1n, key))).toMatchObject({
    refusal: { code: 'insufficient_funds' },
  })
})

test('[B-06] the same key 50 times in parallel from two processes acts once', async () => {
  const userId = await investorWith(database, 100_000n)
  const key = { key: uuidv7(), hash: hash('one') }
  const processes = [new MoneyWriter(database.app), new MoneyWriter(database.app)]
  const outcomes = await Promise.all(
    Array.from({ length: 50 }, (_, i) => processes[i % 2]!.execute(withdrawalCommand(userId, 100n, key))),
  )
  expect(new Set(outcomes.map(outcome => JSON.stringify(outcome))).size).toBe(1)
  expect(await investorBalances(database.db, userId)).toMatchObject({ available: 99_900n, held: 100n })
  expect(await count('app.withdrawals', 'user_id', userId)).toBe(1)
})

test('[B-05] 200 withdrawals of the whole balance at once: one wins, the others are refused', async () => {
  const funded = await investorWith(database, 5_000n)
  const neverUsed = await insertUser(database)
  const processes = Array.from({ length: 4 }, () => new MoneyWriter(database.app))
  const ask = (userId: string) =>
    Promise.all(
      Array.from({ length: 200 }, (_, i) => processes[i % 4]!.execute(withdrawalCommand(userId, 5_000n))),
    )
  const [won, lost] = await Promise.all([ask(funded), ask(neverUsed)])
  expect([results(won), results(lost)]).toEqual([1, 0])
  for (const outcome of [...won, ...lost])
    if ('refusal' in outcome) expect(outcome.refusal.code).toBe('insufficient_funds')
  expect(await investorBalances(database.db, funded)).toEqual({ available: 0n, held: 5_000n, invested: 0n })
  expect(await investorBalances(database.db, neverUsed)).toEqual({ available: 0n, held: 0n, invested: 0n })
})

test('one command that the database cannot do fails alone', async () => {
  const userId = await investorWith(database, 1_000n)
  const writer = new MoneyWriter(database.app)
  const twice = withdrawalCommand(userId, 100n)
  const invalid = withdrawalCommand(userId, 100n)
  const settled = await Promise.allSettled([
    writer.execute(withdrawalCommand(userId, 100n)),
    writer.execute({ ...invalid, payout: { ...invalid.payout!, singleApprovalCents: 0n } }),
    writer.execute(twice),
  ])
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(await investorBalances(database.db, userId)).toMatchObject({ available: 800n, held: 200n })
})

test('commands in many lists over the same accounts never wait in a circle', async () => {
  const investors = await Promise.all(Array.from({ length: 6 }, () => investorWith(database, 10_000n)))
  const processes = Array.from({ length: 4 }, () => new MoneyWriter(database.app))
  const outcomes = await Promise.all(
    Array.from({ length: 600 }, (_, i) => {
      const key = { key: uuidv7(), hash: hash('x') }
      const userId = investors[Math.floor(Math.random() * investors.length)]!
      return processes[i % 4]!.execute(withdrawalCommand(userId, 100n, key))
    }),
  )
  let held = 0n
  for (const userId of investors) held += (await investorBalances(database.db, userId)).held
  expect(held).toBe(BigInt(results(outcomes)) * 100n)
  const { rows } = await database.owner.query(
    'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()',
  )
  expect(Number(rows[0].deadlocks)).toBe(0)
})
