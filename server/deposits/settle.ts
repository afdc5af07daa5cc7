import type { Origin } from '#server/audit/log.ts'
import { shortReason } from '#server/audit/own-reasons.ts'
import type { Tx } from '#server/context.ts'
import {
  depositAdded,
  depositSettled,
  investmentDeclined,
  investmentFunded,
  investmentRequested,
  type SettledPayment,
} from '#server/ledger/events.ts'
import { post } from '#server/ledger/post.ts'
import { addressKey } from '#shared/addresses.ts'
import { paymentMethods } from '#shared/coins.ts'
import type { DepositFlag } from '#shared/contract/entities.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { smaller } from '#shared/money.ts'
import { holdingFlags } from '#shared/payments.ts'
import { recoverDebt } from './debt.ts'
import type { Deposit, Investment } from './locks.ts'
import { depositRefusals } from './messages.ts'
import { sumOf, type ValuedPart, type ValuedReceipt, type Whole, wholeWith } from './valuation.ts'

/** The actor, null for the system, and the time. The caller has locked the rows. */
export type Settling = { actor: string | null; now: Date }

/** The parts to credit: confirmed transfers, `isAgreed` if a second source shows them too, or a manual credit, whose transaction id may be known. */
export type Credit = Settling & { isReviewed: boolean } & (
    | { parts: (ValuedPart & { transferId: bigint; isAgreed: boolean })[] }
    | { parts: [ValuedPart]; enteredBy: string; transactionId: string | null }
  )

/** A manual credit: the person who enters it has reviewed it. */
export function manualCredit(
  by: { actor: string; now: Date },
  { part, transactionId }: ValuedReceipt,
): Credit {
  return { ...by, parts: [part], enteredBy: by.actor, transactionId, isReviewed: true }
}

/**
 * Credits a payment, or a further one, to the balance. A pending investment that the first one covers gets its amount held, as if the
 * balance had paid it; one it does not cover is declined.
 * @returns the investment's outcome; null if the deposit pays none
 */
export async function creditBalance(
  tx: Tx,
  deposit: Deposit,
  investment: Investment | null,
  credit: Credit,
): Promise<'kept' | { declined: string } | null> {
  const { actor, parts } = credit
  const { cents } = sumOf(parts)
  const isFirst = deposit.status !== 'paid'
  const repaidCents = smaller(cents, deposit.debt_cents)
  const of = { userId: deposit.user_id, actor, depositId: deposit.id }
  const credited = { ...of, amountCents: cents, repaidCents, payment: paymentOf(deposit, parts) }
  const posting = await post(tx, isFirst ? depositSettled(credited) : depositAdded(credited))
  await recordCredit(tx, deposit, { ...credit, posting, repaidCents })
  return isFirst && investment !== null ? payInvestment(tx, { deposit, investment, credit }) : null
}

async function payInvestment(
  tx: Tx,
  { deposit, investment, credit }: { deposit: Deposit; investment: Investment; credit: Credit },
): Promise<'kept' | { declined: string }> {
  // The payment was reversed and has returned.
  if (investment.hold_id !== null) return 'kept'
  const { id, user_id: userId, amount_cents: amountCents } = investment
  const whole = wholeWith(deposit, credit.parts)
  if (whole.cents < amountCents) {
    const reason = notCovered(whole, investment)
    await endInvestment(tx, investment, { now: credit.now, ending: { reason }, recoveredCents: 0n })
    return { declined: reason }
  }
  const held = { userId, amountCents, investmentId: id, actor: credit.actor }
  const holdId = await post(tx, investmentRequested(held))
  await tx
    .updateTable('app.investments')
    .set({ hold_id: holdId })
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return 'kept'
}

/** The decline reason that the investor reads if the payment does not cover the investment. */
function notCovered({ deviation, cents }: Whole, { amount_cents }: Investment): string {
  return shortReason({ isLate: deviation === 'late', arrivedCents: cents, amountCents: amount_cents })
}

