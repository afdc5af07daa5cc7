import { audit } from '#server/audit/log.ts'
import { holdCursorOf } from '#server/chain/cursor.ts'
import type { SignedInContext, Tx } from '#server/context.ts'
import type { StaffReview } from '#server/deposits/assess/review.ts'
import { requireCustomer } from '#server/identity/standing.ts'
import { notify } from '#server/notifications/notices.ts'
import { requireTerms } from '#server/policies/terms.ts'
import { formatRate } from '#server/prices/reading.ts'
import { requireOther, requireStatus } from '#server/queries/status.ts'
import { settingsNow } from '#server/staff/settings-queries.ts'
import type { DepositMethod } from '#shared/coins.ts'
import type { CallData } from '#shared/contract/define.ts'
import type { previewReceipt as previewCall } from '#shared/contract/deposits.ts'
import type { Deposit as DepositOnWire, PaymentRequest } from '#shared/contract/entities.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { assetDecimals, formatDecimal, usdToJson } from '#shared/money.ts'
import { assessDeposit } from './assess.ts'
import { reportDeclinedInvestment } from './declined-investment.ts'
import { awaiting, type Deposit, lockPayment, readPayment } from './locks.ts'
import { depositRefusals } from './messages.ts'
import { requireDepositsOpen, requireRoomForDeposit } from './open-deposits.ts'
import { requestPayment } from './payment-request.ts'
import { depositById, findDeposit } from './queries.ts'
import { makeQuote, paymentUri, type QuoteRequest, quoteFor, requireMinimum, sealQuote } from './quote.ts'
import { creditBalance, endDeposit, endPendingInvestment, manualCredit } from './settle.ts'
import { holdRefusal, needsStaffReview, seenOf } from './stage.ts'
import { detailsOf, type ManualReceipt, valueReceipt, wholeWith } from './valuation.ts'

/**
 * The payment request that this amount would get now, signed; nothing is created (D-18).
 * @throws AppError invalid_input below $100; deposits_closed; rate_unavailable
 */
export async function quoteDeposit(
  { services, caller }: SignedInContext,
  asked: Omit<QuoteRequest, 'userId'>,
): Promise<PaymentRequest & { quote: string }> {
  requireMinimum(asked.amountCents, { forInvestment: asked.plan !== undefined })
  const settings = await settingsNow(services)
  requireDepositsOpen(settings)
  const of = { ...asked, userId: caller.userId }
  const quote = await makeQuote({ ...services, settings }, of)
  return {
    asset: quote.paymentMethod.asset,
    network: quote.paymentMethod.rail.network,
    address: quote.address,
    amountCrypto: formatDecimal(quote.units, assetDecimals[quote.paymentMethod.asset]),
    rate: formatRate(quote.rateE8),
    rateAt: quote.rateAt.toISOString(),
    rateSource: quote.rateSource,
    expiresAt: quote.expiresAt.toISOString(),
    uri: await paymentUri(services, quote),
    quote: sealQuote(services.config, of, quote),
  }
}

/**
 * Creates a pending deposit with its payment request (D5).
 * @returns its id
 * @throws AppError invalid_input below $100; deposits_closed, too_many_open, rate_limited; rate_unavailable; quote_expired
 */
export async function newDeposit(
  tx: Tx,
  ctx: SignedInContext,
  { quote: sealed, ...asked }: { method: DepositMethod; amountCents: bigint; quote?: string | undefined },
): Promise<string> {
  requireMinimum(asked.amountCents)
  await requireTerms(tx, ctx.caller.userId, ctx.services.clock.now())
  await requireCustomer(tx, ctx.caller.userId)
  const settings = await requireRoomForDeposit(tx, ctx)
  const of = { ...asked, userId: ctx.caller.userId }
  const quoting = { ...ctx.services, db: tx, settings }
  const quote = await quoteFor(quoting, of, sealed)
  const uri = await paymentUri(quoting, quote)
  const id = await requestPayment(tx, of, { quote, uri, investmentId: null, now: quoting.clock.now() })
  await audit(tx, ctx, { action: 'deposit.requested', subject: { kind: 'deposit', id } })
  return id
}

