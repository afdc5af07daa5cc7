import { hash } from 'node:crypto'
import type { Pool } from 'pg'
import { z } from 'zod'
import type { TimeAuthority } from '#server/config/time-authority.ts'
import type { Services } from '#server/context.ts'
import { defineTask } from '#server/platform/queue.ts'
import { send } from '#server/platform/tracing/outgoing.ts'
import { dayOf } from '#shared/moments.ts'
import { Invalid } from '#verifier/errors.mjs'
import { certificatesIn, checkTimeStamp, stampRequest } from '#verifier/time-stamp.mjs'
import { problemOfStamp, type StoredStamp } from './check-stamps.ts'
import { noteProblem } from './problems.ts'

/** An authority that has not answered in this time is asked again by the queue. */
const ANSWER_MS = 20_000
const MOST_ANSWER_BYTES = 100_000
/** Stored stamps among which the newest that holds is shown. */
const MOST_TRIED = 5
/** An epoch without a stamp after this time is an alarm. */
const LATE_MS = 6 * 3_600_000

/** Has the newest checkpoints dated; queued when an epoch ends. */
export const stampCheckpoints = defineTask('stamp_checkpoints', z.unknown())

type Waiting = { number: bigint; checkpoint: string; ended_at: Date; closed_at: Date }

/**
 * Has the checkpoints dated that the configured authority has not stamped: those since its newest stamp, or the newest alone
 * before its first. A stamp dates all earlier epochs too.
 * @throws Error if the authority does not answer, or answers something else
 */
export async function stampNewest(
  services: Pick<Services, 'pool' | 'config' | 'clock' | 'log'>,
): Promise<void> {
  const { pool, config, clock, log } = services
  if (config.timeAuthority === null) return
  let failure: Error | undefined
  for (const epoch of await unstamped(pool, config.timeAuthority)) {
    try {
      await stamp(services, config.timeAuthority, epoch)
    } catch (error) {
      const { message } = error as Error
      failure ??= error as Error
      const waits = clock.now().getTime() - epoch.closed_at.getTime()
      if (waits > LATE_MS)
        log.error({ alarm: 'ledger', check: 'time stamps' }, `epoch ${epoch.number} is not dated: ${message}`)
      // The next epoch may get a stamp, which dates this one too; an authority that is away is asked later.
      if (!(error instanceof Invalid)) break
    }
  }
  await noteProblem(pool, 'stamps', failure?.message ?? null, clock.now())
  if (failure !== undefined) throw failure
}

async function unstamped(pool: Pool, authority: TimeAuthority): Promise<Waiting[]> {
  const { rows } = await pool.query<Waiting>(
    `SELECT number, checkpoint, ended_at, closed_at FROM ledger.epochs
      WHERE number > coalesce($1, (SELECT max(number) - 1 FROM ledger.epochs)) ORDER BY number`,
    [await lastStamped(pool, authority)],
  )
  return rows
}

/** The newest epoch with a stamp of the authority; what else is stored under its name does not count. */
async function lastStamped(
  pool: Pool,
  authority: TimeAuthority,
  before: bigint | null = null,
): Promise<bigint | null> {
  const { rows } = await pool.query<StoredStamp & { epoch: bigint }>(
    `SELECT s.epoch, s.response, e.checkpoint FROM ledger.stamps s JOIN ledger.epochs e ON e.number = s.epoch
      WHERE s.authority = $1 AND ($2::bigint IS NULL OR s.epoch < $2) ORDER BY s.epoch DESC LIMIT 1`,
    [authority.name, before],
  )
  const [newest] = rows
  if (newest === undefined) return null
  if (problemOfStamp(newest, authority) === undefined) return newest.epoch
  return await lastStamped(pool, authority, newest.epoch)
}

async function stamp(
  { pool, clock }: Pick<Services, 'pool' | 'clock'>,
  authority: TimeAuthority,
  epoch: Waiting,
) {
  const digest = hash('sha256', epoch.checkpoint, 'buffer')
  const answer = await ask(authority.url, stampRequest(digest))
  const { time, policy } = checkTimeStamp(answer, digest, certificatesIn(authority.certificates))
  if (authority.policy !== null && policy !== authority.policy)
    throw new Invalid(`the time authority states the policy ${policy}`)
  const day = dayOf(new Date(epoch.ended_at.getTime() - 1))
  if (dayOf(time) < day)
    throw new Invalid(`the time authority's clock says ${time.toISOString()}, before ${day}, the epoch's day`)
  await pool.query('SELECT ledger.add_stamp($1, $2, $3, $4, $5)', [
    epoch.number,
    authority.name,
    answer,
    time,
    clock.now(),
  ])
  const kept = await stampOf(pool, epoch.number.toString(), authority.name)
  const problem = kept && problemOfStamp({ ...epoch, response: kept }, authority)
  if (problem !== undefined)
    throw new Invalid(`what is stored as the stamp of epoch ${epoch.number} is none: ${problem}`)
}

/** RFC 3161, 3.4. */
async function ask(url: string, query: Buffer): Promise<Buffer> {
  const response = await send(url, {
    method: 'POST',
    headers: { 'content-type': 'application/timestamp-query', accept: 'application/timestamp-reply' },
    body: new Uint8Array(query),
    redirect: 'error',
    signal: AbortSignal.timeout(ANSWER_MS),
  })
  if (response.status !== 200) throw new Error(`the time authority answered ${response.status}`)
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of response.body ?? []) {
    bytes += part.length
    if (bytes > MOST_ANSWER_BYTES) throw new Error('the answer of the time authority is too long')
    parts.push(part)
  }
  return Buffer.concat(parts)
}

/** The list of all stamps, and one of them (docs/proof-format.md). */
export async function stampList(pool: Pool): Promise<string | undefined> {
  const { rows } = await pool.query<{ list: string | null }>(
    `SELECT string_agg(epoch || ' ' || authority || E'\\n', '' ORDER BY epoch, authority) AS list FROM ledger.stamps`,
  )
  return rows[0]!.list ?? undefined
}

export async function stampOf(pool: Pool, epoch: string, authority: string): Promise<Buffer | undefined> {
  const { rows } = await pool.query<{ response: Buffer }>(
    'SELECT response FROM ledger.stamps WHERE epoch = $1 AND authority = $2',
    [epoch, authority],
  )
  return rows[0]?.response
}

/** The newest stamp that holds: whose, when, and over which epoch. */
export async function newestStamp(
  pool: Pool,
  timeAuthority: TimeAuthority | null,
): Promise<{ epoch: number; authority: string; time: string } | null> {
  const { rows } = await pool.query<StoredStamp & { epoch: bigint; authority: string; stamped_at: Date }>(
    `SELECT s.epoch, s.authority, s.stamped_at, s.response, e.checkpoint
       FROM ledger.stamps s JOIN ledger.epochs e ON e.number = s.epoch
      ORDER BY s.epoch DESC, s.authority LIMIT ${MOST_TRIED}`,
  )
  const newest = rows.find(row => problemOfStamp(row, timeAuthority) === undefined)
  if (newest === undefined) return null
  const { epoch, authority, stamped_at } = newest
  return { epoch: Number(epoch), authority, time: stamped_at.toISOString() }
}

/** How long the newest epoch has waited for its stamp, in milliseconds; 0 without a configured authority. */
export async function stampLag({
  pool,
  config,
  clock,
}: Pick<Services, 'pool' | 'config' | 'clock'>): Promise<number> {
  if (config.timeAuthority === null) return 0
  const [first] = await unstamped(pool, config.timeAuthority)
  return first === undefined ? 0 : clock.now().getTime() - first.closed_at.getTime()
}
