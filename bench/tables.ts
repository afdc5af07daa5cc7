import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import pg from 'pg'
import { loadPlans } from '#server/demo/catalogue.ts'
import { loadFirm } from '#server/demo/firm.ts'
import { systemClock } from '#server/platform/clock.ts'
import { migrate } from '#server/platform/database/migrate.ts'
import { openDatabase, openPool } from '#server/platform/database/pool.ts'
import { newId } from '#server/platform/id.ts'
import { accessTokens } from '#server/platform/tokens.ts'
import { listUsers } from '#shared/contract/accounts.ts'
import type { CallDefinition } from '#shared/contract/define.ts'
import { listDeposits } from '#shared/contract/deposits.ts'
import { listEarnings } from '#shared/contract/earnings.ts'
import { listInvestments } from '#shared/contract/investments.ts'
import { listReturns } from '#shared/contract/returns.ts'
import { listAudit, listContactMessages } from '#shared/contract/site.ts'
import { listWithdrawals } from '#shared/contract/withdrawals.ts'
import { startTemporaryPostgres } from '#test/support/temporary-postgres.ts'
import type { Progress } from '#tools/console.ts'
import { buildProduct, isBuildStale, MAIN } from '#tools/product-build.ts'
import { requestOf } from './calls.ts'
import { type Figure, figure } from './figure.ts'
import { fillTables, RECORDS_OF_A_USER } from './fill-tables.ts'
import { Connection } from './load.ts'
import { currentLoad, describeMachine, type Machine } from './machine.ts'
import { percentile } from './measure.ts'
import { type Server, startServer } from './servers.ts'
import { type Closers, untilStopped } from './until-stopped.ts'
import { serverEnvironment, withDatabase } from './world.ts'

/** How much is loaded, and how many requests per page and round. */
export type TableScale = { users: number; fewUsers: number; rounds: number; requests: number }

/** A million users and five million records, against a thousand and five thousand. */
export const million: TableScale = { users: 1_000_000, fewUsers: 1_000, rounds: 12, requests: 60 }

/** Rows per page, as the console requests. Every page is full in both databases. */
const ROWS = 10

/** A page without a target is requested less often: sorting a million rows takes seconds. */
const REQUESTS_OF_A_SLOW_PAGE = 2

type Query = Record<string, string>
type Page = [name: string, call: CallDefinition, query: Query, limit?: null]

/** The measured first pages: each table as it opens, in each order, and filtered. */
const pages: Page[] = [
  ...ordersOf('users', listUsers, ['created', 'name', 'email', 'country']),
  // Sorts all users: a balance has no index, because each posting would have to update it (decision 22).
  ['users, -balance', listUsers, { sort: '-balance' }, null],
  ['users, country', listUsers, { country: 'Brazil' }],
  ...ordersOf('deposits', listDeposits, ['created', 'amount', 'status', 'method']),
  ['deposits, pending', listDeposits, { status: 'pending' }],
  ['deposits, ethereum, -amount', listDeposits, { method: 'ethereum', sort: '-amount' }],
  ...ordersOf('withdrawals', listWithdrawals, ['created', 'amount', 'status', 'wallet']),
  ['withdrawals, pending', listWithdrawals, { status: 'pending' }],
  ...ordersOf('investments', listInvestments, ['created', 'amount', 'status', 'ending']),
  ['investments, pending', listInvestments, { status: 'pending' }],
  ['investments, matured', listInvestments, { status: 'matured' }],
  ...ordersOf('earnings', listEarnings, ['created', 'amount', 'status']),
  ...ordersOf('returns', listReturns, ['realised', 'amount']),
  ...ordersOf('messages', listContactMessages, ['created', 'name', 'email']),
  ...ordersOf('audit log', listAudit, ['at']),
  ['audit log, one action', listAudit, { status: 'deposit.approved' }],
]

function ordersOf(name: string, call: CallDefinition, sorts: readonly string[]): Page[] {
  return [
    [name, call, {}],
    ...sorts.flatMap((sort): Page[] => [
      [`${name}, ${sort}`, call, { sort }],
      [`${name}, -${sort}`, call, { sort: `-${sort}` }],
    ]),
  ]
}

/**
 * Loads both databases and compares the first page of each console table between them.
 * @param stop ends it early; everything is still removed
 */
export function benchTables(
  scale: TableScale,
  progress: Progress,
  stop: AbortSignal,
): Promise<{ figures: Figure[]; machine: Machine }> {
  const loadBefore = currentLoad()
  return untilStopped(stop, async closers => {
    if (isBuildStale())
      await progress.step('Building the product', 'Product built', () => buildProduct(progress.say))
    const postgres = await startTemporaryPostgres('bench', { durable: true })
    closers.push(postgres.stop)
    const site = await sitesOn(postgres, closers)
    const few = await site('small', scale.fewUsers, progress)
    const many = await site('probity', scale.users, progress)
    const machine = await describeMachine(postgres.superuserUrl, loadBefore)
    const figures = await progress.step('First pages', 'First pages', () => measurePages(few, many, scale))
    return { figures, machine }
  })
}

