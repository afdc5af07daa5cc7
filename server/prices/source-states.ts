import { type Kysely, type Selectable, sql } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import { priceSourceRestSeconds } from '#shared/limits.ts'
import type { Breaker } from './breaker.ts'

/** The right to poll a source, which one worker holds at a time. */
export type Claim = { source: string; askedAt: Date; before: Breaker }

/**
 * Claims the right to poll a source. It is in the database, so that several workers, or one that keeps restarting, poll
 * no more often than one, and only one of them tries a half-open breaker. If a worker dies, its claim ends with the
 * pause between polls.
 * @returns undefined if the breaker is open, or the source was polled a moment ago
 */
export async function claim(db: Kysely<Schema>, source: string, now: Date): Promise<Claim | undefined> {
  const from = new Date(now.getTime() - priceSourceRestSeconds * 1000)
  const to = new Date(now.getTime() + priceSourceRestSeconds * 1000)
  const row = await db
    .insertInto('app.price_sources')
    .values({ source, asked_at: now })
    .onConflict(conflict =>
      conflict
        .column('source')
        .doUpdateSet({ asked_at: now })
        // A poll in the future means that a clock was set back; ignore it.
        .where(({ eb, or, and, ref }) =>
          and([
            or([
              eb(ref('app.price_sources.asked_at'), '<=', from),
              eb(ref('app.price_sources.asked_at'), '>', to),
            ]),
            or([
              eb(ref('app.price_sources.rest_until'), 'is', null),
              eb(ref('app.price_sources.rest_until'), '<=', now),
            ]),
          ]),
        ),
    )
    .returning(['failures', 'rest_until'])
    .executeTakeFirst()
  return row && { source, askedAt: now, before: { failures: row.failures, restUntil: row.rest_until } }
}

/** The result of a poll. */
export type Outcome = {
  breaker: Breaker
  /** Time of a reading; null without one. */
  answeredAt: Date | null
  /** The error and its time; null keeps the previous one. */
  error: { words: string; at: Date } | null
}

/** Stores the result, unless another worker has polled since. */
export async function conclude(
  db: Kysely<Schema>,
  { source, askedAt }: Claim,
  { breaker, answeredAt, error }: Outcome,
): Promise<void> {
  await db
    .updateTable('app.price_sources')
    .set({
      failures: breaker.failures,
      rest_until: breaker.restUntil,
      ...(answeredAt === null ? {} : { answered_at: answeredAt }),
      ...(error === null ? {} : { fault: error.words, fault_at: error.at }),
    })
    .where('source', '=', source)
    .where('asked_at', '=', askedAt)
    .execute()
}

/**
 * Stores which coins' readings are rejected.
 * @returns those newly rejected, and those accepted again
 */
export async function keepRejected(
  db: Kysely<Schema>,
  source: string,
  rejected: readonly string[],
): Promise<{ anew: string[]; noMore: string[] }> {
  const { rows } = await sql<{ before: string[] }>`
    UPDATE app.price_sources AS now SET rejected = ${rejected}
      FROM (SELECT source, rejected FROM app.price_sources WHERE source = ${source} FOR UPDATE) AS before
     WHERE now.source = before.source AND before.rejected <> ${rejected}
     RETURNING before.rejected AS before`.execute(db)
  const before = rows[0]?.before ?? rejected
  return {
    anew: rejected.filter(symbol => !before.includes(symbol)),
    noMore: before.filter(symbol => !rejected.includes(symbol)),
  }
}

export type SourceRow = Selectable<Schema['app.price_sources']>

/** The stored states of these sources, without those never polled. */
export function sourceRows(db: Kysely<Schema>, sources: readonly string[]): Promise<SourceRow[]> {
  return db
    .selectFrom('app.price_sources')
    .selectAll()
    .where('source', '=', ({ eb, val }) => eb.fn.any(val(sources)))
    .execute()
}
