import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import pg from 'pg'
import { loadPlans } from '#server/demo/catalogue.ts'
import { loadFirm } from '#server/demo/firm.ts'
import { systemClock } from '#server/platform/clock.ts'
import { migrate } from '#server/platform/database/migrate.ts'
import { openDatabase, openPool } from '#server/platform/database/pool.ts'
import { newId } from '#server/platform/id.ts'
import { type AccessTokens, accessTokens } from '#server/platform/tokens.ts'
import { startTemporaryPostgres, type TemporaryPostgres } from '#test/support/temporary-postgres.ts'
import type { Progress } from '#tools/console.ts'
import { buildProduct, isBuildStale, MAIN } from '#tools/product-build.ts'
import { fillBooks } from './fill-books.ts'
import { payout } from './payout.ts'
import type { Books, Scale } from './scale.ts'
import { type Server, startServer } from './servers.ts'
import { priceSources } from './slow-sources.ts'

/** Database connections per server: the product's default. */
const DATABASE_CONNECTIONS = '20'
/** Staff with the role Admin: one for each of 24 connections that act for the firm. */
const STAFF = 25
/** One person approves as much as the rounds need. */
const LARGE_WITHDRAWAL_USD = '1000000000'

/** A ledger, and the product that serves it. */
export type Site = {
  server: Server
  pool: pg.Pool
  /** One investor with a long statement. */
  oneOfMany: string
  /** The others; all have money. */
  investors: string[]
  admin: string
  /** Others who may decide. */
  staff: string[]
  /** Runs what autovacuum would do within a minute, so that it does not run during a round. */
  settle: () => Promise<void>
}

export type World = {
  postgres: TemporaryPostgres
  /** TPC-B's database. */
  tpcbUrl: string
  small: Site
  large: Site
  /** The database of the large one. */
  largeUrl: string
  /** The one whose worker sends emails. */
  mailed: Site
  mailedUrl: string
  /** The environment of a product process on one of the databases. */
  environmentOn: (databaseUrl: string) => Record<string, string>
  /** The bare server, on the large site's database. */
  bare: Server
  /** An access token, valid for fifteen minutes. */
  tokenOf: (userId: string, type?: 'investor' | 'admin') => string
}

/**
 * One embedded PostgreSQL with a small ledger, one that gets emails, a large one, and TPC-B's database; the product runs
 * on each of the first three as `node build/product/main.js web`, in its own process.
 * @param closers gets a closer for each step
 */
export async function buildWorld(
  scale: Scale,
  progress: Progress,
  closers: (() => Promise<void>)[],
): Promise<World> {
  if (isBuildStale()) {
    await progress.step('Building the product', 'Product built', () => buildProduct(progress.say))
  }
  const postgres = await startTemporaryPostgres('bench', { durable: true })
  closers.push(postgres.stop)
  const secret = randomBytes(48).toString('base64url')
  const people = await progress.step('Preparing the databases', 'Databases prepared', () =>
    createDatabases(postgres, {
      investors: scale.large.others,
      copies: ['small', 'mailed'],
      empty: ['tpcb'],
    }),
  )
  const environmentOn = (url: string) => ({
    ...serverEnvironment(url, postgres.temporaryFolder),
    TOKEN_SECRET: secret,
  })
  const site = async (database: string, books: Books): Promise<Site> => {
    const url = withDatabase(postgres.appUrl, database)
    const pool = openPool({ url, as: 'app', name: 'probity bench', max: 4 })
    closers.push(() => pool.end())
    const investors = people.investors.slice(0, books.others)
    await fillBooks(openDatabase(pool), books, { ...people, investors })
    const settle = () => vacuum(withDatabase(postgres.superuserUrl, database))
    await settle()
    const server = await startServer({
      script: [MAIN, 'web'],
      env: environmentOn(url),
      readyPath: '/api/ready',
      log: join(postgres.temporaryFolder, `${database}.log`),
    })
    closers.push(server.stop)
    return { server, pool, ...people, investors, settle }
  }
  const count = scale.large.entries.toLocaleString('en')
  const small = await site('small', scale.small)
  const mailed = await site('mailed', scale.mailed)
  const large = await progress.step(`Posting ${count} entries`, `${count} entries posted`, () =>
    site('probity', scale.large),
  )
  const bare = await startServer({
    script: ['bench/bare.ts'],
    env: serverEnvironment(postgres.appUrl, postgres.temporaryFolder),
    readyPath: `/user/${people.admin}`,
    log: join(postgres.temporaryFolder, 'bare.log'),
  })
  closers.push(bare.stop)
  const tokens: AccessTokens = accessTokens({ tokenSecret: secret, formerSecrets: [] }, systemClock)
  return {
    postgres,
    tpcbUrl: withDatabase(postgres.superuserUrl, 'tpcb'),
    small,
    large,
    largeUrl: withDatabase(postgres.appUrl, 'probity'),
    mailed,
    mailedUrl: withDatabase(postgres.appUrl, 'mailed'),
    environmentOn,
    bare,
    tokenOf: (userId, type = 'investor') => {
      const ofStaff = type === 'admin' ? { role: 'admin' as const } : {}
      return tokens.sign({ sub: userId, type, ...ofStaff, sid: newId(new Date()) })
    },
  }
}

