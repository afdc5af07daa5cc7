import { v7 as uuidv7 } from 'uuid'
import { beforeEach, describe, expect, test } from 'vitest'
import { deposit, firmBalance, insertUser, investorWith } from '#test/support/books.ts'
import { allEnded, type TestDatabase, testDatabase } from '#test/support/database.ts'
import { until } from '#test/support/processes.ts'
import { tamper } from '#test/support/tampering.ts'
import { earningPaid, returnRecorded, withdrawalDeclined, withdrawalRequested } from './events.ts'
import { checkBooks, checkNewBooks, type InvariantRun, latestCheck, takeSnapshots } from './invariants.ts'
import { post } from './post.ts'
import type { PointKeeper } from './verified-points.ts'

let database: TestDatabase
let userId: string
/** A check before the first posting. */
let first: InvariantRun
beforeEach(async () => {
  database = await testDatabase({ ledgerAlone: true })
  first = await checkBooks(database.app, silent, none, keeper)
  userId = await investorWith(database, 50_000n)
  const of = { userId, actor: null, withdrawalId: uuidv7(), amountCents: 10_000n }
  const holdId = await post(database.db, withdrawalRequested(of))
  await post(database.db, withdrawalRequested({ ...of, withdrawalId: uuidv7() }))
  await post(database.db, withdrawalDeclined({ ...of, holdId }))
  await post(database.db, returnRecorded({ actor: null, returnId: uuidv7(), amountCents: 900n }))
  await post(database.db, earningPaid({ userId, actor: null, earningId: uuidv7(), amountCents: 300n }))
})

const secrets = { tokenSecret: 'x'.repeat(32), formerSecrets: [] }
const keeper = { secrets, now: new Date('2026-01-31T12:00:00Z') }
const silent = { info() {}, error() {} }
const none = async () => []

/** Checks what is new; returns since which run, and the names of violated invariants. */
async function checkNew(own: PointKeeper = keeper) {
  const run = await checkNewBooks(database.app, silent, none, own)
  return {
    run,
    since: run.since,
    broken: run.checks.filter(({ faults }) => faults > 0).map(({ name }) => name),
  }
}

/** How many points a run has. */
async function pointsOf({ id }: { id: bigint }): Promise<number | null> {
  return (await database.app.query('SELECT FROM ledger.verified_points WHERE run_id = $1', [id])).rowCount
}

/**
 * A thief of the application's login, with a snapshot of now. `store` stores a run of the check in it, and the run's point
 * up to the latest transaction, with what a process signed for the latest point.
 */
async function thiefWithSnapshot() {
  const client = await database.app.connect()
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
  const { rows: signed } = await client.query(
    'SELECT whole_on::text, before, signature FROM ledger.verified_points ORDER BY run_id DESC LIMIT 1',
  )
  const { whole_on, before, signature } = signed[0]
  const store = async (since: bigint) => {
    const { rows: now } = await database.app.query(
      'SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS xid',
    )
    const { rows } = await client.query("SELECT id, ok, since FROM ledger.check_books('[]', $1)", [since])
    const [run] = rows
    const point = [run.id, now[0].xid, whole_on, before, signature]
    await client.query('SELECT ledger.keep_verified_point($1, $2, $3, $4, $5)', point)
    await client.query('COMMIT')
    client.release()
    return { ...run, points: await pointsOf(run) }
  }
  return { store }
}

/** How many transactions a run has examined. */
function transactionsOf({ checks }: InvariantRun) {
  return checks.find(({ name }) => name === 'transactions_balance')!.examined
}

type Line = { level: 'info' | 'error'; fields: Record<string, unknown>; message: string }

/** Checks the books; returns the names of violated invariants and the logged lines. */
async function check() {
  const lines: Line[] = []
  const note = (level: Line['level']) => (fields: unknown, message?: string) =>
    void lines.push({ level, fields: fields as Line['fields'], message: message ?? '' })
  const run = await checkBooks(database.app, { info: note('info'), error: note('error') } as never)
  return { run, lines, broken: run.checks.filter(({ faults }) => faults > 0).map(({ name }) => name) }
}

/** Invariants about things that these books do not contain. */
const unused = [
  'snapshots_right',
  'totals_right',
  'days_right',
  'investments_booked',
  'withdrawals_booked',
  'earnings_booked',
  'returns_booked',
  'returns_spent',
  'withdrawals_approved',
  'approvers_within_limit',
  'withdrawals_paid_by_others',
  'earnings_approved',
  'returns_approved',
  'debts_repaid',
  'journal_as_sealed',
  'audit_as_sealed',
  'log_complete',
  'log_figures',
  'log_texts',
]

