import { Client, escapeLiteral, type Pool } from 'pg'
import { makePausable } from '#server/platform/database/pause.ts'
import { openPool } from '#server/platform/database/pool.ts'
import { until } from './processes.ts'

/**
 * A copy of the template that tests have one after the other. Between two of them it is emptied as the template is: that
 * takes a fifth of a new copy's time, and its sessions know the tables and have their plans.
 */
export interface ReusedDatabase {
  readonly name: string
  /** The application's pool for the next test: another object for each, because the product keeps its state by pool. */
  lend(): Pool
  /** Revokes the pool. False if the database is not again as the template is: then no test may have it. */
  clear(): Promise<boolean>
  /** Ends all sessions. */
  end(): Promise<void>
}

/** Of a pool: a test may do so many things at the same time. */
export const MOST_SESSIONS = 20
/** Of a table: beyond it a new copy takes less time. */
const LARGE_BYTES = 4 * 2 ** 20
/** How long work that a test left behind may go on, in milliseconds. */
const LEFT_BEHIND_MS = 2_000

/** What all copies are like before their first test. */
interface Template {
  definitions: string
  /** The rows that migrations wrote, as text, by table. */
  rows: Map<string, string[]>
  sequences: Map<string, string | null>
  /** What PostgreSQL has counted, by table. */
  tuples: Map<string, number>
}

let template: Promise<Template> | undefined

/** @param urls of a copy that nobody has used yet */
export async function reusedDatabase(
  name: string,
  urls: { appUrl: string; superuserUrl: string },
): Promise<ReusedDatabase> {
  const app = openPool({ url: urls.appUrl, as: 'app', name: 'probity test', max: MOST_SESSIONS })
  const listeners = new Set(app.eventNames().flatMap(event => app.rawListeners(event)))
  const admin = new Client({
    connectionString: urls.superuserUrl,
    application_name: 'probity test reset',
    statement_timeout: 10_000,
  })
  admin.on('error', () => {})
  await admin.connect()
  template ??= templateOf(admin)
  const pristine = await template
  const { database } = await definitionsOf(admin)
  let lent: Lent | undefined

  return {
    name,
    lend() {
      lent = lend(app)
      return lent.pool
    },
    async clear() {
      lent?.revoke()
      forgetListeners(app, listeners)
      try {
        if (app.ending) return false
        await until(() => app.idleCount === app.totalCount && app.waitingCount === 0, LEFT_BEHIND_MS)
        await until(async () => (await sessionsBeside(admin)) === app.totalCount, LEFT_BEHIND_MS)
        const now = await definitionsOf(admin)
        if (now.database !== database || now.definitions !== pristine.definitions) return false
        return await empty(admin, pristine)
      } catch {
        // The test has ended our session, or its work goes on: its database goes with it.
        return false
      }
    },
    async end() {
      if (!app.ending) await app.end()
      await admin.end()
    },
  }
}

interface Lent {
  pool: Pool
  revoke(): void
}

/** The same sessions behind another object. Once revoked, it refuses work as a pool that has ended. */
function lend(pool: Pool): Lent {
  const own = new Map<PropertyKey, unknown>()
  const lent = new Proxy(pool, {
    get: (target, key, self) => (own.has(key) ? own.get(key) : Reflect.get(target, key, self)),
    set: (target, key, value) => {
      if (key === 'connect') own.set(key, value)
      else Reflect.set(target, key, value)
      return true
    },
  })
  // Pauses are kept by pool as well.
  makePausable(lent)
  return {
    pool: lent,
    revoke: () => own.set('connect', refuse),
  }
}

function refuse(callback?: (error: Error) => void): Promise<never> | undefined {
  const error = new Error('Cannot use a pool after the end of its test')
  if (callback === undefined) return Promise.reject(error)
  callback(error)
  return undefined
}

function forgetListeners(pool: Pool, but: Set<unknown>): void {
  for (const event of pool.eventNames()) {
    for (const listener of pool.rawListeners(event)) {
      if (!but.has(listener)) pool.off(event as 'error', listener as () => void)
    }
  }
}

/** Counts them, and ends those in which the product has had a lock and keeps for the next: nobody asks for it again. */
async function sessionsBeside(admin: Client): Promise<number> {
  const { rows } = await admin.query({
    name: 'sessions',
    text: `
      SELECT count(*)::integer AS found, count(ended) AS ended FROM (
        SELECT CASE WHEN application_name IN ('probity sync', 'probity coverage', 'probity holdings', 'probity replies')
                     AND state = 'idle' THEN pg_terminate_backend(pid) END AS ended
          FROM pg_stat_activity
         WHERE datname = current_database() AND backend_type = 'client backend'
           AND pid <> pg_backend_pid()) AS sessions`,
  })
  return rows[0].found
}