export function serverEnvironment(databaseUrl: string, folder: string): Record<string, string> {
  return {
    MODE: 'demo',
    HOST: '127.0.0.1',
    DATA_DIR: join(folder, 'product'),
    DATABASE_URL: databaseUrl,
    DATABASE_CONNECTIONS,
    LARGE_WITHDRAWAL_USD,
    RATE_LIMIT: 'off',
    LOG_LEVEL: 'info',
    PRICE_SOURCES: priceSources.join(','),
  }
}

type People = Pick<Site, 'oneOfMany' | 'investors' | 'admin' | 'staff'>

/**
 * `probity`, migrated, with plans and the sample's firm and people, and its copies.
 * @param empty a database with nothing
 */
export async function createDatabases(
  postgres: TemporaryPostgres,
  { investors, copies, empty = [] }: { investors: number; copies: string[]; empty?: string[] },
): Promise<People> {
  const { ownerUrl, appUrl } = postgres
  await migrate({ ownerUrl, appUrl })
  const pool = openPool({ url: appUrl, as: 'app', name: 'probity bench', max: 1 })
  const people = await createPeople(pool, investors)
  await openDatabase(pool)
    .transaction()
    .execute(async tx => {
      await loadPlans(tx, new Date())
      await loadFirm(tx, new Date())
    })
  await pool.end()
  const administrator = new pg.Client({ connectionString: postgres.superuserUrl })
  await administrator.connect()
  for (const name of copies) {
    await administrator.query(`CREATE DATABASE ${name} TEMPLATE probity OWNER probity_owner`)
  }
  for (const name of empty) await administrator.query(`CREATE DATABASE ${name}`)
  await administrator.end()
  return people
}

/** Verified accounts, each with an address book; nobody logs in to them, so their passwords are invalid. */
async function createPeople(pool: pg.Pool, count: number): Promise<People> {
  const now = new Date()
  const length = STAFF + 1 + count
  const ids = Array.from({ length }, () => newId(now))
  const [admin, ...staff] = ids.slice(0, STAFF) as [string, ...string[]]
  const [oneOfMany, ...investors] = ids.slice(STAFF) as [string, ...string[]]
  await pool.query(
    `INSERT INTO app.users (id, type, role, name, email, phone, country, password_hash, email_verified_at, referral_code)
     SELECT id, CASE WHEN n <= $2 THEN 'admin' ELSE 'investor' END, CASE WHEN n <= $2 THEN 'admin' END, 'Person ' || n, 'person' || n || '@probity.test',
            '+61 400 000 000', 'Australia', 'not used', now(), 'BENCH' || n
       FROM unnest($1::uuid[]) WITH ORDINALITY AS person (id, n)`,
    [ids, STAFF],
  )
  await pool.query(
    `INSERT INTO app.payout_addresses (id, user_id, wallet, address, created_at)
     SELECT id, id, $1, $2, now() FROM app.users`,
    [payout.wallet, payout.walletAddress],
  )
  return { admin, staff, oneOfMany, investors }
}

async function vacuum(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('VACUUM (ANALYZE)')
  await client.query('CHECKPOINT')
  await client.end()
}

export function withDatabase(url: string, name: string): string {
  const changed = new URL(url)
  changed.pathname = `/${name}`
  return changed.href
}
