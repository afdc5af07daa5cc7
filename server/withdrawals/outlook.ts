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
 * How long the firm's withdrawals took from their request to their payment, of those paid in the last days; and how many
 * wait now, so that nobody takes the quick ones for all.
 * @returns null if too few were paid to speak of a usual time
 */
export const timesOfWithdrawals = cachedForAMinute(async (db, now) => {
  const measured = await measure(db, now)
  if (measured.paid < withdrawalTimesLeast) return null
  return { days: withdrawalTimesDays, share: usualShare, ...measured }
})

type Measured = Pick<
  NonNullable<CallData<typeof withdrawalTimes>>,
  'paid' | 'half' | 'most' | 'waiting' | 'longestWait'
>

async function measure(db: Kysely<Schema>, now: Date): Promise<Measured> {
  const since = new Date(now.getTime() - withdrawalTimesDays * 86_400_000)
  const { rows } = await sql<Measured>`
    SELECT paid.*, waiting.*
      FROM (SELECT count(*)::int AS paid,
                   coalesce(percentile_disc(0.5) WITHIN GROUP (ORDER BY seconds), 0)::int AS half,
                   coalesce(percentile_disc(${usualShare / 100}::float8) WITHIN GROUP (ORDER BY seconds), 0)::int AS most
              FROM (SELECT ceil(extract(epoch FROM paid_at - created_at)) AS seconds
                      FROM app.withdrawals WHERE status = 'paid' AND paid_at >= ${since}) each) paid
     CROSS JOIN (SELECT count(*)::int AS waiting,
                        coalesce(ceil(extract(epoch FROM ${now}::timestamptz - min(created_at))), 0)::int AS "longestWait"
                   FROM app.withdrawals WHERE status IN ('pending', 'approved')) waiting`.execute(db)
  return rows[0]!
}
