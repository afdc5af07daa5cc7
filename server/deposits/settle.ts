import type { Origin } from '#server/audit/log.ts'
import type { Tx } from '#server/context.ts'
import {
  depositAdded,
  depositSettled,
  investmentDeclined,
  investmentFunded,
  investmentRequested,
} from '#server/ledger/events.ts'
import { post } from '#server/ledger/post.ts'
import { addressKey } from '#shared/addresses.ts'
import type { DepositFlag } from '#shared/contract/entities.ts'
import { AppError } from '#shared/errors.ts'
import { formatUsd, smaller } from '#shared/money.ts'
import { recoverDebt } from './debt.ts'
import type { Deposit, Investment } from './locks.ts'
import { depositRefusals } from './messages.ts'
import { paymentOf, type Valuation, type ValuedReceipt } from './valuation.ts'

/** The actor, null for the system, and the time. The caller has locked the rows. */
export type Settling = { actor: string | null; now: Date }

/** A valued payment and its evidence: staff (a manual credit) or the network. `isReviewed`: staff have seen this amount. */
export type Credit = Settling & ValuedReceipt & { evidence: 'staff' | 'network'; isReviewed?: boolean }

/**
 * Credits a deposit's payment to the balance. A pending investment that it covers gets its amount held, as if the balance had paid it; one
 * it does not cover is declined.
 * @returns the ledger's transaction, and the investment's outcome; null if it pays none
 */
export async function settleDeposit(
  tx: Tx,
  deposit: Deposit,
  investment: Investment | null,
  credit: Credit,
): Promise<{ posting: string; outcome: 'kept' | { declined: string } | null }> {
  const { actor, now, valuation } = credit
  const { creditedCents } = valuation
  const of = { userId: deposit.user_id, actor }
  const payment = paymentOf(deposit, valuation)
  const repaidCents = smaller(creditedCents, deposit.debt_cents)
  const settled = { ...of, amountCents: creditedCents, repaidCents, depositId: deposit.id, payment }
  const posting = await post(tx, depositSettled(settled))
  await markPaid(tx, deposit, { ...credit, posting, repaidCents })
  if (investment === null) return { posting, outcome: null }
  // The payment was reversed and has returned.
  if (investment.hold_id !== null) return { posting, outcome: 'kept' }
  if (creditedCents < investment.amount_cents) {
    const reason = notCovered(valuation, investment)
    await endInvestment(tx, investment, { now, reason, recoveredCents: 0n })
    return { posting, outcome: { declined: reason } }
  }
  const held = { ...of, amountCents: investment.amount_cents, investmentId: investment.id }
  const holdId = await post(tx, investmentRequested(held))
  await tx
    .updateTable('app.investments')
    .set({ hold_id: holdId })
    .where('id', '=', investment.id)
    .executeTakeFirstOrThrow()
  return { posting, outcome: 'kept' }
}

/**
 * Credits a further payment for a settled deposit to the balance.
 * @param credit.valuation the whole deposit from now on; `added` is the new part
 * @returns the ledger's transaction
 */
export async function addToDeposit(
  tx: Tx,
  deposit: Deposit,
  { added, ...credit }: Credit & { added: { units: bigint; cents: bigint; exchangedUnits: bigint } },
): Promise<string> {
  const payment = paymentOf(deposit, { receivedUnits: added.units, exchangedUnits: added.exchangedUnits })
  const repaidCents = smaller(added.cents, deposit.debt_cents)
  const of = { userId: deposit.user_id, actor: credit.actor, depositId: deposit.id }
  const posting = await post(tx, depositAdded({ ...of, amountCents: added.cents, repaidCents, payment }))
  await markPaid(tx, deposit, { ...credit, posting, repaidCents })
  return posting
}

/** The decline reason that the investor reads if the payment does not cover the investment. */
function notCovered({ deviation, creditedCents }: Valuation, { amount_cents }: Investment): string {
  const what = deviation === 'late' ? 'arrived late and was worth' : 'was underpaid:'
  const amounts = `${formatUsd(creditedCents)} of ${formatUsd(amount_cents)}`
  return `The payment ${what} ${amounts}. The money is available on the balance.`
}

/**
 * Credits a pending payment and approves its investment in one posting; any excess is available.
 * @throws AppError not_covered
 */
export async function settleInvestment(
  tx: Tx,
  deposit: Deposit,
  investment: Investment,
  credit: Credit,
): Promise<void> {
  const { actor, valuation } = credit
  const arrivedCents = valuation.creditedCents
  const { invoice_id: invoice } = deposit
  const { amount_cents: amountCents } = investment
  if (arrivedCents < amountCents) {
    throw depositRefusals.error({ reason: 'not_covered', invoice, arrivedCents, amountCents })
  }
  const posting = await post(
    tx,
    investmentFunded({
      userId: investment.user_id,
      investmentId: investment.id,
      amountCents: arrivedCents,
      investedCents: amountCents,
      payment: paymentOf(deposit, valuation),
      actor,
    }),
  )
  await markPaid(tx, deposit, { ...credit, posting, repaidCents: 0n })
}

/**
 * Declines a pending investment: releases its hold, and ends the deposit that was to pay it.
 * @param deposit its payment, if any; it becomes `unpaid` if nothing arrived in time, else `declined`
 */
