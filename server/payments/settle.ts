import type { Tx } from '#server/context.ts'
import {
  depositSettled,
  investmentDeclined,
  investmentFunded,
  investmentRequested,
} from '#server/ledger/events.ts'
import { post } from '#server/ledger/post.ts'
import { AppError } from '#shared/errors.ts'
import { formatUsd } from '#shared/money.ts'
import { type Arrived, paymentOf, type Weighed } from './arrival.ts'
import type { Deposit, Investment } from './locks.ts'

/** Who settles, and when; a null actor is the product itself. The rows are locked by the caller. */
export type Settling = { actor: string | null; now: Date }

/**
 * A deposit's payment arrived: what it is credited with goes to the balance. Where it pays a pending investment and covers
 * it, the investment's amount is held for that, as if the balance had paid it: approving the investment then posts the hold,
 * declining it releases it. Where it does not, the investment never starts below what was chosen: it is declined, and its
 * owner can invest again from the balance.
 * @returns what became of the investment; null where it pays none
 */
export async function settleDeposit(
  tx: Tx,
  deposit: Deposit,
  investment: Investment | null,
  { actor, now, weighed, transactionId }: Settling & Arrived,
): Promise<'kept' | { declined: string } | null> {
  const { creditedCents } = weighed
  const of = { userId: deposit.user_id, actor }
  const payment = paymentOf(deposit, weighed)
  await post(tx, depositSettled({ ...of, amountCents: creditedCents, depositId: deposit.id, payment }))
  await markPaid(tx, deposit, { actor, now, weighed, transactionId })
  if (investment === null) return null
  if (creditedCents < investment.amount_cents) {
    const reason = notCovered(weighed, investment)
    await dropInvestment(tx, investment, undefined, { actor, now, reason })
    return { declined: reason }
  }
  const held = { ...of, amountCents: investment.amount_cents, investmentId: investment.id }
  const holdId = await post(tx, investmentRequested(held))
  await tx
    .updateTable('app.investments')
    .set({ hold_id: holdId })
    .where('id', '=', investment.id)
    .executeTakeFirstOrThrow()
  return 'kept'
}

/** Why an investment is declined whose payment does not cover it, for its owner to read. */
function notCovered({ arrival, creditedCents }: Weighed, { amount_cents }: Investment): string {
  const came = arrival === 'late' ? 'came late and was worth' : 'came short:'
  const words = `Its payment ${came} ${formatUsd(creditedCents)} of ${formatUsd(amount_cents)}.`
  return `${words} The money is available on the balance.`
}

/**
 * A pending payment arrived and its investment is approved, in one: the money is locked in the plan, and what came beyond
 * its amount is available.
 * @throws AppError wrong_state where what arrived does not cover it
 */
export async function settleInvestment(
  tx: Tx,
  deposit: Deposit,
  investment: Investment,
  { actor, now, weighed, transactionId }: Settling & Arrived,
): Promise<void> {
  if (weighed.creditedCents < investment.amount_cents) throw shortOf(deposit, weighed, investment)
  await post(
    tx,
    investmentFunded({
      userId: investment.user_id,
      investmentId: investment.id,
      amountCents: weighed.creditedCents,
      investedCents: investment.amount_cents,
      payment: paymentOf(deposit, weighed),
      actor,
    }),
  )
  await markPaid(tx, deposit, { actor, now, weighed, transactionId })
}

function shortOf(
  { invoice_id }: Deposit,
  { creditedCents }: Weighed,
  { amount_cents }: Investment,
): AppError {
  const words = `What arrived is worth ${formatUsd(creditedCents)}, and the investment is of ${formatUsd(amount_cents)}.`
  return new AppError(
    'wrong_state',
    `${words} Approve its deposit ${invoice_id} instead: the money goes to the balance, and the investment is declined.`,
  )
}

/**
 * A pending investment ends without starting: what is held for it is available again, and a payment that has not
 * arrived is no longer waited for.
 * @param deposit what pays it, if anything does; it becomes `unpaid` where nothing came in time, else `declined`
 */
export async function dropInvestment(
  tx: Tx,
  investment: Investment,
  deposit: Deposit | undefined,
  { actor, now, reason, unpaid = false }: Settling & { reason: string; unpaid?: boolean },
): Promise<void> {
  if (investment.hold_id !== null) {
    const of = { userId: investment.user_id, amountCents: investment.amount_cents, actor }
    await post(
      tx,
      investmentDeclined({ ...of, investmentId: investment.id, holdId: investment.hold_id, memo: reason }),
    )
  }
  await tx
    .updateTable('app.investments')
    .set({ status: 'declined', declined_at: now, decline_reason: reason })
    .where('id', '=', investment.id)
    .executeTakeFirstOrThrow()
  if (deposit?.status === 'pending') await dropDeposit(tx, deposit, unpaid ? null : reason)
}

/** A pending payment is no longer waited for: declined with a reason, or unpaid where nothing came. */
export async function dropDeposit(tx: Tx, deposit: Deposit, reason: string | null): Promise<void> {
  await tx
    .updateTable('app.deposits')
    .set({ status: reason === null ? 'unpaid' : 'declined', decline_reason: reason })
    .where('id', '=', deposit.id)
    .executeTakeFirstOrThrow()
}

async function markPaid(
  tx: Tx,
  deposit: Deposit,
  { now, weighed, transactionId }: Settling & Arrived,
): Promise<void> {
  const { arrival, receivedUnits, creditedCents, rateE8, rateSource, arrivedAt } = weighed
  const isLate = arrivedAt !== null
  await tx
    .updateTable('app.deposits')
    .set({
      status: 'paid',
      // Of one that was declined before its payment arrived; the log keeps why.
      decline_reason: null,
      settled_at: now,
      arrival,
      received_units: receivedUnits,
      credited_cents: creditedCents,
      arrived_at: arrivedAt,
      credited_rate_e8: isLate ? rateE8 : null,
      credited_rate_source: isLate ? rateSource : null,
      transaction_id: transactionId,
    })
    .where('id', '=', deposit.id)
    .executeTakeFirstOrThrow()
    .catch((error: unknown) => {
      throw transactionReused(error) ?? error
    })
}

function transactionReused(error: unknown): AppError | undefined {
  const { constraint } = error as { constraint?: unknown }
  if (constraint !== 'deposits_paid_once') return undefined
  const message = 'This transaction has paid another deposit already.'
  return new AppError('transaction_reused', message, { fields: { transactionId: message } })
}
