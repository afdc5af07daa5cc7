import { randomBytes } from 'node:crypto'
import { Pool } from 'pg'
import { inject } from 'vitest'
import { type Db, openDatabase, openPool } from '#server/platform/database/pool.ts'
import { atEnd } from './clean-up.ts'
import { until } from './processes.ts'
import { MOST_SESSIONS, type ReusedDatabase, reusedDatabase } from './reused-database.ts'

/** A migrated database for one test file. */
export interface TestDatabase {
  /** Query builder as probity_app, as the product uses it. */
  readonly db: Db
  /** The pool under `db`. */
  readonly app: Pool
  /** As probity_owner, to read or break what the application may not. */
  readonly owner: Pool
  readonly appUrl: string
  readonly ownerUrl: string
}

/** Databases of ended tests of this process, for its next ones. */
const unused: ReusedDatabase[] = []

/**
 * A migrated database, empty but for what migrations write, until the end of the test, or of the file if `beforeAll` calls it.
 * @param options.empty without any migration
 * @param options.own a new one without any session, for tests that limit them or look at plans
 * @param options.ledgerAlone for tests of the ledger below the records: it takes postings of records that do not exist
 */
export async function testDatabase({
  empty = false,
  own = false,
  ledgerAlone = false,
} = {}): Promise<TestDatabase> {
  const copied = empty ? 'template0' : 'probity'
  const { name, app, end } = empty || own ? await ownDatabase(copied) : await reused()
  const { appUrl, ownerUrl } = urlsOf(name)
  const owner = openPool({ url: ownerUrl, as: 'owner', name: 'probity test owner', max: 4 })
  if (ledgerAlone) await allowPostingsWithoutRecords({ owner })
  atEnd(async () => {
    await owner.end()
    await end()
  })
  return { db: openDatabase(app), app, owner, appUrl, ownerUrl }
}

interface Opened {
  name: string
  app: Pool
  end(): Promise<unknown>
}

async function ownDatabase(of: string): Promise<Opened> {
  const name = await copyDatabase(of)
  const app = openPool({ url: urlsOf(name).appUrl, as: 'app', name: 'probity test', max: MOST_SESSIONS })
  const end = async () => {
    await app.end()
    await dropDatabase(name)
  }
  return { name, app, end }
}

async function reused(): Promise<Opened> {
  const database = unused.pop() ?? (await copyOfTemplate())
  const end = async () => {
    if (await database.clear()) return unused.push(database)
    await database.end()
    return await dropDatabase(database.name)
  }
  return { name: database.name, app: database.lend(), end }
}

async function copyOfTemplate(): Promise<ReusedDatabase> {
  const name = await copyDatabase('probity')
  return await reusedDatabase(name, urlsOf(name))
}

/** The connection strings of a database of the run's server. */
export function urlsOf(name: string) {
  const { appUrl, ownerUrl, superuserUrl } = inject('postgres')
  return {
    appUrl: withDatabase(appUrl, name),
    ownerUrl: withDatabase(ownerUrl, name),
    superuserUrl: withDatabase(superuserUrl, name),
  }
}

/** Copies a database that nobody uses, and returns the copy's name; the caller drops it. */
export async function copyDatabase(of: string): Promise<string> {
  const name = `test_${randomBytes(6).toString('hex')}`
  // Copied as files, it takes a quarter of the time: nothing here waits for the disk.
  const strategy = 'STRATEGY FILE_COPY'
  await asSuperuser(`CREATE DATABASE ${name} TEMPLATE ${of} OWNER probity_owner ${strategy}`)
  return name
}

/** Drops a database, also one in use. */
export async function dropDatabase(name: string): Promise<void> {
  await asSuperuser(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
}

/** Sessions of the whole process: a new one takes as long as half a copy. */
let superuser: Pool | undefined

async function asSuperuser(statement: string): Promise<void> {
  superuser ??= new Pool({
    connectionString: inject('postgres').superuserUrl,
    max: 2,
    allowExitOnIdle: true,
  }).on('error', () => {})
  await superuser.query(statement)
}

/** Leaves the ledger's own guards and checks as they are, and lets it take postings of records that do not exist. */
export async function allowPostingsWithoutRecords({ owner }: Pick<TestDatabase, 'owner'>): Promise<void> {
  await owner.query(`
    ALTER TABLE ledger.transactions DISABLE TRIGGER transactions_have_records;
    ALTER TABLE ledger.transactions DISABLE TRIGGER transactions_of_withdrawal_requests;
    ALTER TABLE ledger.transactions DISABLE TRIGGER transactions_of_investment_requests;
    ALTER TABLE ledger.transactions DISABLE TRIGGER transactions_of_paid_earnings;
    CREATE OR REPLACE VIEW ledger.postings_without_record AS
    SELECT id, event, reference_id FROM ledger.transactions WHERE false`)
}

function withDatabase(url: string, name: string): string {
  const changed = new URL(url)
  changed.pathname = `/${name}`
  return changed.href
}

/**
 * Waits until all transactions so far have ended, also those of the cluster's other databases: a verified point is the
 * first that has not.
 */
export async function allEnded(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ xid: string }>('SELECT pg_current_xact_id()::text AS xid')
  await until(async () => {
    const { rows: ended } = await pool.query(
      'SELECT WHERE pg_snapshot_xmin(pg_current_snapshot()) > $1::text::xid8',
      [rows[0]!.xid],
    )
    return ended.length > 0
  })
}
