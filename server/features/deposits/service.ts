import type { SignedInContext, Tx } from '#server/context.ts'
import { arrivedAs, detailsOf, type Told, weigh } from '#server/payments/arrival.ts'
import { awaiting, type Deposit, lockPayment, readPayment } from '#server/payments/locks.ts'
import { makeQuote, paymentUri, quoteFor, requireMinimum, sealQuote } from '#server/payments/quote.ts'
import { requestPayment } from '#server/payments/request.ts'
import { dropDeposit, dropInvestment, settleDeposit } from '#server/payments/settle.ts'
import { requireOther, requireStatus } from '#server/payments/states.ts'
import { tellDeclinedBy } from '#server/payments/tell.ts'
import type { ToldByStaff } from '#server/payments/watching/assess/review.ts'
import { assessDeposit } from '#server/payments/watching/assess.ts'
import { holdCursorOf } from '#server/payments/watching/cursor.ts'
import { formatRate } from '#server/prices/reading.ts'
import { audit } from '#server/records/audit.ts'
import { keptBack, seenOf, waitsForFirm } from '#server/records/deposit-stage.ts'
import { depositById, findDeposit } from '#server/records/deposits.ts'
import { notify } from '#server/records/notices.ts'
import type { DepositMethod } from '#shared/coins.ts'
import type { CallData } from '#shared/contract/define.ts'
import type { weighDeposit as weighCall } from '#shared/contract/deposits.ts'
import type { Deposit as DepositOnWire, PaymentRequest } from '#shared/contract/entities.ts'
import { AppError } from '#shared/errors.ts'
import { assetDecimals, formatDecimal, usdToJson } from '#shared/money.ts'

/**
 * The payment request that this amount would get now, and its seal; nothing is created (D-18).
 * @throws AppError invalid_input below $100; rate_unavailable
 */
export async function quoteDeposit(
  { services, caller }: SignedInContext,
  asked: { method: DepositMethod; amountCents: bigint },
): Promise<PaymentRequest & { quote: string }> {
  requireMinimum(asked.amountCents)
  const of = { ...asked, userId: caller.userId }
  const quote = await makeQuote(services, of)
  return {
    asset: quote.rail.asset,
    network: quote.rail.network,
    address: quote.address,
    amountCrypto: formatDecimal(quote.units, assetDecimals[quote.rail.asset]),
    rate: formatRate(quote.rateE8),
    rateAt: quote.rateAt.toISOString(),
    rateSource: quote.rateSource,
    expiresAt: quote.expiresAt.toISOString(),
    uri: await paymentUri(services, quote),
    quote: sealQuote(services.config, of, quote),
  }
}

/**
 * A pending deposit with its payment request (D5).
 * @returns its id
 * @throws AppError invalid_input below $100; rate_unavailable; quote_expired
 */
export async function newDeposit(
  tx: Tx,
  ctx: SignedInContext,
  { quote: sealed, ...asked }: { method: DepositMethod; amountCents: bigint; quote?: string | undefined },
): Promise<string> {
  requireMinimum(asked.amountCents)
  const of = { ...asked, userId: ctx.caller.userId }
  const quoting = { ...ctx.services, db: tx }
  const quote = await quoteFor(quoting, of, sealed)
  const uri = await paymentUri(quoting, quote)
  const id = await requestPayment(tx, of, { quote, uri, investmentId: null, now: quoting.clock.now() })
  await audit(tx, ctx, { action: 'deposit.requested', subject: { kind: 'deposit', id } })
  return id
}

/**
 * pending → paid: what has arrived is credited (D5), and kept for the pending investment that it covers; one that it does
 * not cover is declined. Also unpaid → paid and, with the moment of its arrival, declined → paid: what arrives, or is seen, when
 * nobody waits for it any more is never lost; it goes to the balance.
 * @throws AppError not_found, own_request, wrong_state, invalid_input, transaction_reused
 */
export async function approveDeposit(
  tx: Tx,
  ctx: SignedInContext,
  id: string,
  told: Told = {},
): Promise<void> {
  const { deposit, investment } = await lockPayment(tx, id)
  requireOther('deposit', deposit.user_id, ctx.caller.userId)
  requirePayable(deposit, told)
  const arrived = await arrivedAs({ ...ctx.services, db: tx }, deposit, told)
  const now = ctx.services.clock.now()
  const settling = { actor: ctx.caller.userId, now, ...arrived, by: 'hand' } as const
  const { became } = await settleDeposit(tx, deposit, awaiting(investment), settling)
  const details = detailsOf(deposit, arrived)
  await audit(tx, ctx, {
    action: 'deposit.approved',
    subject: { kind: 'deposit', id },
    moved: [deposit.status, 'paid'],
    details,
  })
  await notify(tx, isAgain(deposit) ? 'deposit.added' : 'deposit.approved', deposit, now)
  await tellDeclinedBy(tx, ctx, { investment, became, now })
}

/** Its owner was told once already that it was received. */
function isAgain({ flags }: Deposit): boolean {
  return flags.includes('reversed')
}

/**
 * One that was declined asks for the moment of its arrival: whoever has a list from before the decline credits nothing by it. What
 * nobody had asked for has no locked rate.
 */
function requirePayable({ status, flags }: Deposit, { arrivedAt }: Told): void {
  if (status !== 'paid' && flags.includes('unsolicited') && flags.includes('rate_missing')) {
    throw new AppError(
      'wrong_state',
      'Nobody had asked for this payment, and no rate of its arrival is on record. Credit what came instead, with the rate of that moment.',
    )
  }
  if (status === 'unpaid' || (status === 'declined' && arrivedAt !== undefined)) return
  if (status === 'declined') {
    throw new AppError(
      'wrong_state',
      'This deposit is already declined. If its payment has arrived after all, say when it did.',
    )
  }
  requireStatus('deposit', status, 'pending', 'approved')
}

