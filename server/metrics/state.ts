import pg from 'pg'
import { Gauge, type Registry } from 'prom-client'
import { watchingState } from '#server/chain/status.ts'
import { isWatched } from '#server/config/rails.ts'
import { repliesReadAt } from '#server/contact/replies/read-at.ts'
import type { Services } from '#server/context.ts'
import { jobs } from '#server/jobs/jobs.ts'
import { queueState } from '#server/jobs/queue-state.ts'
import { latestCheck } from '#server/ledger/invariants.ts'
import { unsealedSince } from '#server/ledger/sealer.ts'
import { unexplainedCounts } from '#server/payouts/outgoing.ts'
import { apartFrom } from '#server/platform/database/direct.ts'
import { LimitedClient } from '#server/platform/database/limited-client.ts'
import { openDatabase } from '#server/platform/database/pool.ts'
import { Outage } from '#server/platform/outage.ts'
import { currentRates } from '#server/prices/rates.ts'
import { problemCount } from '#server/proof/problems.ts'
import { stampLag } from '#server/proof/stamps.ts'
import { missingCosignatures } from '#server/proof/witnesses.ts'
import { isRestored } from '#server/restores/beat.ts'
import { listStates } from '#server/screening/queries.ts'
import { isStablecoin, railNames } from '#shared/coins.ts'

/** Timeout of a database query, in milliseconds: Prometheus waits ten seconds in total. */
const ANSWER_MS = 3_000
/** The database is queried at most once in this time, in milliseconds. */
const KEPT_MS = 1_000

const tasks = new Set(jobs.map(({ task }) => task.name))

/** Metrics of the whole installation, from the database. */
export type State = {
  /** Refreshes values older than a second; never rejects. */
  refresh(): Promise<void>
  close(): Promise<void>
}

/**
 * Exported by every process, so the gauges survive a dead worker. On its own connection, so they survive an exhausted
 * pool.
 */
export function tellState(register: Registry, services: Services): State {
  const connections = ownConnection(services.pool)
  const own = { ...services, pool: connections, db: openDatabase(connections) }
  const gauges = stateGauges(register)
  const outage = new Outage(services.log, {
    began: 'could not read metrics from the database',
    over: 'reads metrics from the database again',
  })
  let reading: Promise<void> | undefined
  let readAt = Number.NEGATIVE_INFINITY
  const read = () =>
    readState(own, gauges).then(
      () => {
        gauges.up.set(1)
        outage.passed()
      },
      err => {
        // Drop outdated values.
        forget(gauges)
        gauges.up.set(0)
        outage.failed(err)
      },
    )
  return {
    refresh() {
      if (reading === undefined || performance.now() - readAt > KEPT_MS) {
        readAt = performance.now()
        reading = read()
      }
      return reading
    },
    close: () => connections.end(),
  }
}

function ownConnection(pool: pg.Pool): pg.Pool {
  const connections = new pg.Pool({
    ...apartFrom(pool, { name: 'probity metrics', statementMs: ANSWER_MS, answerMs: ANSWER_MS }),
    Client: LimitedClient,
    connectionTimeoutMillis: ANSWER_MS,
    max: 1,
  })
  // A broken connection is replaced; without a listener the event would end the process.
  connections.on('error', () => {})
  return connections
}

/** No series rather than a zero, which would mean that the books are broken. */
function forget(gauges: Gauges): void {
  for (const gauge of Object.values(gauges)) gauge.reset()
  gauges.books.remove()
  gauges.checked.remove()
  gauges.unsealed.remove()
  gauges.archived.remove()
  gauges.replies.remove()
}

type Gauges = ReturnType<typeof stateGauges>

function stateGauges(register: Registry) {
  const gauge = <Label extends string>(name: string, help: string, labelNames: Label[] = []) =>
    new Gauge({ name, help, labelNames, registers: [register] })
  return {
    up: gauge('probity_database_up', '1 if the database answers this process'),
    waiting: gauge('probity_jobs_waiting', 'Jobs that are due and not running', ['task']),
    oldest: gauge('probity_jobs_oldest_seconds', 'Age of the oldest job that is due or being retried', [
      'task',
    ]),
    failed: gauge('probity_jobs_failed', 'Jobs that failed for good and wait for an operator', ['task']),
    books: gauge('probity_books_ok', '1 if the last check of the books found no violation'),
    checked: gauge('probity_books_checked_age_seconds', 'Seconds since that check ended'),
    unsealed: gauge(
      'probity_seal_lag_seconds',
      'Age of the oldest posting or audit row that is not sealed yet; 0 if all are',
    ),
    archived: gauge(
      'probity_wal_archived_age_seconds',
      'Seconds since PostgreSQL last archived a part of its write-ahead log',
    ),
    replies: gauge(
      'probity_replies_age_seconds',
      'Seconds since the mailbox of replies was last read to its end',
    ),
    listAge: gauge('probity_list_age_seconds', 'Seconds since a file of a published list was last checked', [
      'list',
    ]),
    listRefused: gauge(
      'probity_list_refused',
      '1 if the newest file of a published list does not replace the one in force',
      ['list'],
    ),
    unstamped: gauge(
      'probity_proof_stamp_lag_seconds',
      'Age of the oldest epoch of the public proof that waits for a time stamp; 0 if none does',
    ),
    unwitnessed: gauge(
      'probity_proof_witnesses_missing',
      'Witnesses of the policy that have not cosigned the newest checkpoint of the public proof',
    ),
    unpublished: gauge(
      'probity_proof_problems',
      'Parts of the public proof (writing, signing, bucket, stamps) that failed at their last try',
    ),
    price: gauge('probity_price_age_seconds', 'Age of the oldest reading in the price of a coin', ['symbol']),
    sources: gauge(
      'probity_price_sources',
      'Sources whose readings of the last five minutes agree on the price of a coin',
      ['symbol'],
    ),
    behind: gauge('probity_chain_blocks_behind', 'Blocks of a network that are not synced yet', ['rail']),
    syncAge: gauge(
      'probity_chain_sync_age_seconds',
      'Seconds since the start of the last complete sync of a network',
      ['rail'],
    ),
    failing: gauge(
      'probity_chain_fault',
      '1 if a network was never synced or could not be read, a payment not credited, or a payout not marked as paid',
      ['rail'],
    ),
    restored: gauge(
      'probity_database_restored',
      '1 if payouts are paused after a restore until an operator resumes',
    ),
    stopped: gauge(
      'probity_chain_addresses_stopped',
      '1 if investors get no new payment addresses until an operator resumes',
      ['rail'],
    ),
    outgoing: gauge(
      'probity_chain_outgoing_unexplained',
      'Transactions that our keys signed and no payout or person explains',
      ['rail'],
    ),
    unconfirmed: gauge(
      'probity_chain_unconfirmed_fault',
      '1 if blocks are read but unconfirmed transfers are unknown',
      ['rail'],
    ),
    failedDeposits: gauge(
      'probity_chain_deposits_failed',
      'Deposits that the last sync could not credit or reverse',
      ['rail'],
    ),
    failedPayouts: gauge(
      'probity_chain_payouts_failed',
      'Withdrawals whose payouts the last sync could not assess',
      ['rail'],
    ),
    transfers: gauge('probity_chain_transfers_waiting', 'Transfers seen on a network and not credited yet', [
      'rail',
    ]),
    debts: gauge('probity_debts_open', 'Open debts from deposits that were reversed after they were spent', [
      'rail',
    ]),
    owed: gauge('probity_debts_open_usd', 'Sum of those debts, in US dollars', ['rail']),
  }
}

