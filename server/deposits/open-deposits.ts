import type { SignedInContext, Tx } from '#server/context.ts'
import { AppError } from '#shared/errors.ts'
import { maximumOpenDeposits, newDepositsPerHour } from '#shared/limits.ts'
import { depositRefusals } from './messages.ts'

const hourMilliseconds = 3_600_000

/**
 * Limits new deposits, because each may take an address that we watch for ever, and waits in the console. Locks the account, so that
 * concurrent requests cannot exceed the limits.
 * @throws AppError too_many_open, rate_limited
 */
export async function requireRoomForDeposit(tx: Tx, ctx: SignedInContext): Promise<void> {
  const { userId } = ctx.caller
  await tx.selectFrom('app.users').select('id').where('id', '=', userId).forNoKeyUpdate().execute()
  const { open } = await tx
    .selectFrom('app.deposits')
    .select(({ fn }) => fn.countAll<bigint>().as('open'))
    .where('user_id', '=', userId)
    .where('status', '=', 'pending')
    // A payment that is on its way, or came and waits for our team, no longer waits for the investor.
    .where('seen_units', '=', 0n)
    .executeTakeFirstOrThrow()
  if (open >= maximumOpenDeposits) throw depositRefusals.error({ reason: 'too_many_open' })
  await refuseTooMany(tx, ctx)
}

/** RATE_LIMIT=off switches it off, like the other limits. */
async function refuseTooMany(
  tx: Tx,
  { services: { clock, config }, caller }: SignedInContext,
): Promise<void> {
  if (!config.rateLimit) return
  const now = clock.now().getTime()
  const lately = await tx
    .selectFrom('app.deposits')
    .select('created_at')
    .where('user_id', '=', caller.userId)
    .where('created_at', '>', new Date(now - hourMilliseconds))
    .orderBy('id', 'desc')
    .limit(newDepositsPerHour)
    .execute()
  if (lately.length < newDepositsPerHour) return
  const until = lately.at(-1)!.created_at.getTime() + hourMilliseconds
  const retryAfterSeconds = Math.max(1, Math.ceil((until - now) / 1000))
  const minutes = Math.ceil(retryAfterSeconds / 60)
  const message = `You have requested ${newDepositsPerHour} deposits in an hour, the most allowed. Try again in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`
  throw new AppError('rate_limited', message, { retryAfterSeconds })
}
