import { sql } from 'kysely'
import type { Pool } from 'pg'
import { v7 as uuidv7 } from 'uuid'
import { beforeAll, describe, expect, test } from 'vitest'
import { deposit, insertUser } from '#test/support/books.ts'
import { type TestDatabase, testDatabase } from '#test/support/database.ts'
import { investorBalances } from './balances.ts'
import { withdrawalDeclined, withdrawalRequested } from './events.ts'
import { post } from './post.ts'

// What the database refuses to every client: raw SQL, as the application and as the owner of the tables.

let database: TestDatabase
/** An investor with $500.00 available and $100.00 held, and that hold. */
let userId: string
let withdrawalId: string
let holdId: string
beforeAll(async () => {
  database = await testDatabase({ ledgerAlone: true })
  userId = await insertUser(database)
  withdrawalId = uuidv7()
  await post(database.db, deposit(userId, 60_000n))
  holdId = await post(
    database.db,
    withdrawalRequested({ userId, actor: userId, withdrawalId, amountCents: 10_000n }),
  )
  await database.owner.query(
    `INSERT INTO ledger.idempotency_keys (caller, key, request_hash, answer, created_at)
     SELECT $1, label, 'hash', answer::jsonb, now() - make_interval(days => days)
       FROM (VALUES ('young, refused', '{"refused": {}}', 29), ('old, done', '{"result": {}}', 31),
                    ('old, refused', '{"refused": {}}', 31)) AS v (label, answer, days)`,
    [userId],
  )
})

/** The SQLSTATE of a refused statement; the books must not have changed. */
async function refusal(pool: Pool, statement: string, values: unknown[] = []): Promise<string> {
  const before = await picture()
  const code = await pool.query(statement, values).then(
    () => 'accepted',
    error => error.code,
  )
  expect(await picture()).toEqual(before)
  return code
}

async function picture(): Promise<unknown> {
  const { rows } = await database.owner.query(`
    SELECT (SELECT jsonb_agg(a ORDER BY a.id) FROM ledger.accounts a) AS accounts,
           (SELECT jsonb_agg(e ORDER BY e.id) FROM ledger.entries e) AS entries,
           (SELECT jsonb_agg(t ORDER BY t.id) FROM ledger.transactions t) AS transactions,
           (SELECT jsonb_agg(h ORDER BY h.id) FROM ledger.holds h) AS holds,
           (SELECT jsonb_agg(k ORDER BY k.key) FROM ledger.idempotency_keys k) AS keys`)
  return rows[0]
}

async function accountId(kind: string, asset = 'USD', owner = userId): Promise<bigint> {
  const { rows } = await database.owner.query(
    'SELECT id FROM ledger.accounts WHERE kind = $1 AND asset = $2 AND owner IN ($3, ledger.firm())',
    [kind, asset, owner],
  )
  return rows[0].id
}

type Entry = {
  line: number
  account: bigint
  amount: number
  previous?: number | null
  balance?: number | null
  version?: number | null
}

/** Writes a transaction with raw SQL, in one statement as the guard demands, with a given defect. */
function byHand(
  event: string,
  entries: Entry[],
  { hold = null as string | null, at = 'clock_timestamp()' } = {},
) {
  const lines = entries.map(
    ({ line, account, amount, previous = null, balance = null, version = null }) =>
      `(${line}, ${account}, ${amount}, ${previous}::bigint, ${balance}::bigint, ${version}::bigint)`,
  )
  return `DO $$
    DECLARE transaction uuid := gen_random_uuid();
    BEGIN
      INSERT INTO ledger.transactions (id, event, reference_kind, reference_id, hold_id, created_at)
      VALUES (transaction, '${event}', split_part('${event}', '.', 1), gen_random_uuid(), ${hold ? `'${hold}'` : 'NULL'}, ${at});
      INSERT INTO ledger.entries (transaction_id, line, account_id, amount, previous_balance, new_balance, version)
      SELECT transaction, e.* FROM (VALUES ${lines.join(', ')}) AS e;
    END $$`
}

