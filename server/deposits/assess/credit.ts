import { isFrozen, requireUnfrozen } from '#server/accounts/frozen.ts'
import { audit, type Origin } from '#server/audit/log.ts'
import type { Services, Tx } from '#server/context.ts'
import { reportDeclinedInvestment } from '#server/deposits/declined-investment.ts'
import { withoutFlag } from '#server/deposits/flags.ts'
import { awaiting, type Deposit, type Investment } from '#server/deposits/locks.ts'
import { depositRefusals } from '#server/deposits/messages.ts'
import { creditBalance } from '#server/deposits/settle.ts'
import {
  amountDetails,
  arrivalOf,
  sumOf,
  type ValuedPart,
  valueParts,
  wholeWith,
} from '#server/deposits/valuation.ts'
import { notify } from '#server/notifications/notices.ts'
import { flagForReview, notifyUnderpaid, postpone } from './postpone.ts'
import { hasListedSender, isReviewed, oneWordFlag, reviewRefusal, type StaffReview } from './review.ts'
import { evidenceOf, isAgreed, openUnits, type Transfer } from './transfers.ts'

/** The origin of an assessment: the system, or the person who credits a deposit as it is. */
export type AssessmentOrigin = Origin & { services: Services }

type Open = {
  deposit: Deposit
  investment: Investment | null
  /** All transfers to its address, dropped ones too. */
  seen: Transfer[]
  /** Confirmed and not credited. */
  open: Transfer[]
  /** True if every transfer seen is confirmed. */
  isAll: boolean
  /** Units not credited yet, confirmed or not. */
  coming: bigint
  asIs: boolean
  review: StaffReview | undefined
}

/**
 * Credits a deposit with its confirmed open transfers, unless it has to wait for the rest, for a rate or for a review.
 * @returns true if anything changed
 * @throws AppError as `assessDeposit`
 */
export async function creditOpen(tx: Tx, by: AssessmentOrigin, of: Open): Promise<boolean> {
  const { deposit, asIs } = of
  const now = by.services.clock.now()
  if (!asIs && isIncomplete(of)) {
    // The whole amount was seen: the unconfirmed part is either confirmed or dropped, so we wait for it.
    if (of.coming >= deposit.crypto_units) return false
    if (now < deposit.watch_until) return of.isAll && notifyUnderpaid(tx, deposit, now)
  }
  // Reversals go through on a frozen account; credits wait until it is active again.
  if (!asIs && (await isFrozen(tx, deposit.user_id))) return false
  await requireUnfrozen(tx, [deposit.user_id])
  const isListed = await hasListedSender(tx, of.open)
  const isNoted = await noteListed(tx, of, { isListed, now })
  return (await creditUnlessHeld(tx, by, of, isListed)) || isNoted
}

/**
 * Flags a deposit whose sender is listed, whatever else it waits for, and takes the flag off once none is.
 * @returns true if the flag has changed
 * @throws AppError wrong_state, if staff credit it without having seen the flag
 */
async function noteListed(
  tx: Tx,
  { deposit, review }: Open,
  { isListed, now }: { isListed: boolean; now: Date },
): Promise<boolean> {
  if (isListed === deposit.flags.includes('listed_sender')) return false
  if (isListed) {
    if (review !== undefined) throw depositRefusals.error({ reason: 'sender_listed' })
    return flagForReview(tx, deposit, { flag: 'listed_sender', now })
  }
  await tx
    .updateTable('app.deposits')
    .set(withoutFlag('listed_sender'))
    .where('id', '=', deposit.id)
    .executeTakeFirstOrThrow()
  return true
}

