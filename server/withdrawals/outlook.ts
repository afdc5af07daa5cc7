import { type Kysely, sql } from 'kysely'
import type { SignedInContext } from '#server/context.ts'
import { freshRate, lockAmount } from '#server/payouts/rate-lock.ts'
import { unavailability } from '#server/payouts/wallets.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { cachedForAMinute } from '#server/queries/cached-for-a-minute.ts'
import { isPayoutWallet } from '#shared/batch-coins.ts'
import type { WithdrawalWallet } from '#shared/coins.ts'
import type { CallData } from '#shared/contract/define.ts'
import type { estimateWithdrawal, withdrawalTimes } from '#shared/contract/withdrawals.ts'
import { usualShare, withdrawalTimesDays, withdrawalTimesLeast } from '#shared/limits.ts'
import { presentPayout } from './queries.ts'

/**
 * What an amount would be in its coin at the current rate, as an approval would lock it.
 * @returns null without a fresh rate, for a coin that staff pay by hand only, and for less than its smallest unit
 */
export async function estimateOf(
  { services }: SignedInContext,
  { wallet, amountCents }: { wallet: WithdrawalWallet; amountCents: bigint },
): Promise<CallData<typeof estimateWithdrawal>> {
  if (!isPayoutWallet(wallet)) return null
  const rate = await freshRate(services, wallet, services.clock.now())
  const locked = rate && lockAmount(rate, amountCents)
  if (!locked) return null
  const lockedAtApproval = unavailability(services.config, wallet) === null
  return { ...presentPayout(locked)!, lockedAtApproval }
}

/**
 * How long the firm's withdrawals took from their request to their payment, of those requested in the last days and paid.
 * @returns null if there are too few to speak of a usual time
 */
export const timesOfWithdrawals = cachedForAMinute(async (db, now) => {
  const { paid, half, most } = await measure(db, now)
  if (paid < withdrawalTimesLeast) return null
  return { days: withdrawalTimesDays, paid, half, most, share: usualShare }
})

async function measure(
  db: Kysely<Schema>,
  now: Date,
): Promise<Pick<NonNullable<CallData<typeof withdrawalTimes>>, 'paid' | 'half' | 'most'>> {
  const since = new Date(now.getTime() - withdrawalTimesDays * 86_400_000)
  const { rows } = await sql<{ paid: number; half: number; most: number }>`
    SELECT count(*)::int AS paid,
           coalesce(percentile_disc(0.5) WITHIN GROUP (ORDER BY seconds), 0)::int AS half,
           coalesce(percentile_disc(${usualShare / 100}::float8) WITHIN GROUP (ORDER BY seconds), 0)::int AS most
      FROM (SELECT ceil(extract(epoch FROM paid_at - created_at)) AS seconds
              FROM app.withdrawals WHERE status = 'paid' AND created_at >= ${since}) w`.execute(db)
  return rows[0]!
}