const tables = [
  'accounts',
  'transactions',
  'entries',
  'holds',
  'idempotency_keys',
  'snapshots',
  'snapshot_marks',
  'invariant_runs',
  'posting_rules',
  'account_kinds',
  'assets',
]

describe('as the application', () => {
  test.each(tables)(
    '[B-01] ledger.%s can be read, and neither written, changed, deleted nor emptied',
    async table => {
      const { app } = database
      await app.query(`SELECT * FROM ledger.${table} LIMIT 1`)
      const { rows } = await database.owner.query(
        `SELECT attname FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND attidentity = '' LIMIT 1`,
        [`ledger.${table}`],
      )
      const column = rows[0].attname
      expect(await refusal(app, `INSERT INTO ledger.${table} DEFAULT VALUES`)).toBe('42501')
      expect(await refusal(app, `UPDATE ledger.${table} SET ${column} = ${column}`)).toBe('42501')
      expect(await refusal(app, `DELETE FROM ledger.${table}`)).toBe('42501')
      expect(await refusal(app, `TRUNCATE ledger.${table}`)).toBe('42501')
      expect(await refusal(app, `TRUNCATE ledger.${table} CASCADE`)).toBe('42501')
    },
  )

  test.each([
    'ALTER TABLE ledger.entries DISABLE TRIGGER ALL',
    'DROP TRIGGER entries_guard ON ledger.entries',
    'DROP TABLE ledger.entries',
    "SET session_replication_role = 'replica'",
    'SET ROLE probity_owner',
    'CREATE TABLE ledger.mine (id int)',
    'CREATE OR REPLACE FUNCTION ledger.firm() RETURNS uuid LANGUAGE sql AS $$ SELECT NULL::uuid $$',
    'SELECT ledger.broken_promises(NULL)',
  ])('[B-01] the guards cannot be taken off: %s', async statement => {
    expect(await refusal(database.app, statement)).toBe('42501')
  })

  test('[B-02] post() refuses overdrafts, unlisted postings and non-positive amounts', async () => {
    const call = (event: string, from: string, to: string, amount: string, owner = `'${userId}'::uuid`) => `
      SELECT ledger.post(ROW (gen_random_uuid(), '${event}', split_part('${event}', '.', 1), gen_random_uuid(), NULL, NULL, NULL), ARRAY[ROW (1,
        ${from.startsWith('!') ? 'ledger.firm()' : owner}, '${from.replace('!', '')}',
        ${to.startsWith('!') ? 'ledger.firm()' : owner}, '${to.replace('!', '')}', 'USD', ${amount})::ledger.leg])`
    const { app } = database
    expect(await refusal(app, call('withdrawal.requested', 'available', 'held', '50001'))).toBe('PB001')
    expect(await refusal(app, call('earning.paid', '!recorded_returns', 'available', '1'))).toBe('PB001')
    expect(await refusal(app, call('withdrawal.requested', 'available', 'held', '9223372036854775807'))).toBe(
      'PB001',
    )
    expect(await refusal(app, call('withdrawal.requested', 'available', 'invested', '1'))).toBe('PB102')
    expect(await refusal(app, call('return.recorded', 'available', '!recorded_returns', '1'))).toBe('PB102')
    expect(await refusal(app, call('gift', '!exchange', 'available', '1'))).toBe('PB102')
    expect(await refusal(app, call('withdrawal.requested', 'available', 'held', '0'))).toBe('23514')
    expect(await refusal(app, call('withdrawal.requested', 'available', 'held', '-1'))).toBe('23514')
    expect(await refusal(app, call('deposit.settled', 'exchange', 'available', '1'))).toBe('PB103')
    expect(await refusal(app, call('withdrawal.requested', '!available', '!held', '1'))).toBe('PB103')
    expect(await refusal(app, call('withdrawal.declined', 'held', 'available', '10000'))).toBe('PB104')
  })

  test("[B-02] no posting moves one investor's money to another", async () => {
    const bob = await insertUser(database)
    await post(database.db, deposit(bob, 10_000n))
    const call = (event: string, hold: string | null, from: string, to: string) => `
      SELECT ledger.post(
        ROW (gen_random_uuid(), '${event}', split_part('${event}', '.', 1), '${withdrawalId}', ${hold && `'${hold}'`}, NULL, NULL),
        ARRAY[ROW (1, '${userId}', '${from}', '${bob}', '${to}', 'USD', 10000)::ledger.leg])`
    const { app } = database
    expect(await refusal(app, call('withdrawal.requested', null, 'available', 'held'))).toBe('PB102')
    expect(await refusal(app, call('withdrawal.declined', holdId, 'held', 'available'))).toBe('PB102')
    expect(await refusal(app, call('investment.approved', holdId, 'held', 'invested'))).toBe('PB102')
  })

  test('[B-01] a posting is of now, whatever time the application says', async () => {
    const other = await insertUser(database)
    await database.db.transaction().execute(async tx => {
      await sql`SET LOCAL ledger.at = '2020-01-01'`.execute(tx)
      const id = await post(tx, deposit(other, 100n))
      const { rows } = await sql<{ late: boolean }>`
        SELECT created_at > now() - interval '1 minute' AS late FROM ledger.transactions WHERE id = ${id}`.execute(
        tx,
      )
      expect(rows).toEqual([{ late: true }])
    })
  })
})

