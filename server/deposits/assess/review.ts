import type { Services } from '#server/context.ts'
import type { Deposit } from '#server/deposits/locks.ts'
import { seenOf } from '#server/deposits/stage.ts'
import type { ToldRate, Weighed } from '#server/deposits/valuation.ts'
import { AppError } from '#shared/errors.ts'
import { formatUsd, maxUsdCents } from '#shared/money.ts'

/** By somebody of the firm: the rate of what came while none was recorded, and what he was shown as seen. */
export type ToldByStaff = ToldRate & { seen?: string | null | undefined }

/** Whether he has looked at what is there now: what was seen in another state of it was not looked at. */
export function isReviewed(deposit: Deposit, told: ToldByStaff | undefined): boolean {
  return told !== undefined && told.seen === seenOf(deposit)
}

/**
 * Whether somebody of the firm has to look before a deposit is credited with this.
 * @param whole all of the deposit, with what was credited before
 * @param told by whoever wants it credited
 * @throws AppError wrong_state instead, where somebody does
 */
export function waitsForReview(
  { config }: Pick<Services, 'config'>,
  { deposit, whole, told }: { deposit: Deposit; whole: Weighed; told: ToldByStaff | undefined },
): boolean {
  const isBeyond = isBeyondBounds(whole)
  const isLarge = needsReview(config.creditReviewCents, deposit, whole)
  if (!isBeyond && (isReviewed(deposit, told) || !isLarge)) return false
  if (told !== undefined) throw new AppError('wrong_state', isBeyond ? beyondBounds : seenSince)
  return true
}

/** No amount in dollars can be larger, whatever a network shows and whoever wants it credited. */
function isBeyondBounds({ creditedCents }: Weighed): boolean {
  return creditedCents > maxUsdCents
}

const beyondBounds = `What its network shows is worth more than ${formatUsd(maxUsdCents)}, which no amount can be. Find out by another way what has come: the node may be wrong, or lie.`

const seenSince = 'Something else was seen meanwhile: look at the payment again.'

/**
 * Whether somebody of the firm looks first: what is credited of a deposit by the word of a node alone, all its transfers together and
 * beyond what was agreed to before, stays below the limit.
 */
function needsReview(limitCents: bigint, { reviewed_cents }: Deposit, { creditedCents }: Weighed): boolean {
  return creditedCents - reviewed_cents >= limitCents
}
