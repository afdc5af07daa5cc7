import type { RunnerOptions } from 'graphile-worker'
import type { Config } from '#server/config.ts'
import { maximumWebhooks } from '#shared/limits.ts'

/**
 * What a job must not wait for: each lane has a runner, database connections and mail connections of its own
 * (decision 133).
 * - urgent: codes, links and emails about security
 * - clockwork: what no person waits for: prices, expiries, seals, checks
 * - webhooks: messages to programs of the firm, whose slow endpoints each hold one
 * - pushes: notifications of devices, whose push services may be slow
 * - notices: emails about money and messages, one act may queue a hundred thousand
 */
export const laneNames = ['urgent', 'clockwork', 'webhooks', 'pushes', 'notices'] as const
export type LaneName = (typeof laneNames)[number]

export type Lane = {
  /** Concurrent jobs of one process. */
  concurrency: number
  /** Most connections to the database, one of them to be notified of new jobs. */
  databaseConnections: number
  /** Connections to the mail server. */
  mailConnections: number
  /** Whether very many of its jobs may wait: then the next one is read in the order of an index, never by sorting all. */
  isLong: boolean
  /** How each of the runner's workers fetches jobs and reports their end. */
  queue: NonNullable<NonNullable<RunnerOptions['preset']>['worker']>
}

type Pace = { reportMs: number; pollMs: number; isLong?: boolean }

/** Concurrent jobs of the clockwork. */
const CLOCKWORK_CONCURRENCY = 4
/** One for each endpoint, and one that finds an endpoint busy and leaves. */
const WEBHOOKS_CONCURRENCY = maximumWebhooks + 1
/** Concurrent requests to push services. */
const PUSHES_CONCURRENCY = 8
/** One of so many mail connections is reserved for the urgent lane. */
const URGENT_SHARE = 6
/** Writers to the demonstration's mailbox, which takes no connection of its own. */
const MAILBOX_WRITERS = 6
/** While one email of a connection is sent, the next one is written. */
const JOBS_PER_CONNECTION = 2
/** Ends of notices are written together: what a killed worker sent in this time is sent again, in milliseconds. */
const REPORT_MS = 50
/** How often an idle worker asks for jobs that are due again; new ones are notified. */
const POLL_MS = 1_000
/** As above for the many workers of notices, in milliseconds. */
const NOTICES_POLL_MS = 5_000

export function lanesOf({ smtp }: Pick<Config, 'smtp'>): Record<LaneName, Lane> {
  const connections = smtp?.connections ?? MAILBOX_WRITERS
  const reserved = Math.ceil(connections / URGENT_SHARE)
  return {
    urgent: mailLane(reserved, { reportMs: 0, pollMs: POLL_MS }),
    clockwork: {
      concurrency: CLOCKWORK_CONCURRENCY,
      databaseConnections: CLOCKWORK_CONCURRENCY + 2,
      mailConnections: 0,
      isLong: false,
      queue: queueWith({ reportMs: 0, pollMs: POLL_MS }),
    },
    webhooks: {
      concurrency: WEBHOOKS_CONCURRENCY,
      databaseConnections: 2,
      mailConnections: 0,
      isLong: false,
      queue: queueWith({ reportMs: 0, pollMs: POLL_MS }),
    },
    pushes: {
      concurrency: PUSHES_CONCURRENCY,
      databaseConnections: 2,
      mailConnections: 0,
      isLong: false,
      queue: queueWith({ reportMs: 0, pollMs: NOTICES_POLL_MS }),
    },
    notices: mailLane(connections - reserved, {
      reportMs: REPORT_MS,
      pollMs: NOTICES_POLL_MS,
      isLong: true,
    }),
  }
}

function mailLane(mailConnections: number, { isLong = false, ...pace }: Pace): Lane {
  const concurrency = mailConnections * JOBS_PER_CONNECTION
  return {
    concurrency,
    databaseConnections: 3,
    mailConnections,
    isLong,
    queue: queueWith(pace),
  }
}

/**
 * Without batches, the runner does not wait for the last reports when it stops, and a report that fails would end the
 * process as an unhandled rejection. With them it ends the runner, which `keepRunning` replaces.
 */
function queueWith({ reportMs, pollMs }: Pace): Lane['queue'] {
  return { completeJobBatchDelay: reportMs, failJobBatchDelay: reportMs, pollInterval: pollMs }
}