/**
 * What a payment would be credited with if this had arrived; nothing is changed.
 * @throws AppError not_found, wrong_state, invalid_input
 */
export async function weighDeposit(
  { services }: SignedInContext,
  id: string,
  told: Told,
): Promise<CallData<typeof weighCall>> {
  const { deposit, investment } = await readPayment(services.db, id)
  requirePayable(deposit, told)
  const weighed = await weigh(services, deposit, told)
  const paid = awaiting(investment)
  return {
    credited: usdToJson(weighed.creditedCents),
    deviation: weighed.deviation,
    received: formatDecimal(weighed.receivedUnits, assetDecimals[deposit.asset]),
    rate: formatRate(weighed.rateE8),
    rateSource: weighed.rateSource,
    investment: paid && (weighed.creditedCents < paid.amount_cents ? 'declined' : 'kept'),
  }
}

/**
 * Somebody of the firm has looked at a payment that came short, over or late, or has a flag.
 * @param shown what he was shown of it, as far as that is known
 * @throws AppError not_found, own_request; wrong_state where nothing of it is to be looked at, or it is not what he was shown any more
 */
export async function lookAtDeposit(
  tx: Tx,
  ctx: SignedInContext,
  id: string,
  shown: Shown = {},
): Promise<void> {
  const { deposit } = await lockPayment(tx, id)
  requireOther('deposit', deposit.user_id, ctx.caller.userId)
  if ((deposit.deviation === null && deposit.flags.length === 0) || deposit.reviewed_at !== null) {
    throw new AppError(
      'wrong_state',
      'There is nothing to look at any more: it came as asked for, or somebody has.',
    )
  }
  if (hasChanged(deposit, shown)) {
    throw new AppError('wrong_state', 'This payment has changed since it was shown to you: look at it again.')
  }
  await tx
    .updateTable('app.deposits')
    .set({ reviewed_at: ctx.services.clock.now(), reviewed_by: ctx.caller.userId })
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  await audit(tx, ctx, { action: 'deposit.reviewed', subject: { kind: 'deposit', id } })
}

type Shown = Partial<Pick<DepositOnWire, 'status' | 'deviation' | 'seen' | 'flags' | 'wrongAssetTransfers'>>

/** It was credited or declined, more came, some was taken back, or it is flagged for something else: what is new was not looked at. */
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
 * pending → paid with less than was asked for, as its owner wants it: what came is credited, and the rest is not waited for. What is
 * large, or has no rate, is flagged instead, once, for somebody of the firm to look at.
 * @throws AppError forbidden; wrong_state, also where somebody of the firm has to look first and knows that
 */
export async function creditOwnDeposit(tx: Tx, ctx: SignedInContext, id: string): Promise<void> {
  const row = await findDeposit(tx, id)
  if (row?.user_id !== ctx.caller.userId) {
    throw new AppError('forbidden', 'You can have your own deposits credited only')
  }
  await creditAsItCame(tx, ctx, id)
}

/**
 * The same for staff, who have looked at what came where it is large, and say what they have seen: also to a deposit that is paid
 * already, as of what came while no rate was recorded, whose rate they tell.
 * @throws AppError not_found, own_request; wrong_state, also where what is large is not what they have seen; invalid_input where a
 *   rate has to be told
 */
export async function creditDeposit(
  tx: Tx,
  ctx: SignedInContext,
  id: string,
  told: ToldByStaff = {},
): Promise<void> {
  await holdCursorOf(tx, id)
  const { deposit } = await lockPayment(tx, id)
  requireOther('deposit', deposit.user_id, ctx.caller.userId)
  await creditAsItCame(tx, ctx, id, told)
}

async function creditAsItCame(tx: Tx, ctx: SignedInContext, id: string, told?: ToldByStaff): Promise<void> {
  await holdCursorOf(tx, id)
  const { deposit } = await lockPayment(tx, id)
  if (told === undefined || !waitsForFirm(deposit))
    requireStatus('deposit', deposit.status, 'pending', 'credited as it came')
  const hasChanged = await assessDeposit(tx, ctx, id, { asIs: true, ...(told && { told }) })
  const row = await depositById(tx, id)
  if (hasChanged && (row.status === 'paid' || (told === undefined && waitsForFirm(row)))) return
  throw new AppError('wrong_state', (told === undefined && keptBack(row)) || nothingConfirmed)
}

const nothingConfirmed =
  'Nothing of this payment is confirmed that could be credited now. Reload to see where it stands.'

/**
 * pending → declined. An investment that it was to pay is declined with it, for the same reason: nothing pays it now.
 * @throws AppError not_found, wrong_state
 */
export async function declineDeposit(
  tx: Tx,
  ctx: SignedInContext,
  id: string,
  reason: string,
): Promise<void> {
  const { deposit, investment } = await lockPayment(tx, id)
  requireStatus('deposit', deposit.status, 'pending', 'declined')
  const now = ctx.services.clock.now()
  await audit(tx, ctx, {
    action: 'deposit.declined',
    subject: { kind: 'deposit', id },
    moved: ['pending', 'declined'],
    reason,
  })
  const paid = awaiting(investment)
  if (paid === null) {
    await dropDeposit(tx, deposit, reason)
    await notify(tx, 'deposit.declined', deposit, now)
    return
  }
  await dropInvestment(tx, ctx, { investment: paid, deposit }, { reason })
  const subject = { kind: 'investment', id: paid.id }
  await audit(tx, ctx, { action: 'investment.declined', subject, moved: ['pending', 'declined'], reason })
  await notify(tx, 'investment.declined', paid, now)
}
