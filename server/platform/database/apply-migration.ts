import { setTimeout as delay } from 'node:timers/promises'
import { type Client, escapeIdentifier } from 'pg'
import { StartupError } from '#server/platform/startup-error.ts'
import { pauseProduct, resumeProduct } from './pause.ts'

/** One file of db/migrations. */
export interface Migration {
  readonly name: string
  readonly sql: string
  /** SHA-256 of the file, hex. */
  readonly checksum: string
}

export interface ApplyOptions {
  /** A line for the operator. */
  readonly say: (line: string) => void
  readonly signal?: AbortSignal | undefined
}

/**
 * Each wait of a migration for a lock, in milliseconds. The product's statements wait behind it. PostgreSQL searches for
 * deadlocks after a second (deadlock_timeout), so it ends none of them because of this wait.
 */
export const LOCK_MS = 400
/** Pause after the first try, doubled after each until the longest, in milliseconds. */
const FIRST_PAUSE_MS = 200
const LONGEST_PAUSE_MS = 5_000
/** How long to try again, in milliseconds. */
const GIVE_UP_MS = 10 * 60_000
/** Longest statement of a migration, and of one that builds an index concurrently, in milliseconds. */
const STATEMENT_LIMIT_MS = 10 * 60_000
const INDEX_LIMIT_MS = 6 * 3_600_000

/** lock_not_available, deadlock_detected, serialization_failure: the same again may succeed. */
const againStates = ['55P03', '40P01', '40001']

const concurrentIndex = /^CREATE (?:UNIQUE )?INDEX CONCURRENTLY (\w+)\s+ON (\w+)\.\w+/m

/**
 * Applies one file and notes it: in one transaction, or outside of one if it builds an index concurrently. Tries again as
 * long as others hold locks that it needs.
 * @throws StartupError with the line of the file that failed; the signal's reason
 */
export async function applyMigration(
  client: Client,
  migration: Migration,
  options: ApplyOptions,
): Promise<void> {
  const index = concurrentIndex.exec(migration.sql)
  await whileLocked(`Migration ${migration.name}`, options, () =>
    index === null ? applyInPause(client, migration) : buildIndex(client, migration, index),
  )
}

/** Runs work again while it meets locks, with a line for each try. @param work undoes what it did when it fails */
export async function whileLocked<T>(
  name: string,
  { say, signal }: ApplyOptions,
  work: () => Promise<T>,
): Promise<T> {
  const deadline = performance.now() + GIVE_UP_MS
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      const { code, message } = error as { code?: string; message: string }
      if (error instanceof StartupError) throw error
      if (!againStates.includes(code ?? '') || performance.now() > deadline) {
        throw new StartupError(`${name} failed at try ${tries}: ${message}`, undefined, { cause: error })
      }
      const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (tries - 1)) * (0.5 + Math.random() / 2)
      say(`${name}: try ${tries}: ${message}. Trying again in ${Math.round(pause)} ms`)
      await delay(pause, undefined, { signal })
    }
  }
}

async function applyInPause(client: Client, { name, sql, checksum }: Migration): Promise<void> {
  await pauseProduct(client)
  try {
    await client.query(
      `BEGIN; SET LOCAL lock_timeout = ${LOCK_MS}; SET LOCAL statement_timeout = ${STATEMENT_LIMIT_MS}`,
    )
    await runFile(client, { name, sql, checksum })
    await client.query('COMMIT')
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {})
    throw error
  } finally {
    await resumeProduct(client).catch(() => {})
  }
}

/** It blocks no writer, and waits for transactions that were there before. The index of a failed try is in the way. */
async function buildIndex(
  client: Client,
  migration: Migration,
  [, index = '', schema = '']: RegExpExecArray,
): Promise<void> {
  await client.query(`SET lock_timeout = 0; SET statement_timeout = ${INDEX_LIMIT_MS}`)
  const quoted = `${escapeIdentifier(schema)}.${escapeIdentifier(index)}`
  await client.query(`DROP INDEX CONCURRENTLY IF EXISTS ${quoted}`)
  await runFile(client, migration)
}

/** @throws StartupError with the line of the file, unless another try may succeed */
async function runFile(client: Client, { name, sql, checksum }: Migration): Promise<void> {
  try {
    await client.query(sql)
  } catch (cause) {
    const { message, position, code } = cause as { message: string; position?: string; code?: string }
    if (againStates.includes(code ?? '')) throw cause
    const line = position === undefined ? '' : ` at line ${sql.slice(0, Number(position)).split('\n').length}`
    throw new StartupError(`Migration ${name} failed${line}: ${message}`, undefined, { cause })
  }
  await client.query('INSERT INTO app.migrations (name, checksum) VALUES ($1, $2)', [name, checksum])
}
