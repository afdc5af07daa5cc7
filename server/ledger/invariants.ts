import type { Client, Pool } from 'pg'
import type { Logger } from 'pino'
import { apartFrom } from '#server/platform/database/direct.ts'
import { LimitedClient } from '#server/platform/database/limited-client.ts'
import { keepPoint, type PointKeeper, readPoints, type VerifiedPoint } from './verified-points.ts'

/** One invariant of the books: what was examined, and up to ten violations. */
export type InvariantCheck = {
  name: string
  statement: string
  examined: number
  faults: number
  examples: unknown[]
}

export type InvariantRun = {
  id: bigint
  started_at: Date
  finished_at: Date
  ok: boolean
  checks: InvariantCheck[]
  /** The earlier run from whose verified point it went on; null if it examined everything. */
  since: bigint | null
}

/** Time limit of a check, in milliseconds: it reads all the books. */
const LONGEST_MS = 30 * 60_000

/** Checks that the database cannot make itself; in the snapshot of the others. */
export type MoreChecks = (client: Client, point: VerifiedPoint | undefined) => Promise<InvariantCheck[]>

/** Without a keeper, a check examines everything, and no later one goes on from it. */
type CheckOptions = { more?: MoreChecks; keeper?: PointKeeper; isOnlyNew?: boolean }

/**
 * Checks every invariant of the books (0015_ledger_checks.sql) in one snapshot, without stopping writers, and stores
 * the run in `ledger.invariant_runs`. Each violated invariant is logged at level error, with examples.
 */
export function checkBooks(
  pool: Pool,
  log: Log,
  more?: MoreChecks,
  keeper?: PointKeeper,
): Promise<InvariantRun> {
  return checked(pool, log, { more, keeper })
}

/**
 * The same for what is new since the latest verified point (docs/decisions/0136-verified-points.md); for everything if
 * there is none to go on from.
 */
export function checkNewBooks(
  pool: Pool,
  log: Log,
  more: MoreChecks,
  keeper: PointKeeper,
): Promise<InvariantRun> {
  return checked(pool, log, { more, keeper, isOnlyNew: true })
}

type Log = Pick<Logger, 'info' | 'error'>

async function checked(pool: Pool, log: Log, options: CheckOptions): Promise<InvariantRun> {
  const run = await check(pool, options)
  const milliseconds = run.finished_at.getTime() - run.started_at.getTime()
  for (const { name, statement, faults, examples } of run.checks.filter(({ faults }) => faults > 0))
    log.error(
      { alarm: 'ledger', run: run.id.toString(), check: name, faults, examples },
      `broken: ${statement}`,
    )
  if (run.ok) {
    const since = run.since === null ? 'everything' : `what is new since run ${run.since}`
    log.info(
      { run: run.id.toString(), checks: run.checks.length, milliseconds },
      `the books are in order: checked ${since}`,
    )
  }
  return run
}

/** The latest run, or undefined before the first. */
export async function latestCheck(pool: Pool): Promise<InvariantRun | undefined> {
  const { rows } = await pool.query<InvariantRun>(
    'SELECT * FROM ledger.invariant_runs ORDER BY id DESC LIMIT 1',
  )
  return rows[0]
}

/**
 * Writes snapshots of the accounts without a running balance, so that reading them stays fast; called every few
 * minutes.
 * @returns how many accounts have a new snapshot
 */
export async function takeSnapshots(pool: Pool): Promise<bigint> {
  const { rows } = await pool.query<{ written: bigint }>('SELECT ledger.take_snapshots() AS written')
  return rows[0]?.written ?? 0n
}

/** On its own connection: those of the pool time out long before. */
async function check(pool: Pool, { more, keeper, isOnlyNew }: CheckOptions): Promise<InvariantRun> {
  const limits = { statementMs: LONGEST_MS, answerMs: LONGEST_MS }
  const client = new LimitedClient(apartFrom(pool, { name: 'probity check', ...limits }))
  // Without a listener a broken connection would end the process; the pending query reports the error.
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
    const points = keeper && (await readPoints(client, keeper))
    const point = isOnlyNew ? points?.latest : undefined
    const own = (await more?.(client, point)) ?? []
    const { rows } = await client.query<InvariantRun>('SELECT * FROM ledger.check_books($1, $2)', [
      JSON.stringify(own),
      point?.runId ?? null,
    ])
    const run = withOwn(rows[0]!, own)
    if (points && run.ok) await keepPoint(client, keeper, { run_id: run.id, ...points.next }, point)
    await client.query('COMMIT')
    return run
  } finally {
    await client.end().catch(() => {})
  }
}

/** A function of the database that was tampered with may have kept our own results out of its run. */
function withOwn(run: InvariantRun, own: InvariantCheck[]): InvariantRun {
  const names = new Set(own.map(({ name }) => name))
  const checks = [...run.checks.filter(({ name }) => !names.has(name)), ...own]
  return { ...run, checks, ok: checks.every(({ faults }) => faults === 0) }
}