async function readState(services: Services, gauges: Gauges): Promise<void> {
  const now = services.clock.now()
  const queue = await queueState(services.db)
  const check = await latestCheck(services.pool)
  const unsealed = await unsealedSince(services.pool)
  const archivedSeconds = await archivedAge(services.pool)
  const rates = await currentRates(services, now)
  const networks = await watchingState(services.db)
  const outgoing = await unexplainedCounts(services.db)
  const ageOf = (at: Date) => Math.max(0, (now.getTime() - at.getTime()) / 1000)
  forget(gauges)
  for (const { task: name, waiting, failed, oldestSeconds } of queue) {
    // A newer release may have queued jobs of unknown kinds.
    const task = tasks.has(name) ? name : 'other'
    gauges.waiting.inc({ task }, waiting)
    gauges.failed.inc({ task }, failed)
    gauges.oldest.set({ task }, oldestSeconds)
  }
  if (check !== undefined) {
    gauges.books.set(check.ok ? 1 : 0)
    gauges.checked.set(ageOf(check.finished_at))
  }
  const readAt = services.config.replies === null ? undefined : await repliesReadAt(services)
  if (readAt !== undefined) gauges.replies.set(ageOf(readAt))
  for (const { list, at, isRefused } of await listStates(services.db)) {
    gauges.listAge.set({ list }, ageOf(at))
    gauges.listRefused.set({ list }, isRefused ? 1 : 0)
  }
  gauges.restored.set((await isRestored(services)) ? 1 : 0)
  gauges.unstamped.set((await stampLag(services)) / 1000)
  gauges.unpublished.set(await problemCount(services.pool))
  gauges.unwitnessed.set(await missingCosignatures(services))
  gauges.unsealed.set(unsealed === null ? 0 : ageOf(unsealed))
  if (archivedSeconds !== undefined) gauges.archived.set(archivedSeconds)
  // The firm's fixed rates have no age.
  for (const { symbol, at, state, sources } of rates) {
    if (isStablecoin(symbol)) continue
    gauges.price.set({ symbol }, ageOf(at))
    gauges.sources.set({ symbol }, state === 'stale' || state === 'disputed' ? 0 : sources)
  }
  // A network that was never synced has only this one.
  for (const rail of railNames) if (isWatched(services.config.rails, rail)) gauges.failing.set({ rail }, 1)
  for (const { rail, behind, polledAt, waiting, debts, debtCents, ...state } of networks) {
    gauges.behind.set({ rail }, behind)
    gauges.syncAge.set({ rail }, ageOf(polledAt))
    gauges.failing.set({ rail }, state.isFailing ? 1 : 0)
    gauges.unconfirmed.set({ rail }, state.isUnconfirmedUnknown ? 1 : 0)
    gauges.stopped.set({ rail }, state.isStopped ? 1 : 0)
    gauges.outgoing.set({ rail }, outgoing.get(rail) ?? 0)
    gauges.failedDeposits.set({ rail }, state.failed)
    gauges.failedPayouts.set({ rail }, state.failedPayouts)
    gauges.transfers.set({ rail }, Number(waiting))
    gauges.debts.set({ rail }, Number(debts))
    gauges.owed.set({ rail }, Number(debtCents) / 100)
  }
}

/** Since the server's start of counting if nothing was archived; undefined if it does not archive at all. */
async function archivedAge(pool: pg.Pool): Promise<number | undefined> {
  const { rows } = await pool.query<{ seconds: number }>(
    `SELECT extract(epoch FROM now() - coalesce(last_archived_time, stats_reset))::float8 AS seconds
       FROM pg_stat_archiver WHERE current_setting('archive_mode') <> 'off'`,
  )
  return rows[0]?.seconds
}
