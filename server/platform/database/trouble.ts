import { DatabaseError } from 'pg'
import { msg } from '#shared/i18n/t.ts'

/** A state of the database in which it temporarily refuses work, or cannot be reached. */
export type DatabaseTrouble = {
  /** What the operator should know and do, in one line. */
  readonly advice: string
  /** The message for the caller of a request. */
  readonly message: string
  readonly retryAfterSeconds: number
}

const lost: DatabaseTrouble = {
  advice:
    'PostgreSQL: the connection failed or was lost. Is it running and reachable? Nothing needs a restart.',
  message: msg('We have lost the connection to our database. Please try again in a moment.'),
  retryAfterSeconds: 5,
}
const restarting: DatabaseTrouble = {
  advice: 'PostgreSQL: it is starting, recovering or stopping, or ended this session.',
  message: msg('Our database is restarting. Please try again in a moment.'),
  retryAfterSeconds: 5,
}
const crowded: DatabaseTrouble = {
  advice:
    'PostgreSQL: all its connections are taken. Raise max_connections, or lower DATABASE_CONNECTIONS or the number of processes.',
  message: msg(
    'Too many requests are waiting for our database. Nothing was changed. Please try again in a moment.',
  ),
  retryAfterSeconds: 5,
}
const refusedLogin: DatabaseTrouble = {
  advice:
    'PostgreSQL: it refuses the login of this process. Check DATABASE_URL against its users and databases.',
  message: msg('We cannot reach our database. Nothing was changed. Please try again in a few minutes.'),
  retryAfterSeconds: 60,
}
const conflicting: DatabaseTrouble = {
  advice: 'PostgreSQL: concurrent transactions kept interfering, after every retry.',
  message: msg(
    'Too many requests are changing the same data. Nothing was changed. Please try again in a moment.',
  ),
  retryAfterSeconds: 2,
}
const overdue: DatabaseTrouble = {
  advice: 'PostgreSQL: a statement or transaction was ended because it took too long. Its log shows which.',
  message: msg('This took too long, so we stopped it. Nothing was changed. Please try again in a moment.'),
  retryAfterSeconds: 5,
}
const shortOfMemory: DatabaseTrouble = {
  advice: 'PostgreSQL: it is out of memory. Give it more, or lower work_mem or the number of connections.',
  message: msg('Our database is short of memory. Nothing was changed. Please try again in a minute.'),
  retryAfterSeconds: 30,
}

/** By SQLSTATE, or by its class, the first two characters (PostgreSQL's appendix A). */
const troubles = new Map<string, DatabaseTrouble>(
  Object.entries({
    // connection_exception: also what poolers report.
    '08': lost,
    // read_only_sql_transaction
    25006: {
      advice:
        'PostgreSQL: it accepts no writes (a standby, a demoted primary, or default_transaction_read_only). Check which server DATABASE_URL leads to.',
      message: msg(
        'Our database accepts no changes right now. Nothing was changed. Please try again in a moment.',
      ),
      retryAfterSeconds: 5,
    },
    // idle_in_transaction_session_timeout, transaction_timeout
    '25P03': overdue,
    '25P04': overdue,
    // invalid_authorization_specification, invalid_catalog_name
    28: refusedLogin,
    '3D000': refusedLogin,
    // serialization_failure, deadlock_detected
    40001: conflicting,
    '40P01': conflicting,
    // disk_full
    53100: {
      advice: 'PostgreSQL: its disk is full. Free space on the volume of its data; nothing needs a restart.',
      message: msg(
        'We cannot save anything right now: our storage is full. Nothing was changed. Please try again later.',
      ),
      retryAfterSeconds: 60,
    },
    // too_many_connections
    53300: crowded,
    // insufficient_resources, out_of_memory
    53: shortOfMemory,
    // lock_not_available
    '55P03': {
      advice:
        'PostgreSQL: a statement waited too long for a lock. See pg_locks for the session that holds it.',
      message: msg(
        'Other work on the same data has not finished yet. Nothing was changed. Please try again in a moment.',
      ),
      retryAfterSeconds: 2,
    },
    // query_canceled
    57014: overdue,
    // operator_intervention: admin_shutdown, crash_shutdown, cannot_connect_now
    57: restarting,
    // system_error, io_error
    58: {
      advice: 'PostgreSQL: it cannot read or write its files (I/O error). Look at its disk and its log.',
      message: msg('Our storage has a fault. Nothing was changed. Please try again later.'),
      retryAfterSeconds: 60,
    },
    // app.refuse_another_time
    PB915: {
      advice:
        "PostgreSQL: a process dated an act by another time than the database's. A clock was set, or the process stood still for minutes (probity_clock_offset_seconds).",
      message: msg('Our clocks did not agree for a moment. Nothing was changed. Please try again.'),
      retryAfterSeconds: 2,
    },
  }),
)

/** Node's codes of a broken connection. */
const brokenCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
])
/** Messages of pg, which have no code: for a connection that broke, and for one that cannot be used any more. */
const brokenWords = /^Connection terminated/
const unusableWords = /not queryable$/
const noFreeConnection = 'timeout exceeded when trying to connect'

/** How a connection failed, by the error: those of other servers' connections have the same codes. */
const failures = new WeakMap<object, 'not opened' | 'lost'>()

/** Called for an error of opening a connection to the database. */
export function noteNotOpened(error: unknown): void {
  if (error instanceof Error) failures.set(error, 'not opened')
}

/** Called for an error of a query. */
export function noteQueryError(error: unknown): void {
  if (!(error instanceof Error) || error instanceof DatabaseError) return
  const { code, message } = error as NodeJS.ErrnoException
  if (code === undefined ? brokenWords.test(message) : brokenCodes.has(code)) failures.set(error, 'lost')
}

/** The connection was lost during a COMMIT, so only the database knows whether the transaction took place. */
export class OutcomeUnknown extends Error {
  constructor(cause: unknown) {
    super('The connection to the database was lost during a COMMIT', { cause })
    this.name = 'OutcomeUnknown'
  }
}

/** The error of a COMMIT, or of a statement outside a transaction: as it is, unless the session ended first. */
export function asCommitError(error: unknown): unknown {
  const isEnded =
    error instanceof DatabaseError
      ? error.severity === 'FATAL' || error.severity === 'PANIC'
      : failures.get(error as object) === 'lost'
  return isEnded ? new OutcomeUnknown(error) : error
}

/** The state behind a database error; undefined for every other error. */
export function databaseTrouble(error: unknown): DatabaseTrouble | undefined {
  if (!(error instanceof Error)) return undefined
  if (error instanceof OutcomeUnknown) return lost
  const { code, message } = error as NodeJS.ErrnoException
  if (code === undefined) return troubleIn(message) ?? (failures.has(error) ? lost : undefined)
  const known = troubles.get(code) ?? (code.length === 5 ? troubles.get(code.slice(0, 2)) : undefined)
  return known ?? (failures.has(error) ? lost : undefined)
}

/** By a message of pg. */
function troubleIn(message: string): DatabaseTrouble | undefined {
  if (message === noFreeConnection) return crowded
  return brokenWords.test(message) || unusableWords.test(message) ? lost : undefined
}
