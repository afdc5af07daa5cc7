import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { copyDatabase, dropDatabase, urlsOf } from './database.ts'
import { type ReusedDatabase, reusedDatabase } from './reused-database.ts'
import { administer } from './temporary-postgres.ts'

/** A copy of the template, and how to reach it. */
async function copy() {
  const name = await copyDatabase('probity')
  const urls = urlsOf(name)
  const database = await reusedDatabase(name, urls)
  onTestFinished(async () => {
    await database.end()
    await dropDatabase(name)
  })
  return { database, name, ...urls }
}

/** All rows of all tables, and where the sequences are. */
async function contents(superuserUrl: string): Promise<Map<string, string>> {
  const client = new pg.Client({ connectionString: superuserUrl })
  await client.connect()
  try {
    const { rows: tables } = await client.query<{ name: string }>(`
      SELECT format('%I.%I', schemaname, relname) AS name FROM pg_stat_user_tables`)
    const found = new Map<string, string>()
    for (const { name } of tables) {
      const { rows } = await client.query(`SELECT t::text FROM ${name} t ORDER BY 1`)
      found.set(name, JSON.stringify(rows))
    }
    const { rows: sequences } = await client.query('SELECT * FROM pg_sequences ORDER BY 1, 2')
    return found.set('sequences', JSON.stringify(sequences))
  } finally {
    await client.end()
  }
}

const accounts = `
  INSERT INTO app.users (id, type, role, name, email, phone, country, password_hash, referral_code, created_at)
  SELECT gen_random_uuid(), 'admin', 'admin', 'Ada', n || '@probity.test', '+61 400 000 000', 'Australia', '', n, now()
    FROM generate_series(1, 3) AS n`

/** Uses a database as a test does: rows of its own, numbers, and what migrations wrote. */
async function use(database: ReusedDatabase, superuserUrl: string): Promise<void> {
  await database.lend().query(`${accounts}; SELECT nextval('app.invoice_number')`)
  await administer(
    superuserUrl,
    "SET session_replication_role = 'replica'",
    'DELETE FROM ledger.posting_rules',
    'UPDATE ledger.assets SET decimals = decimals + 1',
    'INSERT INTO app.audit_log (at, action) VALUES (now(), $$login$$)',
  )
}

test('a database that a test leaves is as the template is', async () => {
  const [fresh, used] = [await copy(), await copy()]
  const before = await contents(fresh.superuserUrl)
  expect(await contents(used.superuserUrl)).toEqual(before)
  await use(used.database, used.superuserUrl)
  expect(await contents(used.superuserUrl)).not.toEqual(before)
  expect(await used.database.clear()).toBe(true)
  expect(await contents(used.superuserUrl)).toEqual(before)
})

test('a pool refuses work after its test, and the next one has the same sessions', async () => {
  const { database } = await copy()
  const session = 'SELECT pg_backend_pid() AS pid'
  const first = database.lend()
  const { rows } = await first.query(session)
  expect(await database.clear()).toBe(true)
  await expect(first.query(session)).rejects.toThrow('Cannot use a pool after the end of its test')
  const second = database.lend()
  expect(second).not.toBe(first)
  expect((await second.query(session)).rows).toEqual(rows)
})

test.each([
  ['a trigger that is off', 'ALTER TABLE app.users DISABLE TRIGGER ALL'],
  ['another function', "CREATE FUNCTION app.more() RETURNS text LANGUAGE sql RETURN 'more'"],
  ['another right', 'GRANT DELETE ON app.users TO probity_app'],
  ['a column less', 'ALTER TABLE app.mailbox DROP COLUMN html'],
  ['a limit', (name: string) => `ALTER DATABASE ${name} CONNECTION LIMIT 5`],
  ['a setting', (name: string) => `ALTER DATABASE ${name} SET synchronous_commit = off`],
])('a database with %s is not used again', async (_what, statement) => {
  const { database, name, superuserUrl } = await copy()
  await administer(superuserUrl, typeof statement === 'string' ? statement : statement(name))
  expect(await database.clear()).toBe(false)
})

test('a database with a session that a test has left is not used again', async () => {
  const { database, ownerUrl } = await copy()
  // Its name does not matter, also where it is that of the pool.
  const left = new pg.Client({ connectionString: ownerUrl, application_name: 'probity test' })
  await left.connect()
  onTestFinished(() => left.end())
  expect(await database.clear()).toBe(false)
})

test('a database with work that goes on is not used again', async () => {
  const { database } = await copy()
  const session = await database.lend().connect()
  onTestFinished(() => session.release())
  expect(await database.clear()).toBe(false)
})