export async function declinePendingInvestment(
  tx: Tx,
  by: Origin,
  { investment, deposit }: { investment: Investment; deposit: Deposit | undefined },
  { reason, unpaid = false }: { reason: string; unpaid?: boolean },
): Promise<void> {
  let recoveredCents = 0n
  if (investment.hold_id !== null) {
    const of = { userId: investment.user_id, amountCents: investment.amount_cents }
    const ends = { investmentId: investment.id, holdId: investment.hold_id, memo: reason }
    await post(tx, investmentDeclined({ ...of, ...ends, actor: by.caller?.userId ?? null }))
    recoveredCents = await recoverDebt(tx, by, of)
  }
  await endInvestment(tx, investment, { now: by.services.clock.now(), reason, recoveredCents })
  if (deposit?.status === 'pending') await endDeposit(tx, deposit, unpaid ? null : reason)
}

async function endInvestment(
  tx: Tx,
  { id }: Investment,
  { now, reason, recoveredCents }: { now: Date; reason: string; recoveredCents: bigint },
): Promise<void> {
  await tx
    .updateTable('app.investments')
    .set({ status: 'declined', declined_at: now, decline_reason: reason, recovered_cents: recoveredCents })
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
}

/** Ends a pending deposit: declined with a reason, or unpaid without one. */
export async function endDeposit(tx: Tx, deposit: Deposit, reason: string | null): Promise<void> {
  await tx
    .updateTable('app.deposits')
    .set({ status: reason === null ? 'unpaid' : 'declined', decline_reason: reason })
    .where('id', '=', deposit.id)
    .executeTakeFirstOrThrow()
}

async function markPaid(
  tx: Tx,
  deposit: Deposit,
  credit: Credit & { posting: string; repaidCents: bigint },
): Promise<void> {
  const {
    now,
    valuation,
    transactionId,
    evidence,
    posting,
    repaidCents,
    isReviewed = evidence === 'staff',
  } = credit
  const { deviation, receivedUnits, creditedCents, rateE8, rateSource, arrivedAt, lateShare } = valuation
  const isLate = arrivedAt !== null
  const leftCents = deposit.debt_cents - repaidCents
  const reversedUnits = evidence === 'staff' ? 0n : stillReversed(deposit, receivedUnits)
  if (transactionId !== null) await requireUnused(tx, deposit, transactionId)
  await tx
    .updateTable('app.deposits')
    .set({
      status: 'paid',
      // The deposit may have been declined before the payment arrived; the audit log keeps the reason.
      decline_reason: null,
      settled_at: deposit.settled_at ?? now,
      deviation,
      received_units: receivedUnits,
      credited_cents: creditedCents,
      arrived_at: arrivedAt,
      credited_rate_e8: isLate ? rateE8 : null,
      credited_rate_source: isLate ? rateSource : null,
      late_units: lateShare?.units ?? null,
      late_cents: lateShare?.cents ?? null,
      transaction_id: transactionId ?? deposit.transaction_id,
      debt_cents: leftCents,
      reversed_units: reversedUnits,
      flags: flagsAfter(deposit, { leftCents, reversedUnits, evidence }),
      // An earlier review covered the earlier amounts only.
      reviewed_at: null,
      reviewed_by: null,
      ...(isReviewed ? { reviewed_cents: creditedCents } : {}),
      ...(evidence === 'staff' ? { manual_units: receivedUnits, manual_posting: posting } : {}),
    })
    .where('id', '=', deposit.id)
    .executeTakeFirstOrThrow()
    .catch((error: unknown) => {
      throw transactionReused(error) ?? error
    })
}

/** The reversed units that have not arrived again, once this much is received. */
function stillReversed({ reversed_units, received_units }: Deposit, receivedUnits: bigint): bigint {
  const again = receivedUnits - (received_units ?? 0n)
  return again < reversed_units ? reversed_units - again : 0n
}

/** Removes the flags that a credit resolves. A credit after a decline is flagged: the person who declined may have had a reason. */
function flagsAfter(
  { status, flags }: Deposit,
  {
    leftCents,
    reversedUnits,
    evidence,
  }: { leftCents: bigint; reversedUnits: bigint; evidence: Credit['evidence'] },
): DepositFlag[] {
  const resolved: readonly DepositFlag[] = [
    'rate_missing',
    'large',
    ...(leftCents === 0n ? (['debt'] as const) : []),
    ...(reversedUnits === 0n ? (['reversed'] as const) : []),
  ]
  const added: DepositFlag[] = status === 'declined' && evidence === 'network' ? ['after_decline'] : []
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
    .where('method', '=', method)
    .where('transaction_id', '=', transactionId)
    .execute()
  const own = addressKey(address)
  if (transfers.length > 0 && !transfers.some(transfer => transfer.address === own)) throw reused()
}

function transactionReused(error: unknown): AppError | undefined {
  const { constraint } = error as { constraint?: unknown }
  return constraint === 'deposits_paid_once' ? reused() : undefined
}

function reused(): AppError {
  const message = 'This transaction has already paid another deposit.'
  return new AppError('transaction_reused', message, { fields: { transactionId: message } })
}