test('[B-03] books in order pass; the run is kept with what it examined', async () => {
  const { run, lines, broken } = await check()
  expect(broken).toEqual([])
  expect(run.ok).toBe(true)
  expect(run.checks.map(({ name, examined }) => [name, examined > 0])).toEqual(
    [
      'transactions_balance',
      'legs_permitted',
      'chains_unbroken',
      'balances_explained',
      'floors_held',
      'assets_conserved',
      'snapshots_right',
      'holds_agree',
      'returns_from_outside',
      'totals_right',
      'days_right',
      'deposits_booked',
      'investments_booked',
      'withdrawals_booked',
      'earnings_booked',
      'returns_booked',
      'returns_spent',
      'postings_recorded',
      'withdrawals_approved',
      'approvers_within_limit',
      'withdrawals_paid_by_others',
      'earnings_approved',
      'returns_approved',
      'debts_repaid',
      'transfers_credited_once',
      'journal_as_sealed',
      'audit_as_sealed',
      'log_complete',
      'log_figures',
      'log_texts',
    ].map(name => [name, !unused.includes(name)]),
  )
  expect(lines.map(({ level }) => level)).toEqual(['info'])
  expect(await latestCheck(database.app)).toEqual(run)
})

const available = `(SELECT id FROM ledger.accounts WHERE kind = 'available' LIMIT 1)`
const violations: [string, string, string[]][] = [
  [
    'a balance without an entry',
    'balances_explained',
    [`UPDATE ledger.accounts SET balance = balance + 1 WHERE kind = 'available'`],
  ],
  [
    'an entry of another amount',
    'transactions_balance',
    [`UPDATE ledger.entries SET amount = amount + 1, new_balance = new_balance + 1 WHERE version = 1`],
  ],
  ['an entry taken out', 'chains_unbroken', [`DELETE FROM ledger.entries WHERE version = 2`]],
  [
    'an entry dated back',
    'chains_unbroken',
    [`UPDATE ledger.transactions SET created_at = '2020-01-01' WHERE event = 'withdrawal.declined'`],
  ],
  [
    'an event that was something else',
    'legs_permitted',
    [`UPDATE ledger.transactions SET event = 'withdrawal.paid' WHERE event = 'withdrawal.declined'`],
  ],
  [
    "one investor's money in another's account",
    'legs_permitted',
    [
      `INSERT INTO ledger.accounts (owner, kind, asset, floor, balance, version, moved_at)
       SELECT gen_random_uuid(), kind, asset, floor, balance, version, moved_at FROM ledger.accounts WHERE kind = 'held'`,
      `UPDATE ledger.entries SET account_id = (SELECT max(id) FROM ledger.accounts WHERE kind = 'held')
        WHERE account_id = (SELECT min(id) FROM ledger.accounts WHERE kind = 'held')`,
    ],
  ],
  [
    'a transaction without entries',
    'legs_permitted',
    [
      `INSERT INTO ledger.transactions (id, event, reference_kind, reference_id, created_at)
     VALUES (gen_random_uuid(), 'earning.paid', 'earning', gen_random_uuid(), now())`,
    ],
  ],
  [
    'an account below its floor',
    'floors_held',
    [
      `ALTER TABLE ledger.accounts DROP CONSTRAINT accounts_check`,
      `UPDATE ledger.accounts SET balance = -1 WHERE kind = 'available'`,
    ],
  ],
  [
    'a floor that was lowered',
    'floors_held',
    [`UPDATE ledger.accounts SET floor = -5 WHERE kind = 'available'`],
  ],
  ['a hold that vanished', 'holds_agree', [`DELETE FROM ledger.holds WHERE resolution IS NULL`]],
  [
    'a hold resolved without a transaction',
    'holds_agree',
    [
      `UPDATE ledger.holds SET resolution = 'posted', resolved_by = gen_random_uuid() WHERE resolution IS NULL`,
    ],
  ],
  [
    "an investor's money in recorded returns",
    'returns_from_outside',
    [
      `UPDATE ledger.entries SET account_id = ${available}
        WHERE account_id = (SELECT id FROM ledger.accounts WHERE kind = 'returns_received')`,
    ],
  ],
  [
    'a snapshot that is wrong',
    'snapshots_right',
    [
      `INSERT INTO ledger.snapshots (account_id, entry_id, balance)
     SELECT account_id, id, -1 FROM ledger.entries WHERE version IS NULL LIMIT 1`,
    ],
  ],
  [
    'totals of statements that are wrong',
    'totals_right',
    [`INSERT INTO ledger.statement_blocks SELECT ${available}, 'deposit', 1, 64, 640, 0, 640, 0`],
  ],
]