async function creditUnlessHeld(tx: Tx, by: AssessmentOrigin, of: Open, isListed: boolean): Promise<boolean> {
  const { deposit, review } = of
  const now = by.services.clock.now()
  const valued = await valueOpen(tx, by, of)
  const isWhole = valued.length === of.open.length
  if (!isWhole && !canCreditWithoutRest(of, valued))
    return flagForReview(tx, deposit, { flag: 'rate_missing', now })
  // Less than a cent is credited together with the next transfer.
  if (sumOf(valued).cents === 0n && deposit.status !== 'paid') return postpone(tx, deposit.id, now)
  const whole = wholeWith(deposit, valued)
  const refusal = reviewRefusal(by.services, { deposit, whole, review })
  if (refusal !== null) {
    if (review !== undefined) throw depositRefusals.error(refusal)
    return flagForReview(tx, deposit, { flag: 'large', now })
  }
  const hasReviewed = isReviewed(deposit, review)
  const unreviewed = () =>
    isListed ? 'listed_sender' : oneWordFlag(tx, by.services, { deposit, parts: valued, whole })
  const flag = hasReviewed ? null : await unreviewed()
  if (flag !== null) {
    if (review !== undefined) throw depositRefusals.error({ reason: 'changed_since_review' })
    return flagForReview(tx, deposit, { flag, now })
  }
  await credit(tx, by, { deposit, investment: of.investment, valued, isReviewed: hasReviewed })
  if (!isWhole) await flagForReview(tx, deposit, { flag: 'rate_missing', now })
  return true
}

/** True if the confirmed part does not pay its investment yet. A payment to the balance does not wait for the rest. */
function isIncomplete({ deposit, investment, open }: Open): boolean {
  const units = open.reduce((sum, transfer) => sum + openUnits(transfer), 0n)
  return awaiting(investment) !== null && deposit.status === 'pending' && units < deposit.crypto_units
}

type ValuedTransfer = ValuedPart & { transferId: bigint; transactionId: string; isAgreed: boolean }

/** @returns the transfers whose rate is known */
function valueOpen(
  tx: Tx,
  { services }: AssessmentOrigin,
  { deposit, seen, open, review }: Open,
): Promise<ValuedTransfer[]> {
  const parts = open.map(transfer => ({
    transferId: transfer.id,
    transactionId: evidenceOf(transfer),
    isAgreed: isAgreed(transfer),
    units: openUnits(transfer),
    arrivedAt: arrivalOf(deposit, transfer),
    capped: wasOffered(deposit, [transfer, ...seen.filter(({ dropped_at }) => dropped_at !== null)]),
  }))
  return valueParts({ ...services, db: tx }, deposit, parts, review)
}

/** True if this transfer, or one that was replaced, was seen in the window: the investor could have had the locked rate. */
function wasOffered({ expires_at }: Deposit, transfers: readonly Transfer[]): boolean {
  return transfers.some(({ seen_at }) => seen_at <= expires_at)
}

/**
 * True if the transfers with a rate may be credited ahead of the others. A pending investment that they do not cover would be declined for
 * want of a rate alone.
 */
function canCreditWithoutRest({ deposit, investment, asIs }: Open, valued: readonly ValuedPart[]): boolean {
  if (valued.length === 0 || asIs) return valued.length > 0
  const paid = awaiting(investment)
  if (paid === null || paid.hold_id !== null || deposit.status === 'paid') return true
  return sumOf(valued).cents >= paid.amount_cents
}

async function credit(
  tx: Tx,
  by: AssessmentOrigin,
  {
    deposit,
    investment,
    valued,
    isReviewed,
  }: Pick<Open, 'deposit' | 'investment'> & { valued: ValuedTransfer[]; isReviewed: boolean },
): Promise<void> {
  const now = by.services.clock.now()
  const paid = awaiting(investment)
  const actor = by.caller?.userId ?? null
  const outcome = await creditBalance(tx, deposit, paid, { actor, now, parts: valued, isReviewed })
  const isFirst = deposit.status !== 'paid'
  await audit(tx, by, {
    action: isFirst ? 'deposit.credited' : 'deposit.added',
    subject: { kind: 'deposit', id: deposit.id },
    ...(isFirst ? { moved: [deposit.status, 'paid'] } : {}),
    details: {
      ...amountDetails(deposit, valued),
      transactions: valued.map(({ transactionId }) => transactionId),
    },
  })
  const isNew = isFirst && !deposit.flags.includes('reversed')
  if (sumOf(valued).cents > 0n) await notify(tx, isNew ? 'deposit.approved' : 'deposit.added', deposit, now)
  await reportDeclinedInvestment(tx, by, { investment: paid, outcome, now })
}
