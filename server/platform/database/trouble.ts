/** A state of the database in which it temporarily refuses work. */
export type DatabaseTrouble = {
  /** What the operator should know and do, in one line. */
  readonly advice: string
  /** The message for the caller of a request. */
  readonly message: string
  readonly retryAfterSeconds: number
}

/** By SQLSTATE (PostgreSQL's appendix A). In each case the transaction was rolled back, so nothing has changed. */
const troubles: Record<string, DatabaseTrouble> = {
  // disk_full
  53100: {
    advice: 'PostgreSQL: its disk is full. Free space on the volume of its data; nothing needs a restart.',
    message:
      'We cannot save anything right now: our storage is full. Nothing was changed. Please try again later.',
    retryAfterSeconds: 60,
  },
  // out_of_memory
  53200: {
    advice: 'PostgreSQL: it is out of memory. Give it more, or lower work_mem or the number of connections.',
    message: 'Our database is short of memory. Nothing was changed. Please try again in a minute.',
    retryAfterSeconds: 30,
  },
  // too_many_connections
  53300: {
    advice:
      'PostgreSQL: all its connections are taken. Raise max_connections, or lower DATABASE_CONNECTIONS or the number of processes.',
    message:
      'Too many requests are waiting for our database. Nothing was changed. Please try again in a moment.',
    retryAfterSeconds: 5,
  },
  // cannot_connect_now
  '57P03': {
    advice: 'PostgreSQL: it is starting, recovering or stopping, and takes no connection yet.',
    message: 'Our database is restarting. Nothing was changed. Please try again in a moment.',
    retryAfterSeconds: 5,
  },
  // io_error
  58030: {
    advice: 'PostgreSQL: it cannot read or write its files (I/O error). Look at its disk and its log.',
    message: 'Our storage has a fault. Nothing was changed. Please try again later.',
    retryAfterSeconds: 60,
  },
}

/** The state behind a database error; undefined for every other error. */
export function databaseTrouble(error: unknown): DatabaseTrouble | undefined {
  const code = (error as { code?: unknown } | null | undefined)?.code
  return typeof code === 'string' && Object.hasOwn(troubles, code) ? troubles[code] : undefined
}