/** Whatever is defined in a database, and by which transaction: a changed definition is another row. */
const DEFINITIONS = `
  SELECT count(*) || ' ' || sum(hashtextextended(definition, 0)) AS definitions,
         (SELECT xmin::text FROM pg_database WHERE datname = current_database()) AS database
    FROM (
    SELECT 'c' || oid || ' ' || xmin FROM pg_class WHERE oid >= 16384 AND relpersistence <> 't'
    UNION ALL SELECT 'a' || attrelid || ' ' || attnum || ' ' || xmin FROM pg_attribute WHERE attrelid >= 16384
    UNION ALL SELECT 'p' || oid || ' ' || xmin FROM pg_proc WHERE oid >= 16384
    UNION ALL SELECT 't' || oid || ' ' || xmin FROM pg_trigger
    UNION ALL SELECT 'k' || oid || ' ' || xmin FROM pg_constraint WHERE oid >= 16384
    UNION ALL SELECT 'r' || oid || ' ' || xmin FROM pg_rewrite WHERE oid >= 16384
    UNION ALL SELECT 'n' || oid || ' ' || xmin FROM pg_namespace WHERE nspname !~ '^pg_(toast_)?temp_'
    UNION ALL SELECT 'l' || oid || ' ' || xmin FROM pg_policy
    UNION ALL SELECT 'e' || oid || ' ' || xmin FROM pg_event_trigger
    UNION ALL SELECT 's' || setdatabase || ' ' || setrole || ' ' || xmin FROM pg_db_role_setting
      WHERE setdatabase = (SELECT oid FROM pg_database WHERE datname = current_database())) AS all_of (definition)`

/** `database`: the same of the database itself, whose limits and settings can change. */
async function definitionsOf(admin: Client): Promise<{ definitions: string; database: string }> {
  const { rows } = await admin.query({ name: 'definitions', text: DEFINITIONS })
  return rows[0]
}

const TABLES = `
  SELECT format('%I.%I', n.nspname, c.relname) AS name, pg_relation_size(c.oid)::float8 AS bytes, c.reltuples AS tuples
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
   WHERE c.relkind = 'r' AND c.oid >= 16384 AND c.relpersistence <> 't' AND pg_relation_size(c.oid) > 0`

type TableSize = { name: string; bytes: number; tuples: number }
const NEVER_COUNTED = -1

const SEQUENCES = `SELECT format('%I.%I', schemaname, sequencename) AS name, last_value FROM pg_sequences`

async function templateOf(admin: Client): Promise<Template> {
  const { rows: tables } = await admin.query(TABLES)
  const rows = new Map<string, string[]>()
  for (const { name } of tables) rows.set(name, await rowsOf(admin, name))
  const { definitions } = await definitionsOf(admin)
  const tuples = new Map<string, number>(tables.map(({ name, tuples }) => [name, tuples]))
  return { definitions, rows, sequences: await sequencesOf(admin), tuples }
}

async function rowsOf(admin: Client, table: string): Promise<string[]> {
  const { rows } = await admin.query(`SELECT t::text AS row FROM ${table} t ORDER BY 1`)
  return rows.map(({ row }) => row)
}

async function sequencesOf(admin: Client): Promise<Map<string, string | null>> {
  const { rows } = await admin.query({ name: 'sequences', text: SEQUENCES })
  return new Map(rows.map(({ name, last_value }) => [name, last_value]))
}

/** False if a table has become so large that a new copy is the shorter way, or has statistics, which would plan queries. */
async function empty(admin: Client, pristine: Template): Promise<boolean> {
  const { rows: written } = await admin.query({ name: 'tables', text: TABLES })
  const isOther = ({ name, bytes, tuples }: TableSize) =>
    bytes > LARGE_BYTES || tuples !== (pristine.tuples.get(name) ?? NEVER_COUNTED)
  if (written.some(isOther)) return false
  const restored: string[] = []
  for (const { name } of written) {
    const before = pristine.rows.get(name)
    if (before === undefined) restored.push(`DELETE FROM ${name}`)
    else if ((await rowsOf(admin, name)).join() !== before.join()) {
      restored.push(`DELETE FROM ${name}`, insertion(name, before))
    }
  }
  const sequences = await sequencesOf(admin)
  for (const [name, value] of pristine.sequences) {
    if (sequences.get(name) === value) continue
    restored.push(`SELECT setval('${name}', ${value ?? 1}, ${value !== null})`)
  }
  await admin.query(
    ['BEGIN', "SET LOCAL session_replication_role = 'replica'", ...restored, 'COMMIT'].join(';'),
  )
  return true
}

function insertion(table: string, rows: string[]): string {
  const values = rows.map(row => `(${escapeLiteral(row)}::${table})`)
  return `INSERT INTO ${table} OVERRIDING SYSTEM VALUE SELECT (given).* FROM (VALUES ${values}) AS of (given)`
}
