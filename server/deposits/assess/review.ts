import { sql } from 'kysely'
import { hasSecondSource } from '#server/config/rails.ts'
import type { Services, Tx } from '#server/context.ts'
import type { Deposit } from '#server/deposits/locks.ts'
import type { DepositRefusal } from '#server/deposits/messages.ts'
import { seenOf } from '#server/deposits/stage.ts'
import { type ManualRate, sumOf, type ValuedPart, type Whole } from '#server/deposits/valuation.ts'
import { dailyCredits } from '#server/platform/database/lock-keys.ts'
import { listingsOf } from '#server/screening/listed.ts'
import { paymentMethods, railNames } from '#shared/coins.ts'
import { maxUsdCents } from '#shared/money.ts'
import type { Transfer } from './transfers.ts'

/** Sent by staff to credit a deposit: the amount that they saw, and a rate if none is recorded. */
export type StaffReview = ManualRate & { seen?: string | null | undefined }

/** True if staff saw the amount that is there now. */
export function isReviewed(deposit: Deposit, review: StaffReview | undefined): boolean {
  return review !== undefined && review.seen === seenOf(deposit)
}

/**
 * Why staff must look before the deposit is credited.
 * @param whole the deposit with this credit, earlier ones included
 */
export function reviewRefusal(
  { config }: Pick<Services, 'config'>,
  { deposit, whole, review }: { deposit: Deposit; whole: Whole; review: StaffReview | undefined },
): DepositRefusal | null {
  // The largest amount the books can hold, for every kind of credit.
  if (whole.cents > maxUsdCents) return { reason: 'above_maximum' }
  if (isReviewed(deposit, review) || !isLarge(config.creditReviewCents, deposit, whole)) return null
  return { reason: review === undefined ? 'review_required' : 'changed_since_review' }
}

/** True if the sender of an open payment is listed now. Bitcoin's payments name outputs instead of senders, so they show none. */
export async function hasListedSender(tx: Tx, open: readonly Pick<Transfer, 'senders'>[]): Promise<boolean> {
  const listings = await listingsOf(
    tx,
    open.flatMap(({ senders }) => senders),
  )
  return listings.size > 0
}

/** A transfer with its worth; `isAgreed` if a second source shows it in the same block. */
type Shown = ValuedPart & { isAgreed: boolean }

/**
 * Why one node's word is not enough for a credit below the review limit: a second source has to show it from a certain amount on, and in 24
 * hours that word credits no more than the daily limit.
 * @param whole the deposit with these parts, earlier credits included
 */
export async function oneWordFlag(
  tx: Tx,
  services: Pick<Services, 'config' | 'clock'>,
  { deposit, parts, whole }: { deposit: Deposit; parts: readonly Shown[]; whole: Whole },
): Promise<'second_source' | 'daily_limit' | null> {
  const { rails, creditSecondCents } = services.config
  const alone = parts.filter(({ isAgreed }) => !isAgreed)
  if (alone.length === 0) return null
  const isAsked = hasSecondSource(rails, paymentMethods[deposit.method].rail)
  if (isAsked && whole.cents - deposit.reviewed_cents >= creditSecondCents) return 'second_source'
  const { cents } = sumOf(alone)
  return (await isBeyondDailyLimit(tx, services, { deposit, cents })) ? 'daily_limit' : null
}

/** Locks the day's sum until the transaction ends, so that concurrent credits cannot exceed the limit together. */
async function isBeyondDailyLimit(
  tx: Tx,
  { config, clock }: Pick<Services, 'config' | 'clock'>,
  { deposit: { method }, cents }: { deposit: Deposit; cents: bigint },
): Promise<boolean> {
  const { rail } = paymentMethods[method]
  const since = new Date(clock.now().getTime() - 86_400_000)
  await sql`SELECT pg_advisory_xact_lock(${dailyCredits}, ${railNames.indexOf(rail)})`.execute(tx)
  const { rows } = await sql<{ cents: bigint }>`
    SELECT coalesce(sum(c.cents), 0)::bigint AS cents
      FROM app.deposit_credits c JOIN app.deposits d ON d.id = c.deposit_id
     WHERE c.transfer_id IS NOT NULL AND NOT c.checked AND c.reversed_by IS NULL
       AND c.credited_at > ${since} AND app.rail_of(d.method) = ${rail}`.execute(tx)
  return rows[0]!.cents + cents > config.creditDailyCents
}

/** A node's word alone credits less than the limit, over all transfers of a deposit and beyond what staff reviewed before. */
function isLarge(limitCents: bigint, { reviewed_cents }: Deposit, { cents }: Whole): boolean {
  return cents - reviewed_cents >= limitCents
}
