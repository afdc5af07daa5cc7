import { randomUUID } from 'node:crypto'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { me } from '#shared/contract/accounts.ts'
import { approveDeposit, listOwnDeposits, newDeposit } from '#shared/contract/deposits.ts'
import { statement } from '#shared/contract/ledger.ts'
import { declineWithdrawal, newWithdrawal } from '#shared/contract/withdrawals.ts'
import { until } from '#test/support/processes.ts'
import { openWorld, type World } from '#test/support/world.ts'
import { migrate } from './migrate.ts'

const RELEASED = join(import.meta.dirname, '../../../db/migrations')
const bitcoinAddress = 'bcrt1q6z64a43mjgkcq0ul2znwneq3spghrlau9slefp'
let world: World
let folder: string
let number = 9000

beforeAll(async () => {
  world = await openWorld({ rateLimit: false })
  folder = mkdtempSync(join(tmpdir(), 'probity-migrations-'))
  cpSync(RELEASED, folder, { recursive: true })
  return () => rmSync(folder, { recursive: true, force: true })
})

/** A new file after all others. @returns its name */
function newMigration(sql: string): string {
  const name = `${++number}_later.sql`
  writeFileSync(join(folder, name), sql)
  return name
}

/** Applies what is missing, and keeps its lines. */
function migrating(signal?: AbortSignal) {
  const lines: string[] = []
  const say = (line: string) => void lines.push(line)
  return { lines, done: migrate({ ...world.database, migrationsFolder: folder, say, signal }) }
}

/** Waits until the migration waits for a lock. */
async function migrationWaits(): Promise<void> {
  await until(async () => {
    const { rowCount } = await world.owner(
      "SELECT FROM pg_stat_activity WHERE application_name = 'probity migrate' AND wait_event_type = 'Lock'",
    )
    return rowCount! > 0
  })
}

/** A session in a transaction. */
async function session(pool = world.database.app) {
  const client = await pool.connect()
  await client.query('BEGIN')
  onTestFinished(() => client.release())
  return client
}

/** One investor's day, again and again until told to stop. @returns the statuses of all answers */
async function useProduct(name: string, isOver: () => boolean): Promise<number[]> {
  const person = await world.person(name)
  const { admin, call } = world
  const statuses: number[] = []
  const kept = <A extends { status: number }>(answer: A): A => {
    statuses.push(answer.status)
    return answer
  }
  while (!isOver()) {
    const key = () => ({ idempotencyKey: randomUUID() })
    const deposit = kept(await call(newDeposit, person, { body: { method: 'usdt', amount: 150 } }, key()))
    kept(await call(approveDeposit, admin, { params: { id: deposit.data?._id } }, key()))
    const body = { amount: 100, wallet: 'Bitcoin (BTC)', address: bitcoinAddress } as const
    const withdrawal = kept(await call(newWithdrawal, person, { body }, key()))
    kept(await call(statement, person, { query: { account: 'available' } }))
    const params = { id: withdrawal.data?._id }
    kept(await call(declineWithdrawal, admin, { params, body: { reason: 'Another day' } }, key()))
    kept(await call(listOwnDeposits, person))
    kept(await call(me, person))
  }
  return statuses
}

test('a migration of the hottest tables under load fails no request', async () => {
  let rounds = 0
  const isOver = () => rounds === 5
  const visitors = ['Ida', 'Uma', 'Ole', 'Eve'].map(name => useProduct(name, isOver))
  const applied: string[] = []
  for (; rounds < 5; rounds++) {
    newMigration(`
      ALTER TABLE app.users ADD COLUMN later_${rounds} text;
      ALTER TABLE app.audit_log ADD COLUMN later_${rounds} text;
      ALTER TABLE ledger.entries ADD COLUMN later_${rounds} text;
      CREATE FUNCTION app.later_${rounds}() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
      CREATE TRIGGER later_${rounds} AFTER INSERT ON app.deposits EXECUTE FUNCTION app.later_${rounds}();
      CREATE TRIGGER later_${rounds} AFTER INSERT ON app.withdrawals EXECUTE FUNCTION app.later_${rounds}();
      ALTER TABLE ledger.transactions ADD COLUMN later_${rounds} text;
      ALTER TABLE ledger.accounts ADD COLUMN later_${rounds} text;`)
    applied.push(...(await migrating().done))
  }
  const statuses = (await Promise.all(visitors)).flat()
  expect(applied).toHaveLength(5)
  expect(statuses.filter(status => status !== 200)).toEqual([])
  expect(statuses.length).toBeGreaterThan(20)
})

