import type { Tx } from '#server/context.ts'
import {
  depositSettled,
  investmentDeclined,
  investmentFunded,
  investmentRequested,
  type SettledPayment,
} from '#server/ledger/events.ts'
import { post } from '#server/ledger/post.ts'
import { worthInUnits } from '#server/rails/rail.ts'
import type { Deposit, Investment } from './locks.ts'

/** Who settles, and when; a null actor is the product itself. The rows are locked by the caller. */
export type Settling = { actor: string | null; now: Date }

/**
 * A deposit's payment arrived in full: its worth goes to the balance or, where it pays a pending investment, is
 * held for that, as if the balance had paid it. Approving the investment then posts the hold, declining it releases it.
 */
export async function settleDeposit(
  tx: Tx,
  deposit: Deposit,
  investment: Investment | null,
  { actor, now }: Settling,
): Promise<void> {
  const of = { userId: deposit.user_id, amountCents: deposit.amount_cents, actor }
  await post(tx, depositSettled({ ...of, depositId: deposit.id, payment: paymentOf(deposit) }))
  await markPaid(tx, deposit, now)
  if (investment === null) return
  const holdId = await post(tx, investmentRequested({ ...of, investmentId: investment.id }))
  await tx
    .updateTable('app.investments')
    .set({ hold_id: holdId })
    .where('id', '=', investment.id)
    .executeTakeFirstOrThrow()
}

/** A pending payment arrived and its investment is approved, in one: the money is locked in the plan. */
export async function settleInvestment(
  tx: Tx,
  deposit: Deposit,
  investment: Investment,
  { actor, now }: Settling,
): Promise<void> {
  await post(
    tx,
    investmentFunded({
      userId: investment.user_id,
      investmentId: investment.id,
      amountCents: deposit.amount_cents,
      investedCents: investment.amount_cents,
      payment: paymentOf(deposit),
      actor,
    }),
  )
  await markPaid(tx, deposit, now)
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

function paymentOf(deposit: Deposit): SettledPayment {
  return {
    asset: deposit.asset,
    receivedUnits: deposit.crypto_units,
    exchangedUnits: worthInUnits(deposit.asset, deposit.amount_cents, deposit.rate_e8),
  }
}

async function markPaid(tx: Tx, deposit: Deposit, now: Date): Promise<void> {
  await tx
    .updateTable('app.deposits')
    .set({ status: 'paid', settled_at: now })
    .where('id', '=', deposit.id)
    .executeTakeFirstOrThrow()
}