/**
 * Credits a pending payment and approves its investment in one posting; any excess is available.
 * @throws AppError not_covered
 */
export async function creditInvestment(
  tx: Tx,
  deposit: Deposit,
  investment: Investment,
  credit: Credit,
): Promise<void> {
  const { cents: arrivedCents } = sumOf(credit.parts)
  const { invoice_id: invoice } = deposit
  const { id: investmentId, user_id: userId, amount_cents: amountCents } = investment
  if (arrivedCents < amountCents) {
    throw depositRefusals.error({ reason: 'not_covered', invoice, arrivedCents, amountCents })
  }
  const of = { userId, investmentId, actor: credit.actor, payment: paymentOf(deposit, credit.parts) }
  const posting = await post(
    tx,
    investmentFunded({ ...of, amountCents: arrivedCents, investedCents: amountCents }),
  )
  await recordCredit(tx, deposit, { ...credit, posting, repaidCents: 0n })
}

/** The payment as the ledger posts it. */
function paymentOf({ asset }: Deposit, parts: readonly ValuedPart[]): SettledPayment {
  const { units, exchangedUnits } = sumOf(parts)
  return { asset, receivedUnits: units, exchangedUnits }
}

/** Why a pending record ends: declined with a reason, or cancelled by its owner, the caller. */
export type Ending = { reason: string } | { cancelledBy: string }

/** A record's columns after its end. */
export function endedAs(ending: Ending) {
  return {
    status: 'declined' as const,
    ...('reason' in ending ? { decline_reason: ending.reason } : { cancelled_by: ending.cancelledBy }),
  }
}

/**
 * Declines or cancels a pending investment: releases its hold, and ends the deposit that was to pay it.
 * @param deposit its payment, if any; it becomes `unpaid` if nothing arrived in time, else it ends as the investment
 */
export async function endPendingInvestment(
  tx: Tx,
  by: Origin,
  { investment, deposit }: { investment: Investment; deposit: Deposit | undefined },
  ending: Ending,
  { unpaid = false }: { unpaid?: boolean } = {},
): Promise<void> {
  let recoveredCents = 0n
  if (investment.hold_id !== null) {
    const of = { userId: investment.user_id, amountCents: investment.amount_cents }
    const memo = 'reason' in ending ? { memo: ending.reason } : {}
    const ends = { investmentId: investment.id, holdId: investment.hold_id, ...memo }
    await post(tx, investmentDeclined({ ...of, ...ends, actor: by.caller?.userId ?? null }))
    recoveredCents = await recoverDebt(tx, by, of)
  }
  await endInvestment(tx, investment, { now: by.services.clock.now(), ending, recoveredCents })
  if (deposit?.status === 'pending') await endDeposit(tx, deposit, unpaid ? 'unpaid' : ending)
}

async function endInvestment(
  tx: Tx,
  { id }: Investment,
  { now, ending, recoveredCents }: { now: Date; ending: Ending; recoveredCents: bigint },
): Promise<void> {
  await tx
    .updateTable('app.investments')
    .set({ ...endedAs(ending), declined_at: now, recovered_cents: recoveredCents })
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
}

/** Ends a pending deposit. */
export async function endDeposit(tx: Tx, deposit: Deposit, ending: Ending | 'unpaid'): Promise<void> {
  await tx
    .updateTable('app.deposits')
    .set(ending === 'unpaid' ? { status: 'unpaid' } : endedAs(ending))
    .where('id', '=', deposit.id)
    .executeTakeFirstOrThrow()
}

