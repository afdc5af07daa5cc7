import type { Tx } from '#server/context.ts'
import {
  depositAdded,
  depositSettled,
  investmentDeclined,
  investmentFunded,
  investmentRequested,
} from '#server/ledger/events.ts'
import { post } from '#server/ledger/post.ts'
import type { Origin } from '#server/records/audit.ts'
import { addressKey } from '#shared/addresses.ts'
import type { DepositFlag } from '#shared/contract/entities.ts'
import { AppError } from '#shared/errors.ts'
import { formatUsd, smaller } from '#shared/money.ts'
import { type Arrived, paymentOf, type Weighed } from './arrival.ts'
import type { Deposit, Investment } from './locks.ts'
import { recoverDebt } from './shortfall.ts'

/** Who settles, and when; a null actor is the product itself. The rows are locked by the caller. */
export type Settling = { actor: string | null; now: Date }

/**
 * What has come, and by whose word: an admin's, or that of the network, whose transfers are named one by one then, and which somebody of
 * the firm has looked at or not. What an admin has said is not credited again when the network shows it.
 */
export type Credit = Settling & Arrived & { by: 'hand' | 'network'; isReviewed?: boolean }

/**
 * A deposit's payment arrived: what it is credited with goes to the balance. Where it pays a pending investment and covers
 * it, the investment's amount is held for that, as if the balance had paid it: approving the investment then posts the hold,
 * declining it releases it. Where it does not, the investment never starts below what was chosen: it is declined, and its
 * owner can invest again from the balance.
 * @returns the ledger's transaction, and what became of the investment; null where it pays none
 */
export async function settleDeposit(
  tx: Tx,
  deposit: Deposit,
  investment: Investment | null,
  credit: Credit,
): Promise<{ posting: string; became: 'kept' | { declined: string } | null }> {
  const { actor, now, weighed } = credit
  const { creditedCents } = weighed
  const of = { userId: deposit.user_id, actor }
  const payment = paymentOf(deposit, weighed)
  const goodCents = smaller(creditedCents, deposit.debt_cents)
  const settled = { ...of, amountCents: creditedCents, goodCents, depositId: deposit.id, payment }
  const posting = await post(tx, depositSettled(settled))
  await markPaid(tx, deposit, { ...credit, posting, goodCents })
  if (investment === null) return { posting, became: null }
  // Its payment was there before, and is there again.
  if (investment.hold_id !== null) return { posting, became: 'kept' }
  if (creditedCents < investment.amount_cents) {
    const reason = notCovered(weighed, investment)
    await endInvestment(tx, investment, { now, reason, recoveredCents: 0n })
    return { posting, became: { declined: reason } }
  }
  const held = { ...of, amountCents: investment.amount_cents, investmentId: investment.id }
  const holdId = await post(tx, investmentRequested(held))
  await tx
    .updateTable('app.investments')
    .set({ hold_id: holdId })
    .where('id', '=', investment.id)
    .executeTakeFirstOrThrow()
  return { posting, became: 'kept' }
}

/**
 * More came to a deposit that was settled already: it goes to the balance.
 * @param credit.weighed all of the deposit from now on, `added` what of it is new
 * @returns the ledger's transaction
 */
export async function addToDeposit(
  tx: Tx,
  deposit: Deposit,
  { added, ...credit }: Credit & { added: { units: bigint; cents: bigint; exchangedUnits: bigint } },
): Promise<string> {
  const payment = paymentOf(deposit, { receivedUnits: added.units, exchangedUnits: added.exchangedUnits })
  const goodCents = smaller(added.cents, deposit.debt_cents)
  const of = { userId: deposit.user_id, actor: credit.actor, depositId: deposit.id }
  const posting = await post(tx, depositAdded({ ...of, amountCents: added.cents, goodCents, payment }))
  await markPaid(tx, deposit, { ...credit, posting, goodCents })
  return posting
}

/** Why an investment is declined whose payment does not cover it, for its owner to read. */
function notCovered({ deviation, creditedCents }: Weighed, { amount_cents }: Investment): string {
  const came = deviation === 'late' ? 'came late and was worth' : 'came short:'
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
  credit: Credit,
): Promise<void> {
  const { actor, weighed } = credit
  if (weighed.creditedCents < investment.amount_cents) throw shortOf(deposit, weighed, investment)
  const posting = await post(
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
  await markPaid(tx, deposit, { ...credit, posting, goodCents: 0n })
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
  if (deposit?.status === 'pending') await dropDeposit(tx, deposit, unpaid ? null : reason)
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
  credit: Credit & { posting: string; goodCents: bigint },
): Promise<void> {
  const { now, weighed, transactionId, by, posting, goodCents, isReviewed = by === 'hand' } = credit
  const { deviation, receivedUnits, creditedCents, rateE8, rateSource, arrivedAt, latePart } = weighed
  const isLate = arrivedAt !== null
  const leftCents = deposit.debt_cents - goodCents
  const reversedUnits = by === 'hand' ? 0n : takenBackAfter(deposit, receivedUnits)
  if (transactionId !== null) await requireUnused(tx, deposit, transactionId)
  await tx
    .updateTable('app.deposits')
    .set({
      status: 'paid',
      // Of one that was declined before its payment arrived; the log keeps why.
      decline_reason: null,
      settled_at: deposit.settled_at ?? now,
      deviation,
      received_units: receivedUnits,
      credited_cents: creditedCents,
      arrived_at: arrivedAt,
      credited_rate_e8: isLate ? rateE8 : null,
      credited_rate_source: isLate ? rateSource : null,
      late_units: latePart?.units ?? null,
      late_cents: latePart?.cents ?? null,
      transaction_id: transactionId ?? deposit.transaction_id,
      debt_cents: leftCents,
      reversed_units: reversedUnits,
      flags: flagsAfter(deposit, { leftCents, reversedUnits, by }),
      // Whoever has looked has seen what was there before.
      reviewed_at: null,
      reviewed_by: null,
      ...(isReviewed ? { reviewed_cents: creditedCents } : {}),
      ...(by === 'hand' ? { manual_units: receivedUnits, manual_posting: posting } : {}),
    })
    .where('id', '=', deposit.id)
    .executeTakeFirstOrThrow()
    .catch((error: unknown) => {
      throw transactionReused(error) ?? error
    })
}

/** What its network had taken back and has not shown again, once it has received this much. */
function takenBackAfter({ reversed_units, received_units }: Deposit, receivedUnits: bigint): bigint {
  const again = receivedUnits - (received_units ?? 0n)
  return again < reversed_units ? reversed_units - again : 0n
}

/**
 * What is put right by being credited is no flag any more. Who has declined it hears that its payment was credited all the same: he may
 * have had a reason that the network does not know.
 */
function flagsAfter(
  { status, flags }: Deposit,
  { leftCents, reversedUnits, by }: { leftCents: bigint; reversedUnits: bigint; by: Credit['by'] },
): DepositFlag[] {
  const gone: readonly DepositFlag[] = [
    'rate_missing',
    'large',
    ...(leftCents === 0n ? (['debt'] as const) : []),
    ...(reversedUnits === 0n ? (['reversed'] as const) : []),
  ]
  const added: DepositFlag[] = status === 'declined' && by === 'network' ? ['after_decline'] : []
  return [...new Set([...flags.filter(flag => !gone.includes(flag)), ...added])]
}

/**
 * A transaction that its network has shown to pay another deposit, and not this one, proves nothing here.
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
  const message = 'This transaction has paid another deposit already.'
  return new AppError('transaction_reused', message, { fields: { transactionId: message } })
}