test.each(violations)('[B-03] the alarm is raised for %s', async (_, name, statements) => {
  await tamper(database, ...statements)
  const { since, broken: brokenInNew } = await checkNew()
  expect(since).toBe(first.id)
  expect(brokenInNew).toContain(name)
  const { run, lines, broken } = await check()
  expect(broken).toContain(name)
  expect(run.ok).toBe(false)
  const alarms = lines.filter(({ level }) => level === 'error')
  expect(alarms.map(({ fields }) => fields.check)).toEqual(broken)
  expect(alarms.every(({ fields }) => (fields.examples as unknown[]).length > 0)).toBe(true)
  expect(lines.some(({ level }) => level === 'info')).toBe(false)
  expect(await latestCheck(database.app)).toMatchObject({ id: run.id, ok: false })
})

describe('a check of what is new', () => {
  test('goes on from the run before it, and examines what was posted since', async () => {
    await allEnded(database.app)
    const second = (await checkNew()).run
    expect([second.since, transactionsOf(second)]).toEqual([first.id, 6])
    await post(database.db, deposit(userId, 500n))
    const third = (await checkNew()).run
    expect(third.since).toBe(second.id)
    expect(third.ok).toBe(true)
    expect(transactionsOf(third)).toBeLessThan(transactionsOf((await check()).run))
  })

  test('examines a transaction that commits after a newer one was verified', async () => {
    const other = await insertUser(database)
    const slow = await database.db.startTransaction().execute()
    await post(slow, deposit(userId, 700n))
    await post(database.db, deposit(other, 100n))
    await checkNew()
    await slow.commit().execute()
    await tamper(
      database,
      `UPDATE ledger.transactions SET event = 'deposit.added' WHERE id = (
         SELECT transaction_id FROM ledger.entries WHERE amount = 700 LIMIT 1)`,
    )
    expect(transactionsOf((await checkNew()).run)).toBeGreaterThan(0)
  })

  test('examines everything if a verified row was changed, deleted or moved', async () => {
    const changes = [
      `UPDATE ledger.transactions SET memo = 'x' WHERE event = 'earning.paid'`,
      `DELETE FROM ledger.transactions WHERE event = 'earning.paid'`,
      `UPDATE ledger.accounts SET owner = gen_random_uuid() WHERE kind = 'available'`,
    ]
    for (const change of changes) {
      await allEnded(database.app)
      await checkBooks(database.app, silent, none, keeper)
      await tamper(database, change)
      expect((await checkNew()).since).toBe(null)
    }
  })

  test('examines everything after a fault, and after a check that kept no point', async () => {
    await tamper(database, `UPDATE ledger.accounts SET balance = balance + 1 WHERE kind = 'available'`)
    expect((await checkNew()).since).toBe(first.id)
    await tamper(database, `UPDATE ledger.accounts SET balance = balance - 1 WHERE kind = 'available'`)
    expect(await checkNew()).toMatchObject({ since: null, broken: [] })
    await check()
    expect((await checkNew()).since).toBe(null)
  })

  test('examines everything once a day, whatever the database says of earlier runs', async () => {
    const tomorrow = { secrets, now: new Date('2026-02-01T00:07:00Z') }
    await tamper(
      database,
      `UPDATE ledger.invariant_runs SET started_at = '2026-02-01T00:01:00Z'`,
      `UPDATE ledger.verified_points SET whole_on = '2026-02-01'`,
    )
    expect((await checkNew(tomorrow)).since).toBe(null)
    const second = (await checkNew(tomorrow)).run
    expect(second.since).not.toBe(null)
    expect((await checkNew(tomorrow)).since).toBe(second.id)
    expect((await checkNew({ secrets, now: new Date('2026-02-02T00:07:00Z') })).since).toBe(null)
  })

  test('goes on only from a point that was signed with a known secret', async () => {
    const rotated = { tokenSecret: 'y'.repeat(32), formerSecrets: [secrets.tokenSecret] }
    expect((await checkNew({ ...keeper, secrets: rotated })).since).toBe(first.id)
    expect((await checkNew()).since).toBe(null)
    await tamper(
      database,
      `UPDATE ledger.verified_points SET xid = (xid::text::bigint + 1)::text::xid8`,
      `UPDATE ledger.accounts SET balance = balance + 1 WHERE kind = 'available'`,
    )
    const { since, broken } = await checkNew()
    expect(since).toBe(null)
    expect(broken).toContain('balances_explained')
  })

  test('goes on from no point that the login of the application made', async () => {
    const { run } = await checkNew()
    const thief = await thiefWithSnapshot()
    await tamper(database, `UPDATE ledger.accounts SET balance = balance + 1 WHERE kind = 'available'`)
    expect(await thief.store(run.id)).toMatchObject({ ok: true, since: run.id, points: 1 })
    const { since, broken } = await checkNew()
    expect(since).toBe(null)
    expect(broken).toContain('balances_explained')
  })

  test('never follows a fault, even if the login of the application calls for it', async () => {
    const { run } = await checkNew()
    const early = await thiefWithSnapshot()
    await tamper(database, `UPDATE ledger.accounts SET balance = balance + 1 WHERE kind = 'available'`)
    const found = await checkNew()
    expect(found.broken).toContain('balances_explained')
    expect(await early.store(run.id)).toMatchObject({ ok: true, points: 0 })
    const latest = (await latestCheck(database.app))!
    for (const point of [run.id, found.run.id, latest.id]) {
      const late = await thiefWithSnapshot()
      expect(await late.store(point)).toMatchObject({ ok: false, since: null, points: 0 })
    }
  })

  test('keeps a point only in the transaction of its run', async () => {
    const { run } = await check()
    expect(run.ok).toBe(true)
    await database.app.query(
      `SELECT ledger.keep_verified_point($1, pg_snapshot_xmax(pg_current_snapshot()), '2026-01-31', '{}', '')`,
      [run.id],
    )
    expect(await pointsOf(run)).toBe(0)
  })

  test('examines everything after a check during which another one found a fault', async () => {
    await allEnded(database.app)
    const { run } = await checkNew()
    await tamper(database, 'DELETE FROM ledger.holds WHERE resolution IS NOT NULL')
    const slow = async () => {
      expect((await check()).broken).toContain('holds_agree')
      return []
    }
    expect(await checkNewBooks(database.app, silent, slow, keeper)).toMatchObject({ since: run.id, ok: true })
    const { since, broken } = await checkNew()
    expect(since).toBe(null)
    expect(broken).toContain('holds_agree')
  })

  test('knows what was written by its transaction, also after VACUUM FREEZE and FULL', async () => {
    const frozen = ['VACUUM (FREEZE)', 'VACUUM (FULL, FREEZE)'].map(vacuum => `${vacuum} ledger.entries`)
    await allEnded(database.app)
    const second = (await checkNew()).run
    await tamper(database, ...frozen)
    const third = await checkNew()
    expect([third.since, transactionsOf(third.run)]).toEqual([second.id, 0])
    await post(database.db, deposit(userId, 500n))
    await tamper(
      database,
      'UPDATE ledger.entries SET amount = amount + 1 WHERE id = (SELECT max(id) FROM ledger.entries WHERE version IS NULL)',
      ...frozen,
    )
    const { since, broken } = await checkNew()
    expect(since).toBe(third.run.id)
    expect(broken).toContain('transactions_balance')
  })

  test('examines everything where rows were restored, and have other transactions', async () => {
    await allEnded(database.app)
    await checkNew()
    await tamper(
      database,
      'CREATE TABLE ledger.restored AS TABLE ledger.entries',
      'DELETE FROM ledger.entries',
      'INSERT INTO ledger.entries OVERRIDING SYSTEM VALUE TABLE ledger.restored',
      'DROP TABLE ledger.restored',
    )
    expect(await checkNew()).toMatchObject({ since: null, broken: [] })
  })

  test('examines everything if a limit by which it judges is new or was changed', async () => {
    const changes = [
      `INSERT INTO app.setting_versions (large_withdrawal_cents, large_return_cents, earnings_second_approval, proposal_id, created_at)
       VALUES (1, 1, false, gen_random_uuid(), now())`,
      'UPDATE app.setting_versions SET large_withdrawal_cents = 2',
    ]
    for (const change of changes) {
      expect((await checkNew()).since).not.toBe(null)
      await tamper(database, change)
      expect((await checkNew()).since).toBe(null)
    }
  })
})