describe('as the owner of the tables', () => {
  test.each([
    'UPDATE ledger.entries SET amount = amount + 1, new_balance = new_balance + 1',
    'DELETE FROM ledger.entries',
    'DELETE FROM ledger.entries WHERE false',
    'TRUNCATE ledger.entries',
    'TRUNCATE ledger.entries, ledger.transactions, ledger.accounts CASCADE',
    "UPDATE ledger.transactions SET memo = 'other'",
    'DELETE FROM ledger.transactions',
    'TRUNCATE ledger.transactions',
    'UPDATE ledger.accounts SET balance = balance + 1',
    'UPDATE ledger.accounts SET floor = -1000000',
    "UPDATE ledger.accounts SET owner = gen_random_uuid() WHERE kind = 'available'",
    'DELETE FROM ledger.accounts',
    'TRUNCATE ledger.accounts',
    'INSERT INTO ledger.holds (id, account_id, amount) SELECT gen_random_uuid(), account_id, 1 FROM ledger.holds',
    "UPDATE ledger.holds SET resolution = 'voided', resolved_by = gen_random_uuid()",
    'DELETE FROM ledger.holds',
    'TRUNCATE ledger.holds',
    "UPDATE ledger.idempotency_keys SET answer = '{}'",
    "UPDATE ledger.idempotency_keys SET request_hash = '' WHERE key LIKE 'old%'",
    "UPDATE ledger.idempotency_keys SET request_hash = '', answer = 'null', key = 'other' WHERE key LIKE 'old%'",
    "UPDATE ledger.idempotency_keys SET request_hash = '', answer = 'null' WHERE key = 'young, refused'",
    'DELETE FROM ledger.idempotency_keys',
    "DELETE FROM ledger.idempotency_keys WHERE key = 'young, refused'",
    "DELETE FROM ledger.idempotency_keys WHERE key = 'old, done'",
    'TRUNCATE ledger.idempotency_keys',
    'UPDATE ledger.snapshots SET balance = 0',
    'DELETE FROM ledger.invariant_runs',
  ])('[B-01] what is written stays: %s', async statement => {
    expect(await refusal(database.owner, statement)).toBe('PB900')
  })

  test('[B-06] a key that is used up stays', async () => {
    const { owner } = database
    await owner.query(
      `INSERT INTO ledger.idempotency_keys (caller, key, request_hash, answer, created_at)
       VALUES ($1, 'used up', '', 'null', now() - interval '31 days')`,
      [userId],
    )
    for (const statement of [
      'DELETE FROM ledger.idempotency_keys',
      "UPDATE ledger.idempotency_keys SET answer = '{}'",
    ])
      expect(await refusal(owner, `${statement} WHERE key = 'used up'`)).toBe('PB900')
  })

  test('[B-02] a new account is empty and one of the chart', async () => {
    const { owner } = database
    const open =
      'INSERT INTO ledger.accounts (owner, kind, asset, floor, balance, version) VALUES ($1, $2, $3, $4, $5, 7)'
    for (const values of [
      [uuidv7(), 'custody', 'BTC', null, null],
      [uuidv7(), 'available', 'BTC', 0, 0],
      ['00000000-0000-0000-0000-000000000000', 'available', 'USD', 0, 0],
      [uuidv7(), 'treasure', 'USD', 0, 0],
    ])
      expect(await refusal(owner, open, values)).toBe('PB103')
    const stranger = uuidv7()
    await owner.query(open, [stranger, 'available', 'USD', -500, 1_000_000])
    const { rows } = await owner.query(
      'SELECT floor, balance, version FROM ledger.accounts WHERE owner = $1',
      [stranger],
    )
    expect(rows).toEqual([{ floor: 0n, balance: 0n, version: 0n }])
  })

  test('[B-02] a transaction that does not balance is refused', async () => {
    const { owner } = database
    const exchange = await accountId('exchange')
    const available = await accountId('available')
    const coins = await accountId('exchange', 'USDT')
    const credit = { line: 2, account: available, amount: 100, previous: 50_000, balance: 50_100, version: 3 }
    const debit = { line: 1, account: exchange, amount: -100 }
    for (const entries of [
      [{ ...debit, amount: -99 }, credit],
      [{ ...debit, account: coins }, credit],
      [debit],
      [{ ...credit, line: 2 }],
      [debit, { ...debit, line: 3 }],
      [debit, credit, { line: 3, account: exchange, amount: -5 }],
      [
        { ...debit, line: 3 },
        { ...credit, line: 4 },
      ],
    ])
      expect(await refusal(owner, byHand('deposit.settled', entries))).toBe('PB101')
    expect(await refusal(owner, byHand('deposit.settled', [{ ...debit, amount: 100 }, credit]))).toBe('23514')
    expect(await refusal(owner, byHand('deposit.settled', [debit, { ...credit, account: 999_999n }]))).toBe(
      'PB101',
    )
  })

  test("[B-02] entries must continue their account's latest entry, not below its floor", async () => {
    const { owner } = database
    const exchange = await accountId('exchange')
    const available = await accountId('available')
    const debit = { line: 1, account: exchange, amount: -100 }
    const credit = { line: 2, account: available, amount: 100, previous: 50_000, balance: 50_100, version: 3 }
    for (const wrong of [
      { version: 4 },
      { version: null, previous: null, balance: null },
      { previous: 50_001, balance: 50_101 },
      { previous: null },
    ])
      expect(await refusal(owner, byHand('deposit.settled', [debit, { ...credit, ...wrong }]))).toBe('PB103')
    expect(await refusal(owner, byHand('deposit.settled', [debit, { ...credit, version: 2 }]))).toBe('23505')
    expect(await refusal(owner, byHand('deposit.settled', [debit, { ...credit, balance: 50_200 }]))).toBe(
      '23514',
    )
    expect(
      await refusal(owner, byHand('deposit.settled', [debit, credit], { at: "now() - interval '1 day'" })),
    ).toBe('PB103')
    const running = { ...debit, previous: 0, balance: -100, version: 1 }
    expect(await refusal(owner, byHand('deposit.settled', [running, credit]))).toBe('PB103')

    const held = await accountId('held')
    const overdraft = [
      { line: 1, account: available, amount: -50_001, previous: 50_000, balance: -1, version: 3 },
      { line: 2, account: held, amount: 50_001, previous: 10_000, balance: 60_001, version: 2 },
    ]
    expect(await refusal(owner, byHand('withdrawal.requested', overdraft))).toBe('PB103')
  })

  test('[B-02] below the floor for a moment is below the floor', async () => {
    const { owner } = database
    const [available, invested, exchange] = [
      await accountId('available'),
      await openAccount('invested'),
      await accountId('exchange'),
    ]
    const entries = [
      { line: 1, account: available, amount: -60_000, previous: 50_000, balance: -10_000, version: 3 },
      { line: 2, account: invested, amount: 60_000, previous: 0, balance: 60_000, version: 1 },
      { line: 3, account: exchange, amount: -20_000 },
      { line: 4, account: available, amount: 20_000, previous: -10_000, balance: 10_000, version: 4 },
    ]
    expect(await refusal(owner, byHand('investment.funded', entries))).toBe('PB103')
  })

  test('[B-02] nothing is added to a transaction later', async () => {
    const { owner } = database
    const { rows } = await owner.query(
      `SELECT id FROM ledger.transactions WHERE event = 'deposit.settled' LIMIT 1`,
    )
    const add = (line: number) => `
      INSERT INTO ledger.entries (transaction_id, line, account_id, amount, previous_balance, new_balance, version)
      SELECT '${rows[0].id}'::uuid, e.* FROM (VALUES
        (${line}, ${exchange}, -100, NULL::bigint, NULL::bigint, NULL::bigint),
        (${line + 1}, ${available}, 100, 50000, 50100, 3)) AS e`
    const exchange = await accountId('exchange')
    const available = await accountId('available')
    expect(await refusal(owner, add(5))).toBe('PB101')
    expect(await refusal(owner, add(1))).toBe('23505')
  })

  test('[B-04] no money moves where no rule leads it, least of all into recorded returns', async () => {
    const { owner } = database
    const available = await accountId('available')
    const returns = await openAccount('recorded_returns', '00000000-0000-0000-0000-000000000000')
    const entries = [
      { line: 1, account: available, amount: -100, previous: 50_000, balance: 49_900, version: 3 },
      { line: 2, account: returns, amount: 100, previous: 0, balance: 100, version: 1 },
    ]
    const { rows } = await owner.query('SELECT DISTINCT event FROM ledger.posting_rules')
    for (const { event } of [...rows, { event: 'gift' }])
      expect(await refusal(owner, byHand(event, entries))).toBe('PB102')
  })

  test('[B-02] a hold is placed with its entry, and resolved once, in full, by its own account', async () => {
    const { owner } = database
    const [available, held] = [await accountId('available'), await accountId('held')]
    const release = (amount: number) => [
      { line: 1, account: held, amount: -amount, previous: 10_000, balance: 10_000 - amount, version: 2 },
      { line: 2, account: available, amount, previous: 50_000, balance: 50_000 + amount, version: 3 },
    ]
    const declined = (entries: Entry[], hold: string | null) =>
      byHand('withdrawal.declined', entries, { hold })
    expect(await refusal(owner, declined(release(10_000), null))).toBe('PB104')
    expect(await refusal(owner, declined(release(9_999), holdId))).toBe('PB104')
    expect(await refusal(owner, declined(release(10_000), uuidv7()))).toBe('PB104')
    const place = [
      { line: 1, account: available, amount: -100, previous: 50_000, balance: 49_900, version: 3 },
      { line: 2, account: held, amount: 100, previous: 10_000, balance: 10_100, version: 2 },
    ]
    expect(await refusal(owner, byHand('withdrawal.requested', place, { hold: holdId }))).toBe('PB104')

    const of = { userId, actor: null, withdrawalId, holdId, amountCents: 10_000n }
    await post(database.db, withdrawalDeclined(of))
    await expect(post(database.db, withdrawalDeclined(of))).rejects.toMatchObject({ code: 'wrong_state' })
    // Another hold's money would suffice, but the first hold is resolved.
    const other = { userId, actor: null, withdrawalId: uuidv7(), amountCents: 10_000n }
    const otherHold = await post(database.db, withdrawalRequested(other))
    const again = [
      { line: 1, account: held, amount: -10_000, previous: 10_000, balance: 0, version: 4 },
      { line: 2, account: available, amount: 10_000, previous: 50_000, balance: 60_000, version: 5 },
    ]
    expect(await refusal(owner, declined(again, holdId))).toBe('PB104')
    await post(database.db, withdrawalDeclined({ ...other, holdId: otherHold }))
    expect(await investorBalances(database.db, userId)).toEqual({
      available: 60_000n,
      held: 0n,
      invested: 0n,
    })
  })
})

async function openAccount(kind: string, owner = userId): Promise<bigint> {
  await database.owner.query(
    `INSERT INTO ledger.accounts (owner, kind, asset) VALUES ($1, $2, 'USD') ON CONFLICT DO NOTHING`,
    [owner, kind],
  )
  return accountId(kind)
}