/** Writes the credits of a posting, and marks the deposit as paid. */
async function recordCredit(
  tx: Tx,
  deposit: Deposit,
  credit: Credit & { posting: string; repaidCents: bigint },
): Promise<void> {
  await insertCredits(tx, deposit, credit)
  const { now, parts, repaidCents, isReviewed } = credit
  const whole = wholeWith(deposit, parts)
  const isManual = 'enteredBy' in credit
  const leftCents = deposit.debt_cents - repaidCents
  const reversedUnits = isManual ? 0n : stillReversed(deposit, sumOf(parts).units)
  const flags = flagsAfter(deposit, { leftCents, reversedUnits, isManual })
  await tx
    .updateTable('app.deposits')
    .set({
      status: 'paid',
      // The deposit may have been declined or cancelled before the payment arrived; the audit log says so.
      decline_reason: null,
      cancelled_by: null,
      settled_at: deposit.settled_at ?? now,
      assess_after: null,
      debt_cents: leftCents,
      reversed_units: reversedUnits,
      flags,
      // An earlier review covered the earlier amounts only.
      needs_review: flags.length > 0 || whole.deviation !== null,
      ...(isReviewed ? { reviewed_cents: whole.cents } : {}),
    })
    .where('id', '=', deposit.id)
    .executeTakeFirstOrThrow()
}

async function insertCredits(
  tx: Tx,
  deposit: Deposit,
  { posting, ...credit }: Credit & { posting: string },
): Promise<void> {
  const isManual = 'enteredBy' in credit
  if (isManual && credit.transactionId !== null) await requireUnused(tx, deposit, credit.transactionId)
  const evidence = isManual ? { entered_by: credit.enteredBy, transaction_id: credit.transactionId } : {}
  const rows = credit.parts.map(
    ({ units, exchangedUnits, cents, rateE8, rateAt, rateSource, lateAt, ...part }) => ({
      deposit_id: deposit.id,
      ...('transferId' in part ? { transfer_id: part.transferId } : evidence),
      units,
      exchanged_units: exchangedUnits,
      cents,
      rate_e8: rateE8,
      rate_at: rateAt,
      rate_source: rateSource,
      late_at: lateAt,
      credited_at: credit.now,
      checked: credit.isReviewed || ('isAgreed' in part && part.isAgreed),
      posting,
    }),
  )
  await tx
    .insertInto('app.deposit_credits')
    .values(rows)
    .execute()
    .catch((error: unknown) => {
      throw transactionReused(error) ?? error
    })
}

/** The reversed units that have not arrived again, once this much has arrived. */
function stillReversed({ reversed_units }: Deposit, again: bigint): bigint {
  return again < reversed_units ? reversed_units - again : 0n
}

/** Removes the flags that a credit resolves. A credit after a decline is flagged: the person who declined may have had a reason. */
function flagsAfter(
  { status, flags }: Deposit,
  { leftCents, reversedUnits, isManual }: { leftCents: bigint; reversedUnits: bigint; isManual: boolean },
): DepositFlag[] {
  const resolved: readonly DepositFlag[] = [
    'rate_missing',
    ...holdingFlags,
    ...(leftCents === 0n ? (['debt'] as const) : []),
    ...(reversedUnits === 0n ? (['reversed'] as const) : []),
  ]
  const added: DepositFlag[] = status === 'declined' && !isManual ? ['after_decline'] : []
  return [...new Set([...flags.filter(flag => !resolved.includes(flag)), ...added])]
}

/**
 * Refuses a transaction that pays another address only.
 * @throws AppError transaction_reused
 */
async function requireUnused(tx: Tx, { method, address }: Deposit, transactionId: string): Promise<void> {
  const transfers = await tx
    .selectFrom('app.chain_transfers')
    .select('address')
    .where('rail', '=', paymentMethods[method].rail)
    .where('transaction_id', '=', transactionId)
    .execute()
  const own = addressKey(address)
  if (transfers.length > 0 && !transfers.some(transfer => transfer.address === own)) throw reused()
}

function transactionReused(error: unknown): AppError | undefined {
  const { constraint } = error as { constraint?: unknown }
  return constraint === 'deposit_credits_paid_once' ? reused() : undefined
}

function reused(): AppError {
  const message = t('This transaction has already paid another deposit.')
  return new AppError('transaction_reused', message, { fields: { transactionId: message } })
}
