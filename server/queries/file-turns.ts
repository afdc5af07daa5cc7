import type pg from 'pg'
import { limited } from '#server/platform/limited.ts'
import { waitingForFiles } from '#shared/download.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'

/**
 * Batches of rows that a process reads and writes for files at once: a second would take one more of the database's processors. A slow
 * batch holds up other files, until the time of its statement is over, but no request.
 */
const BATCHES_AT_ONCE = 1
/** Batches that may be under way or wait while another file begins. */
const MOST_BATCHES = 100
/** Connections that exports of tables hold at once: a quarter of the pool's, but no more. */
const MOST_CONNECTIONS = 4
/** Exports that may wait for a connection, and how long, in milliseconds. */
const MOST_EXPORTS_WAITING = 10
const LONGEST_WAIT_MS = 5_000
/** PDFs that are made at once, and those that may wait. */
const PDFS_AT_ONCE = 2
const MOST_PDFS_WAITING = 10

const RETRY_SECONDS = 3

type InTurn = ReturnType<typeof limited>
type Turns = {
  batch: InTurn
  batches: number
  pdf: InTurn
  open: number
  waiting: ((isGiven: boolean) => void)[]
}

/** The turns of a process's files, by its pool. */
const turnsByPool = new WeakMap<pg.Pool, Turns>()

function turnsOf(pool: pg.Pool): Turns {
  const known = turnsByPool.get(pool)
  if (known) return known
  const turns: Turns = {
    batch: limited(BATCHES_AT_ONCE, Number.POSITIVE_INFINITY),
    batches: 0,
    pdf: limited(PDFS_AT_ONCE, MOST_PDFS_WAITING, busy),
    open: 0,
    waiting: [],
  }
  turnsByPool.set(pool, turns)
  return turns
}

/**
 * Waits for a file's first turn.
 * @throws AppError not_ready if too many batches of others wait
 */
export async function beginFile(pool: pg.Pool): Promise<void> {
  if (turnsOf(pool).batches >= MOST_BATCHES) throw busy()
  await inBatchTurn(pool, async () => {})
}

/**
 * Reads and writes the next batch of a file in its turn: one at a time, so that files never keep requests waiting. A file that
 * has begun is never refused: it could only break off.
 */
export async function inBatchTurn<T>(pool: pg.Pool, work: () => Promise<T>): Promise<T> {
  const turns = turnsOf(pool)
  turns.batches++
  return await turns.batch(work).finally(() => turns.batches--)
}

/**
 * Makes a PDF in its turn.
 * @throws AppError not_ready if too many wait
 */
export function inPdfTurn<T>(pool: pg.Pool, work: () => Promise<T>): Promise<T> {
  return turnsOf(pool).pdf(work)
}

/**
 * Waits for a connection that exports may hold: as long as their readers take.
 * @param waitMs longest wait, in milliseconds
 * @returns call it when the file is sent
 * @throws AppError not_ready if none gets free in time
 */
export async function takeConnection(pool: pg.Pool, waitMs = LONGEST_WAIT_MS): Promise<() => void> {
  const turns = turnsOf(pool)
  const most = Math.max(2, Math.min(MOST_CONNECTIONS, Math.floor(pool.options.max / 4)))
  if (turns.open < most) turns.open++
  else if (turns.waiting.length >= MOST_EXPORTS_WAITING || !(await isGivenOne(turns, waitMs))) throw busy()
  return () => {
    const next = turns.waiting.shift()
    // The next one takes over this place.
    if (next) next(true)
    else turns.open--
  }
}

function isGivenOne({ waiting }: Turns, waitMs: number): Promise<boolean> {
  return new Promise(resolve => {
    const limit = setTimeout(() => {
      waiting.splice(waiting.indexOf(answer), 1)
      resolve(false)
    }, waitMs)
    const answer = (isGiven: boolean) => {
      clearTimeout(limit)
      resolve(isGiven)
    }
    waiting.push(answer)
  })
}

function busy(): AppError {
  return new AppError(
    'not_ready',
    t('Other files are being made, and yours is waiting for its turn. Please try again in a few seconds.'),
    { reason: waitingForFiles, retryAfterSeconds: RETRY_SECONDS },
  )
}