/**
 * pending → paid: credits what arrived (D5) and holds it for the pending investment that it covers; one it does not cover is declined.
 * Also unpaid → paid and, with an arrival time, declined → paid: a late payment goes to the balance.
 * @throws AppError not_found, own_request, wrong_state, invalid_input, transaction_reused
 */
export async function approveDeposit(
  tx: Tx,
  ctx: SignedInContext,
  id: string,
  receipt: ManualReceipt = {},
): Promise<void> {
  const { deposit, investment } = await lockPayment(tx, id)
  requireOther('deposit', deposit.user_id, ctx.caller.userId)
  requirePayable(deposit, receipt)
  const valued = await valueReceipt({ ...ctx.services, db: tx }, deposit, receipt)
  const now = ctx.services.clock.now()
  const credit = manualCredit({ actor: ctx.caller.userId, now }, valued)
  const outcome = await creditBalance(tx, deposit, awaiting(investment), credit)
  const details = detailsOf(deposit, valued)
  await audit(tx, ctx, {
    action: 'deposit.approved',
    subject: { kind: 'deposit', id },
    moved: [deposit.status, 'paid'],
    details,
  })
  await notify(tx, isAgain(deposit) ? 'deposit.added' : 'deposit.approved', deposit, now)
  await reportDeclinedInvestment(tx, ctx, { investment, outcome, now })
}

/** The investor was already notified of its first receipt. */
function isAgain({ flags }: Deposit): boolean {
  return flags.includes('reversed')
}

/**
 * A declined deposit needs an arrival time, so that nobody approves it from an outdated list. An unsolicited one has no locked rate.
 * @throws AppError unsolicited_without_rate, already_ended, wrong_state
 */
function requirePayable(deposit: Deposit, { arrivedAt }: ManualReceipt): void {
  const { status, flags, cancelled_by } = deposit
  if (status !== 'paid' && flags.includes('unsolicited') && flags.includes('rate_missing')) {
    throw depositRefusals.error({ reason: 'unsolicited_without_rate' })
  }
  if (status === 'unpaid' || (status === 'declined' && arrivedAt !== undefined)) return
  if (status === 'declined') {
    const ended = cancelled_by === null ? 'declined' : 'cancelled'
    throw depositRefusals.error({ reason: 'already_ended', ended })
  }
  requireStatus('deposit', deposit, 'approved')
}

/**
 * Values a receipt that staff enter; nothing is changed.
 * @throws AppError not_found, wrong_state, invalid_input
 */
export async function previewReceipt(
  { services }: SignedInContext,
  id: string,
  receipt: ManualReceipt,
): Promise<CallData<typeof previewCall>> {
  const { deposit, investment } = await readPayment(services.db, id)
  requirePayable(deposit, receipt)
  const { part } = await valueReceipt(services, deposit, receipt)
  const paid = awaiting(investment)
  return {
    credited: usdToJson(part.cents),
    deviation: wholeWith(deposit, [part]).deviation,
    received: formatDecimal(part.units, assetDecimals[deposit.asset]),
    rate: formatRate(part.rateE8),
    rateSource: part.rateSource,
    investment: paid && (part.cents < paid.amount_cents ? 'declined' : 'kept'),
  }
}

/**
 * Marks a payment with a deviation or a flag as reviewed.
 * @param shown the state that the reviewer saw, where known
 * @throws AppError not_found, own_request; nothing_to_review, changed_since_shown
 */
export async function reviewDeposit(
  tx: Tx,
  ctx: SignedInContext,
  id: string,
  shown: Shown = {},
): Promise<void> {
  const { deposit } = await lockPayment(tx, id)
  requireOther('deposit', deposit.user_id, ctx.caller.userId)
  if (!deposit.needs_review) throw depositRefusals.error({ reason: 'nothing_to_review' })
  if (hasChanged(deposit, shown)) throw depositRefusals.error({ reason: 'changed_since_shown' })
  await tx
    .updateTable('app.deposits')
    .set({ needs_review: false })
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  await audit(tx, ctx, { action: 'deposit.reviewed', subject: { kind: 'deposit', id } })
}

