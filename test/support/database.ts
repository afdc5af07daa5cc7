import { randomBytes } from 'node:crypto'
import type { Pool } from 'pg'
import { inject } from 'vitest'
import { type Db, openDatabase, openPool } from '#server/platform/database/pool.ts'
import { atEnd } from './clean-up.ts'
import { until } from './processes.ts'
import { administer } from './temporary-postgres.ts'

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

/**
 * Clones the template into a new database, dropped after the test file. Call it in `beforeAll`: on a disk, a clone
 * takes up to 0.7 s.
 * @param options.empty without any migration
 * @param options.ledgerAlone for tests of the ledger below the records: it takes postings of records that do not exist
 */
export async function testDatabase({ empty = false, ledgerAlone = false } = {}): Promise<TestDatabase> {
  const { ownerUrl, appUrl, superuserUrl } = inject('postgres')
  const name = `test_${randomBytes(6).toString('hex')}`
  await administer(
    superuserUrl,
    `CREATE DATABASE ${name} TEMPLATE ${empty ? 'template0' : 'probity'} OWNER probity_owner`,
  )
  const urls = { appUrl: withDatabase(appUrl, name), ownerUrl: withDatabase(ownerUrl, name) }
  const app = openPool({ url: urls.appUrl, as: 'app', name: 'probity test', max: 20 })
  const owner = openPool({ url: urls.ownerUrl, as: 'owner', name: 'probity test owner', max: 4 })
  const db = openDatabase(app)
  if (ledgerAlone) await allowPostingsWithoutRecords({ owner })
  atEnd(async () => {
    await Promise.all([app.end(), owner.end()])
    await administer(superuserUrl, `DROP DATABASE ${name} WITH (FORCE)`)
  })
  return { db, app, owner, ...urls }
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
