import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { approveInvestment, newInvestment } from '#shared/contract/investments.ts'
import { approveWithdrawal } from '#shared/contract/withdrawals.ts'
import type { Progress } from '#tools/console.ts'
import { requestOf } from './calls.ts'
import { payRequests, pendingWithdrawals } from './hot.ts'
import { runLoad } from './load.ts'
import { processorMsOf } from './processor-times.ts'
import { type Scale, smoke } from './scale.ts'
import { untilStopped } from './until-stopped.ts'
import { withdrawalRequests } from './withdrawals.ts'
import { buildWorld, type World, withDatabase } from './world.ts'

const CONNECTIONS = 16
/** Longest measurement of an act, in seconds: each makes a fixed number. */
const LIMIT_SECONDS = 600
const KB = 1_000

/** What one act of a kind costs; the emails that it queues are not sent. */
export type Cost = {
  act: string
  perSecond: number
  /** Processor milliseconds of the web process and of PostgreSQL. */
  webMs: number
  databaseMs: number
  /** What PostgreSQL writes: to its log, and to stay in tables and indexes. */
  walKB: number
  diskKB: number
  /** New entries of the ledger. */
  entries: number
}

/** The books that acts are added to. */
export const costScale: Scale = {
  ...smoke,
  large: { entries: 200_000, linesOfOne: 1_000, others: 2_000 },
}

/**
 * Measures what acts cost, each made by its call of the API.
 * @param count of each act
 */
export function measureCosts(
  count: number,
  scale: Scale,
  progress: Progress,
  stop: AbortSignal,
): Promise<Cost[]> {
  return untilStopped(stop, async closers => {
    const world = await buildWorld(scale, progress, closers)
    const { investors, staff, server, pool } = world.large
    const load = async (request: () => Buffer | null, seconds = LIMIT_SECONDS) =>
      (await runLoad({ port: server.port, connections: CONNECTIONS, seconds, request })).perSecond
    const costOf = async (act: string, requests: Buffer[]): Promise<Cost> =>
      await progress.step(act, act, () => measure(world, act, requests, load))
    const first = <T>(next: () => T) => Array.from({ length: count }, next)
    const requested = await costOf('a withdrawal is requested', first(withdrawalRequests(world, investors)))
    const ids = await pendingWithdrawals(world, load, count)
    // What one person approves alone in a day is added up for each approval, so several share the work.
    const tokens = staff.map(person => world.tokenOf(person, 'admin'))
    const tokenOf = (n: number) => tokens[n % tokens.length]!
    const approved = await costOf(
      'a withdrawal is approved',
      ids.map((id, n) => requestOf(tokenOf(n), approveWithdrawal, { params: { id } })),
    )
    const paid = await costOf(
      'a withdrawal is marked as paid',
      await payRequests(world, await pendingWithdrawals(world, load, count)),
    )
    const opened = await costOf('an investment is made from the balance', investmentRequests(world, count))
    const { rows } = await pool.query<{ id: string }>(
      "SELECT id FROM app.investments WHERE status = 'pending' LIMIT $1",
      [count],
    )
    const started = await costOf(
      'an investment is approved',
      rows.map(({ id }, n) => requestOf(tokenOf(n), approveInvestment, { params: { id } })),
    )
    return [requested, approved, paid, opened, started]
  })
}

function investmentRequests(world: World, count: number): Buffer[] {
  const { investors } = world.large
  const body = { method: 'balance', plan: 'Basic', amount: 100 } as const
  return Array.from({ length: count }, (_, n) =>
    requestOf(world.tokenOf(investors[n % investors.length]!), newInvestment, { body }),
  )
}

async function measure(
  world: World,
  act: string,
  requests: Buffer[],
  load: (request: () => Buffer | null) => Promise<number>,
): Promise<Cost> {
  const count = requests.length
  await world.large.settle()
  const before = await usageOf(world)
  const perSecond = await load(() => requests.pop() ?? null)
  const after = await usageOf(world)
  const each = (key: keyof typeof before) => (after[key] - before[key]) / count
  return {
    act,
    perSecond,
    webMs: each('webMs'),
    databaseMs: each('databaseMs'),
    walKB: each('wal') / KB,
    diskKB: each('disk') / KB,
    entries: each('entries'),
  }
}

async function usageOf({ postgres, large }: World) {
  const pidFile = join(postgres.temporaryFolder, 'data/postgres/data/postmaster.pid')
  const postmaster = Number(readFileSync(pidFile, 'utf8').split('\n')[0])
  const { worker, database } = processorMsOf(large.server.pid, postmaster)
  const client = new pg.Client({ connectionString: withDatabase(postgres.superuserUrl, 'probity') })
  await client.connect()
  const { rows } = await client.query<{ wal: string; disk: string; entries: string }>(
    `SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') AS wal, (SELECT count(*) FROM ledger.entries) AS entries,
            (SELECT sum(pg_total_relation_size(oid)) FROM pg_class
              WHERE relkind = 'r' AND relnamespace IN ('app'::regnamespace, 'ledger'::regnamespace)) AS disk`,
  )
  await client.end()
  const { wal, disk, entries } = rows[0]!
  return {
    webMs: worker,
    databaseMs: database,
    wal: Number(wal),
    disk: Number(disk),
    entries: Number(entries),
  }
}

/** The costs as a table of Markdown. */
export function costTable(costs: readonly Cost[]): string {
  const head = ['act', 'a second', 'web process, ms', 'PostgreSQL, ms', 'log, kB', 'disk, kB', 'entries']
  const rows = costs.map(({ act, perSecond, webMs, databaseMs, walKB, diskKB, entries }) => [
    act,
    perSecond.toFixed(0),
    webMs.toFixed(2),
    databaseMs.toFixed(2),
    walKB.toFixed(1),
    diskKB.toFixed(1),
    entries.toFixed(0),
  ])
  return [head, head.map(() => '---'), ...rows].map(cells => `| ${cells.join(' | ')} |`).join('\n')
}