type Shown = Partial<Pick<DepositOnWire, 'status' | 'deviation' | 'seen' | 'flags' | 'wrongAssetTransfers'>>

/** True if the deposit has changed in a way that the reviewer has not seen. */
function hasChanged(
  deposit: Deposit,
  { status, deviation, seen, flags, wrongAssetTransfers }: Shown,
): boolean {
  return (
    (status !== undefined && status !== deposit.status) ||
    (deviation !== undefined && deviation !== deposit.deviation) ||
    (seen !== undefined && seen !== seenOf(deposit)) ||
    (wrongAssetTransfers !== undefined && wrongAssetTransfers !== deposit.wrong_asset_transfers) ||
    (flags !== undefined && String(flags.toSorted()) !== String(deposit.flags.toSorted()))
  )
}

/**
 * pending → paid: the investor has an underpaid payment credited as it is. A large payment, or one without a rate, is flagged for review
 * instead, once.
 * @throws AppError forbidden; wrong_state, or the reason why it is held back
 */
export async function creditOwnDeposit(tx: Tx, ctx: SignedInContext, id: string): Promise<void> {
  const row = await findDeposit(tx, id)
  if (row?.user_id !== ctx.caller.userId) {
    throw new AppError('forbidden', t('You can only credit your own deposits.'))
  }
  await creditAsIs(tx, ctx, id)
}

/**
 * The same for staff, who review a large payment or enter a missing rate by it; also adds later transfers to a paid deposit.
 * @throws AppError not_found, own_request; wrong_state (`reviewRefusal`); invalid_input if a rate is missing
 */
export async function creditDeposit(
  tx: Tx,
  ctx: SignedInContext,
  id: string,
  review: StaffReview = {},
): Promise<void> {
  await holdCursorOf(tx, id)
  const { deposit } = await lockPayment(tx, id)
  requireOther('deposit', deposit.user_id, ctx.caller.userId)
  await creditAsIs(tx, ctx, id, review)
}

async function creditAsIs(tx: Tx, ctx: SignedInContext, id: string, review?: StaffReview): Promise<void> {
  await holdCursorOf(tx, id)
  const { deposit } = await lockPayment(tx, id)
  if (review === undefined || !needsStaffReview(deposit)) requireStatus('deposit', deposit, 'credited')
  const hasChanged = await assessDeposit(tx, ctx, id, { asIs: true, ...(review && { review }) })
  const row = await depositById(tx, id)
  if (hasChanged && (row.status === 'paid' || (review === undefined && needsStaffReview(row)))) return
  const refusal = review === undefined ? holdRefusal(row) : null
  throw depositRefusals.error(refusal ?? { reason: 'nothing_to_credit' })
}

/**
 * pending → declined, together with the investment that it was to pay.
 * @throws AppError not_found, wrong_state
 */
export async function declineDeposit(
  tx: Tx,
  ctx: SignedInContext,
  id: string,
  reason: string,
): Promise<void> {
  const { deposit, investment } = await lockPayment(tx, id)
  requireStatus('deposit', deposit, 'declined')
  const now = ctx.services.clock.now()
  await audit(tx, ctx, {
    action: 'deposit.declined',
    subject: { kind: 'deposit', id },
    moved: ['pending', 'declined'],
    reason,
  })
  const paid = awaiting(investment)
  if (paid === null) {
    await endDeposit(tx, deposit, { reason })
    await notify(tx, 'deposit.declined', deposit, now)
    return
  }
  await endPendingInvestment(tx, ctx, { investment: paid, deposit }, { reason })
  const subject = { kind: 'investment', id: paid.id }
  await audit(tx, ctx, { action: 'investment.declined', subject, moved: ['pending', 'declined'], reason })
  await notify(tx, 'investment.declined', paid, now)
}