test('the books are not checked in more than one snapshot', async () => {
  await expect(database.app.query('SELECT ledger.check_books()')).rejects.toMatchObject({ code: 'PB200' })
})

test('snapshots keep every balance and wait for open transactions', async () => {
  const other = await insertUser(database)
  const before = await firmBalance(database.db, 'exchange', 'USD')
  const client = await database.owner.connect()
  const take = async () => (await client.query('SELECT ledger.take_snapshots(1) AS written')).rows[0].written
  const slow = await database.db.startTransaction().execute()
  await post(slow, deposit(userId, 700n))
  expect(await take()).toBe(0n)
  await post(database.db, deposit(other, 100n))
  // A transaction that ran when the mark was made may still write below it.
  expect(await take()).toBe(0n)
  await slow.commit().execute()
  // So does any transaction of the whole server, also those of other test files.
  await until(async () => (await take()) > 0n)
  client.release()
  expect(await firmBalance(database.db, 'exchange', 'USD')).toBe(before - 800n)
  await post(database.db, deposit(userId, 50n))
  expect(await firmBalance(database.db, 'exchange', 'USD')).toBe(before - 850n)
  expect((await check()).broken).toEqual([])
  // Few entries are not worth a snapshot.
  expect(await takeSnapshots(database.app)).toBe(0n)
})