/** `token` creates a new one: loading a million users takes longer than its validity. */
type Site = { server: Server; token: () => string; users: number }

/** Prepares a database and its copy, and starts the product on each once it is filled. */
async function sitesOn(postgres: Awaited<ReturnType<typeof startTemporaryPostgres>>, closers: Closers) {
  const admin = newId(new Date())
  const secret = randomBytes(48).toString('base64url')
  const { ownerUrl, appUrl } = postgres
  await migrate({ ownerUrl, appUrl })
  await prepare(appUrl, admin)
  const client = new pg.Client({ connectionString: postgres.superuserUrl })
  await client.connect()
  await client.query('CREATE DATABASE small TEMPLATE probity OWNER probity_owner')
  await client.end()
  const token = () =>
    accessTokens({ tokenSecret: secret, formerSecrets: [] }, systemClock).sign({
      sub: admin,
      type: 'admin',
      role: 'admin',
      sid: newId(new Date()),
    })
  return async (database: string, users: number, progress: Progress): Promise<Site> => {
    const url = withDatabase(postgres.superuserUrl, database)
    const rows = `${users.toLocaleString('en')} users, ${(users * RECORDS_OF_A_USER).toLocaleString('en')} records`
    await progress.step(`Loading ${rows}`, `Loaded and verified ${rows}`, () =>
      fillTables({ url, users, admin }),
    )
    const server = await startServer({
      script: [MAIN, 'web'],
      env: {
        ...serverEnvironment(withDatabase(appUrl, database), postgres.temporaryFolder),
        TOKEN_SECRET: secret,
      },
      readyPath: '/api/ready',
      log: join(postgres.temporaryFolder, `${database}.log`),
    })
    closers.push(server.stop)
    return { server, token, users }
  }
}

/** Plans, the firm, the admin who reads the tables, and the one who marks withdrawals as paid. */
async function prepare(url: string, admin: string): Promise<void> {
  const pool = openPool({ url, as: 'app', name: 'probity bench', max: 1 })
  await openDatabase(pool)
    .transaction()
    .execute(async tx => {
      await loadPlans(tx, new Date())
      await loadFirm(tx, new Date())
      await tx
        .insertInto('app.users')
        .values(
          [admin, newId(new Date())].map(id => ({
            id,
            type: 'admin',
            role: 'admin',
            name: 'Ada Admin',
            email: `${id}@probity.test`,
            phone: '+61 400 000 000',
            country: 'Australia',
            password_hash: 'not used',
            email_verified_at: new Date(),
            referral_code: id,
          })),
        )
        .execute()
    })
  await pool.end()
}

/**
 * Requests all pages repeatedly, alternating between both sites request by request, so that other load affects all
 * alike. A first round warms up and is dropped.
 */
async function measurePages(few: Site, many: Site, scale: TableScale): Promise<Figure[]> {
  const connections = {
    few: await Connection.open(few.server.port),
    many: await Connection.open(many.server.port),
  }
  const rounds: Pair<number[]>[][] = pages.map(() => [])
  try {
    for (let round = 0; round <= scale.rounds; round++) {
      for (const [index, [, call, query, limit]] of pages.entries()) {
        const bytesFor = ({ token }: Site) =>
          requestOf(token(), call, { query: { ...query, limit: ROWS } } as never)
        const requests = limit === null ? REQUESTS_OF_A_SLOW_PAGE : scale.requests
        const took = await askInTurn(requests, connections, { few: bytesFor(few), many: bytesFor(many) })
        if (round > 0) rounds[index]!.push(took)
      }
    }
  } finally {
    connections.few.close()
    connections.many.close()
  }
  return pages.map((page, index) => figureOf(page, rounds[index]!, few, many))
}

/** The quotient of the two p95 over all requests, with the range of the single rounds' quotients. */
function figureOf([name, , , limit]: Page, rounds: Pair<number[]>[], few: Site, many: Site): Figure {
  const all = (site: 'few' | 'many') => p95(rounds.flatMap(round => round[site]))
  const quotients = rounds.map(round => p95(round.many) / p95(round.few))
  const measured = ({ users }: Site, tookMs: number) => ({
    what: `p95 with ${users.toLocaleString('en')} users`,
    unit: 'milliseconds' as const,
    rounds: [tookMs],
  })
  const target = limit === null ? null : { atMost: 1.5 }
  return {
    ...figure(name, target, measured(many, all('many')), measured(few, all('few'))),
    low: Math.min(...quotients),
    high: Math.max(...quotients),
  }
}

type Pair<T> = { few: T; many: T }

/** @returns milliseconds of each request */
async function askInTurn(
  requests: number,
  connections: Pair<Connection>,
  bytes: Pair<Buffer>,
): Promise<Pair<number[]>> {
  const took: Pair<number[]> = { few: [], many: [] }
  for (let i = 0; i < requests; i++) {
    for (const site of i % 2 === 0 ? (['few', 'many'] as const) : (['many', 'few'] as const)) {
      took[site].push(await connections[site].ask(bytes[site]))
    }
  }
  return took
}

function p95(unordered: number[]): number {
  return percentile(
    unordered.toSorted((a, b) => a - b),
    0.95,
  )
}