test('a migration gives way to a transaction that needs its table, and tries again', async () => {
  const product = await session()
  await product.query("UPDATE app.users SET name = name WHERE email LIKE 'ada%'")
  const name = newMigration(`
    ALTER TABLE app.deposits ADD COLUMN needed text;
    ALTER TABLE app.users ADD COLUMN needed text;`)
  const { lines, done } = migrating()
  await migrationWaits()
  await product.query('UPDATE app.deposits SET status = status WHERE false')
  await until(() => lines.length > 1)
  await product.query('COMMIT')
  expect(await done).toEqual([name])
  expect(lines[1]).toMatch(
    `Migration ${name}: try 1: canceling statement due to lock timeout. Trying again in`,
  )
})

test('a migration that waits for its locks can be interrupted', async () => {
  const product = await session()
  await product.query('UPDATE app.deposits SET status = status WHERE false')
  const name = newMigration('ALTER TABLE app.deposits ADD COLUMN interrupted text;')
  const stop = new AbortController()
  const { lines, done } = migrating(stop.signal)
  const outcome = done.catch((error: unknown) => error)
  await until(() => lines.length > 1)
  stop.abort()
  expect(await outcome).toBeInstanceOf(Error)
  await product.query('COMMIT')
  rmSync(join(folder, name))
  const { rows } = await world.owner(
    "SELECT FROM information_schema.columns WHERE column_name = 'interrupted'",
  )
  expect(rows).toEqual([])
})

test('an index is built while the product writes; one of a failed try is replaced', async () => {
  await world.owner(
    "INSERT INTO app.contact_messages (id, name, email, subject, message) SELECT gen_random_uuid(), 'N', 'n@example.com', 'Same', 'M' FROM generate_series(1, 2)",
  )
  const name = newMigration('CREATE UNIQUE INDEX CONCURRENTLY one_subject ON app.contact_messages (subject);')
  await expect(migrating().done).rejects.toThrow(`Migration ${name} failed: could not create unique index`)
  await world.owner(
    'DELETE FROM app.contact_messages WHERE id = (SELECT max(id::text)::uuid FROM app.contact_messages)',
  )
  const product = await session(world.ownerPool)
  await product.query("UPDATE app.contact_messages SET name = 'O'")
  const { done } = migrating()
  await migrationWaits()
  await world.database.owner.query("UPDATE app.contact_messages SET name = 'P' WHERE false")
  await product.query('COMMIT')
  expect(await done).toEqual([name])
  const { rows } = await world.owner(
    "SELECT indisvalid FROM pg_index WHERE indexrelid = 'app.one_subject'::regclass",
  )
  expect(rows).toEqual([{ indisvalid: true }])
})

test('two processes that migrate do not wait for each other while one builds an index', async () => {
  const name = newMigration('CREATE INDEX CONCURRENTLY by_message ON app.contact_messages (message);')
  const product = await session(world.ownerPool)
  await product.query("UPDATE app.contact_messages SET name = 'O'")
  const [first, second] = [migrating(), migrating()]
  await migrationWaits()
  await product.query('COMMIT')
  const applied = (await Promise.all([first.done, second.done])).flat()
  expect(applied).toEqual([name])
  expect([...first.lines, ...second.lines]).toEqual([`Migrating ${name}`])
})
