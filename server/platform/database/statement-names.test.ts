import { type Kysely, sql } from 'kysely'
import type { Pool } from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { testDatabase } from '#test/support/database.ts'
import { allowNames, openDatabase, openPool } from './pool.ts'
import { retrying } from './retrying.ts'
import type { Schema } from './schema.ts'

const database = await testDatabase()

/** A database with one connection. */
function open({ direct }: { direct?: Pool } = {}) {
  const settings = { url: database.appUrl, as: 'app', name: 'probity test', max: 1 } as const
  const pool = openPool({ ...settings, ...(direct && { direct }) })
  onTestFinished(() => pool.end())
  const prepared = async () => {
    const { rows } = await pool.query<{ statement: string }>('SELECT statement FROM pg_prepared_statements')
    return rows.map(({ statement }) => statement)
  }
  return { db: openDatabase(pool), pool, prepared }
}

const userOf = (db: Kysely<Schema>, id: string) =>
  db.selectFrom('app.users').select('name').where('id', '=', id).execute()
const nobody = '019aa000-0000-7000-8000-000000000000'

async function often(act: (n: number) => Promise<unknown>): Promise<void> {
  for (let n = 0; n < 12; n++) await act(n)
}

test('prepares the frequent statements of transactions, each once', async () => {
  const { db, prepared } = open()
  await db.transaction().execute(async tx => {
    await often(() => userOf(tx, nobody))
    await sql`SELECT ${1}::integer`.execute(tx)
  })
  await db.transaction().execute(tx => often(() => userOf(tx, nobody)))
  expect(await prepared()).toEqual(['select "name" from "app"."users" where "id" = $1'])
})

test('plans reads outside transactions for their values each time', async () => {
  const { db, prepared } = open()
  await often(() => userOf(db, nobody))
  expect(await prepared()).toEqual([])
})

test('prepares no list of values, whose text differs with its length', async () => {
  const { db, prepared } = open()
  await db.transaction().execute(async tx => {
    await often(() => tx.selectFrom('app.users').select('id').where('id', 'in', [nobody, nobody]).execute())
    await often(() => sql`SELECT FROM (VALUES (${1}::int), (${2}::int)) v`.execute(tx))
  })
  expect(await prepared()).toEqual([])
})

test('prepares a limited number of statements', async () => {
  const { db, prepared } = open()
  await db.transaction().execute(async tx => {
    for (let n = 0; n < 300; n++)
      for (let time = 0; time < 5; time++) await sql`SELECT ${sql.raw(`${n}`)} + ${1}::integer`.execute(tx)
  })
  expect(await prepared()).toHaveLength(250)
})

test('prepares nothing through a pooler before it is known to support it', async () => {
  const { db, pool, prepared } = open({ direct: database.app })
  const act = () =>
    db.transaction().execute(async tx => {
      await often(() => userOf(tx, nobody))
      await sql`SELECT ${1}::integer`.execute(tx)
    })
  await act()
  await pool.query({ name: 'explicit', text: 'SELECT $1::integer', values: [1] })
  expect(await prepared()).toEqual([])
  allowNames(pool)
  await act()
  expect(await prepared()).toEqual(['select "name" from "app"."users" where "id" = $1'])
})

test('a migration that changes the result of a prepared statement costs a retry', async () => {
  const { db } = open()
  await database.owner.query('CREATE TABLE app.changing (id integer); INSERT INTO app.changing VALUES (1)')
  await database.owner.query('GRANT SELECT ON app.changing TO probity_app')
  const read = () =>
    retrying(() =>
      db.transaction().execute(tx => sql`SELECT * FROM app.changing WHERE id = ${1}`.execute(tx)),
    )
  await often(read)
  await database.owner.query('ALTER TABLE app.changing ADD COLUMN added integer DEFAULT 7')
  expect((await read()).rows).toEqual([{ id: 1, added: 7 }])
  await often(read)
})
