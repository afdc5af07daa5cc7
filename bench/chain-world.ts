import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type pg from 'pg'
import { systemClock } from '#server/platform/clock.ts'
import { openPool } from '#server/platform/database/pool.ts'
import { newId } from '#server/platform/id.ts'
import { accessTokens } from '#server/platform/tokens.ts'
import type { RailName } from '#shared/coins.ts'
import { startTemporaryPostgres, type TemporaryPostgres } from '#test/support/temporary-postgres.ts'
import { MAIN } from '#tools/product-build.ts'
import { processorMsOf } from './processor-times.ts'
import { type Server, startServer } from './servers.ts'
import type { Closers } from './until-stopped.ts'
import { createDatabases, serverEnvironment, withDatabase } from './world.ts'

/** Enough for their open deposits. */
const INVESTORS = 50
const databases = ['credits', 'backfill_ethereum', 'backfill_bitcoin'] as const

export type ChainWorld = {
  postgres: TemporaryPostgres
  investors: string[]
  tokenOf: (userId: string) => string
  /** A connection to one of the databases, and product processes on it. `closers` gets a closer for each. */
  open: (database: (typeof databases)[number], closers: Closers) => Site
}
export type Site = {
  url: string
  pool: pg.Pool
  start: (role: 'web' | 'worker', env: Record<string, string>) => Promise<Server>
  /** Processor milliseconds of a worker, and of PostgreSQL. */
  processorMs: (worker: Server) => { worker: number; database: number }
}

/** PostgreSQL with a database for each measurement, all with the same people. @param ofWorld gets a closer for each step */
export async function buildChainWorld(ofWorld: Closers): Promise<ChainWorld> {
  const postgres = await startTemporaryPostgres('bench', { durable: true })
  ofWorld.push(postgres.stop)
  const { investors } = await createDatabases(postgres, { investors: INVESTORS, copies: [...databases] })
  const secret = randomBytes(48).toString('base64url')
  const tokens = accessTokens({ tokenSecret: secret, formerSecrets: [] }, systemClock)
  const { temporaryFolder: folder } = postgres
  const pidFile = join(folder, 'data/postgres/data/postmaster.pid')
  const postmaster = Number(readFileSync(pidFile, 'utf8').split('\n')[0])
  return {
    postgres,
    investors,
    tokenOf: userId => tokens.sign({ sub: userId, type: 'investor', sid: newId(new Date()) }),
    open(database, closers) {
      const url = withDatabase(postgres.appUrl, database)
      const pool = openPool({ url, as: 'app', name: 'probity bench', max: 2 })
      closers.push(() => pool.end())
      return {
        url,
        pool,
        processorMs: ({ pid }) => processorMsOf(pid, postmaster),
        async start(role, env) {
          const server = await startServer({
            script: [MAIN, role],
            // The sample series of prices needs no network.
            env: { ...serverEnvironment(url, folder), PRICE_SOURCES: '', TOKEN_SECRET: secret, ...env },
            readyPath: role === 'worker' ? '/metrics' : '/api/ready',
            log: join(folder, `${database}-${role}.log`),
            portVariable: role === 'worker' ? 'METRICS_PORT' : 'PORT',
          })
          closers.push(server.stop)
          return server
        },
      }
    },
  }
}

/** Addresses that were shown and get no payment: they are watched like any other. */
export async function watchOthers(
  pool: pg.Pool,
  { rail, count, investor }: { rail: RailName; count: number; investor: string },
): Promise<void> {
  const prefix = rail === 'ethereum' ? '0xaa' : 'rltc1q'
  await pool.query(
    `INSERT INTO app.payment_addresses (account, branch, address_index, rail, address, user_id, used_at, created_at)
     SELECT repeat('f', 16), 0, n, $1, $2 || lpad(to_hex(n), 38, '0'), $3, now(), now() - interval '3 days'
       FROM generate_series(1, $4) n`,
    [rail, prefix, investor, count],
  )
}
