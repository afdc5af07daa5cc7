import type { RunnerOptions } from 'graphile-worker'
import type { Config } from '#server/config.ts'

/**
 * What a job must not wait for: each lane has a runner, database connections and mail connections of its own
 * (decision 133).
 * - urgent: codes, links and emails about security
 * - clockwork: what no person waits for: prices, expiries, seals, checks
 * - notices: emails about money and messages, one act may queue a hundred thousand
 */
export const laneNames = ['urgent', 'clockwork', 'notices'] as const
export type LaneName = (typeof laneNames)[number]

export type Lane = {
  /** Concurrent jobs of one process. */
  concurrency: number
  /** Most connections to the database, one of them to be notified of new jobs. */
  databaseConnections: number
  /** Connections to the mail server. */
  mailConnections: number
  /** How the runner fetches jobs and reports their end. */
  queue: NonNullable<NonNullable<RunnerOptions['preset']>['worker']>
}

/** Concurrent jobs of the clockwork. */
const CLOCKWORK_CONCURRENCY = 4
/** One of so many mail connections is reserved for the urgent lane. */
const URGENT_SHARE = 6
/** Writers to the demonstration's mailbox, which takes no connection of its own. */
const MAILBOX_WRITERS = 6
/** While one email of a connection is sent, the next one is written. */
const JOBS_PER_CONNECTION = 2
/** Ends of notices are written together: what a killed worker sent in this time is sent again, in milliseconds. */
const REPORT_MS = 50

export function lanesOf({ smtp }: Pick<Config, 'smtp'>): Record<LaneName, Lane> {
  const connections = smtp?.connections ?? MAILBOX_WRITERS
  const reserved = Math.ceil(connections / URGENT_SHARE)
  return {
    urgent: mailLane(reserved, 0),
    clockwork: {
      concurrency: CLOCKWORK_CONCURRENCY,
      databaseConnections: CLOCKWORK_CONCURRENCY + 2,
      mailConnections: 0,
      queue: reportWithin(0),
    },
    notices: mailLane(connections - reserved, REPORT_MS),
  }
}

/** Fetches jobs by the list, so that it needs few connections to the database. */
function mailLane(mailConnections: number, reportMs: number): Lane {
  const concurrency = mailConnections * JOBS_PER_CONNECTION
  return {
    concurrency,
    databaseConnections: 3,
    mailConnections,
    queue: { ...reportWithin(reportMs), localQueue: { size: concurrency } },
  }
}

/**
 * Without batches, the runner does not wait for the last reports when it stops, and a report that fails would end the
 * process as an unhandled rejection. With them it ends the runner, which `keepRunning` replaces.
 */
function reportWithin(milliseconds: number) {
  return { completeJobBatchDelay: milliseconds, failJobBatchDelay: milliseconds }
}
