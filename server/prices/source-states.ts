import { type Kysely, type Selectable, sql } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import { priceSourceRestSeconds } from '#shared/limits.ts'
import type { Breaker } from './breaker.ts'

/** The right to ask a source now, which one worker has at a time. */
export type Claim = { source: string; askedAt: Date; before: Breaker }

/**
 * Takes the right to ask a source. It is in the database, so that several workers and one that starts again and again ask it
 * no more often than one, and that of those who would try whether it answers again one does; a worker that dies meanwhile
 * holds nothing up longer than the rest between two questions.
 * @returns undefined where it is left alone, or was asked a moment ago
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
        // Of a clock that was set back: a question in the future was none.
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

/** The result of it. */
export type Outcome = {
  breaker: Breaker
  /** When it answered with a reading; null where it did not. */
  answeredAt: Date | null
  /** What was wrong, and when; null where nothing was: then the last fault stays, with its time. */
  fault: { words: string; at: Date } | null
}

/** Keeps it, unless another worker has asked since. */
export async function conclude(
  db: Kysely<Schema>,
  { source, askedAt }: Claim,
  { breaker, answeredAt, fault }: Outcome,
): Promise<void> {
  await db
    .updateTable('app.price_sources')
    .set({
      failures: breaker.failures,
      rest_until: breaker.restUntil,
      ...(answeredAt === null ? {} : { answered_at: answeredAt }),
      ...(fault === null ? {} : { fault: fault.words, fault_at: fault.at }),
    })
    .where('source', '=', source)
    .where('asked_at', '=', askedAt)
    .execute()
}

/**
 * Keeps which coins a source's reading does not count of.
 * @returns those that have come to it, and those that have left it, since it was kept last
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

/** What is kept of these sources; of one that was never asked, nothing. */
export function sourceRows(db: Kysely<Schema>, sources: readonly string[]): Promise<SourceRow[]> {
  return db
    .selectFrom('app.price_sources')
    .selectAll()
    .where('source', '=', ({ eb, val }) => eb.fn.any(val(sources)))
    .execute()
}
