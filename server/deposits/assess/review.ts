import type { Services } from '#server/context.ts'
import type { Deposit } from '#server/deposits/locks.ts'
import type { DepositRefusal } from '#server/deposits/messages.ts'
import { seenOf } from '#server/deposits/stage.ts'
import type { ManualRate, Whole } from '#server/deposits/valuation.ts'
import { maxUsdCents } from '#shared/money.ts'

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

/** A node's word alone credits less than the limit, over all transfers of a deposit and beyond what staff reviewed before. */
function isLarge(limitCents: bigint, { reviewed_cents }: Deposit, { cents }: Whole): boolean {
  return cents - reviewed_cents >= limitCents
}
