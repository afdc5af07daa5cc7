import type { SignedInContext, Tx } from '#server/context.ts'
import { lockPayment } from '#server/payments/locks.ts'
import { makeQuote, paymentUri, quoteFor, requireMinimum, sealQuote } from '#server/payments/quote.ts'
import { requestPayment } from '#server/payments/request.ts'
import { dropDeposit, dropInvestment, settleDeposit } from '#server/payments/settle.ts'
import { requireOther, requireStatus } from '#server/payments/states.ts'
import { formatRate } from '#server/prices/reading.ts'
import { audit } from '#server/records/audit.ts'
import { notify } from '#server/records/notices.ts'
import type { DepositMethod } from '#shared/coins.ts'
import type { PaymentRequest } from '#shared/contract/entities.ts'
import { assetDecimals, formatDecimal } from '#shared/money.ts'

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
    uri: paymentUri(quote),
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
  const quote = await quoteFor({ ...ctx.services, db: tx }, of, sealed)
  const id = await requestPayment(tx, of, { quote, investmentId: null, now: ctx.services.clock.now() })
  await audit(tx, ctx, { action: 'deposit.requested', subject: { kind: 'deposit', id } })
  return id
}

/**
 * pending → paid: the payment arrived in full. Where it pays a pending investment, the money is kept for that. Also
 * unpaid → paid: what arrives, or is seen, only after its time is never lost (D5); it goes to the balance.
 * @throws AppError not_found, own_request, wrong_state
 */
export async function approveDeposit(tx: Tx, ctx: SignedInContext, id: string): Promise<void> {
  const { deposit, investment } = await lockPayment(tx, id)
  requireOther('deposit', deposit.user_id, ctx.caller.userId)
  if (deposit.status !== 'unpaid') requireStatus('deposit', deposit.status, 'pending', 'approved')
  const awaiting = investment?.status === 'pending' ? investment : null
  const now = ctx.services.clock.now()
  await settleDeposit(tx, deposit, awaiting, { actor: ctx.caller.userId, now })
  await audit(tx, ctx, { action: 'deposit.approved', subject: { kind: 'deposit', id } })
  await notify(tx, 'deposit.approved', deposit, now)
}

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
  await audit(tx, ctx, { action: 'deposit.declined', subject: { kind: 'deposit', id }, reason })
  if (investment === null) {
    await dropDeposit(tx, deposit, reason)
    await notify(tx, 'deposit.declined', deposit, now)
    return
  }
  await dropInvestment(tx, investment, deposit, { actor: ctx.caller.userId, now, reason })
  const subject = { kind: 'investment', id: investment.id }
  await audit(tx, ctx, { action: 'investment.declined', subject, reason })
  await notify(tx, 'investment.declined', investment, now)
}
