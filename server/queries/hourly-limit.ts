import type { SignedInContext, Tx } from '#server/context.ts'
import { firstIdAt } from '#server/platform/id.ts'
import { tooMany } from '#server/platform/rate-limit.ts'

const hourMilliseconds = 3_600_000

/**
 * Refuses one more row of this table in an hour for the caller. RATE_LIMIT=off switches it off, like the other limits.
 * @param limit in words, without a full stop
 * @throws AppError rate_limited, with the time to wait
 */
export async function requireFewThisHour(
  tx: Tx,
  { services: { clock, config }, caller }: SignedInContext,
  { table, most, limit }: { table: 'app.deposits' | 'app.payout_addresses'; most: number; limit: string },
): Promise<void> {
  if (!config.rateLimit) return
  const now = clock.now().getTime()
  const oldest = await tx
    .selectFrom(table)
    .select('created_at')
    .where('user_id', '=', caller.userId)
    .where('id', '>', firstIdAt(new Date(now - hourMilliseconds)))
    .orderBy('id', 'desc')
    .offset(most - 1)
    .limit(1)
    .executeTakeFirst()
  if (!oldest) return
  throw tooMany('rate_limited', limit, oldest.created_at.getTime() + hourMilliseconds - now)
}
