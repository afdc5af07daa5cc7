import type { Selectable } from 'kysely'
import type { Tx } from '#server/context.ts'
import { investorBalances } from '#server/ledger/balances.ts'
import { depositReversed } from '#server/ledger/events.ts'
import { post } from '#server/ledger/post.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import type { DepositFlag } from '#shared/contract/entities.ts'
import { monitoringHours } from '#shared/limits.ts'
import { smaller } from '#shared/money.ts'
import type { Deposit } from './locks.ts'

export type CreditRow = Selectable<Schema['app.deposit_credits']>

/**
 * Reverses the credit of a transfer that lost its block: what is available is debited, and the rest becomes a debt (event
 * deposit.reversed). A deposit with nothing left is pending again.
 * @returns the cents that could be recovered
 * @throws AppError insufficient_funds if the balance falls concurrently; retry
 */
export async function reverseCredit(
  tx: Tx,
  deposit: Deposit,
  { id, cents, units, exchanged_units: exchangedUnits }: CreditRow,
  now: Date,
): Promise<bigint> {
  const { available } = await investorBalances(tx, deposit.user_id)
  const takenCents = smaller(available, cents)
  const payment = { asset: deposit.asset, receivedUnits: units, exchangedUnits }
  const of = { userId: deposit.user_id, actor: null, depositId: deposit.id }
  const posting = await post(tx, depositReversed({ ...of, amountCents: cents, takenCents, payment }))
  await tx
    .updateTable('app.deposit_credits')
    .set({ reversed_by: posting })
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  const debtCents = deposit.debt_cents + cents - takenCents
  const flags: DepositFlag[] = ['reversed', ...(debtCents > 0n ? (['debt'] as const) : [])]
  await tx
    .updateTable('app.deposits')
    .set({
      debt_cents: debtCents,
      reversed_units: deposit.reversed_units + units,
      flags: [...new Set([...deposit.flags, ...flags])],
      needs_review: true,
      ...(deposit.credited_cents === cents ? pendingAgain(deposit, now) : {}),
    })
    .where('id', '=', deposit.id)
    .executeTakeFirstOrThrow()
  return takenCents
}

/** The payment may confirm again, so the monitoring period restarts. */
function pendingAgain({ watch_until }: Deposit, now: Date) {
  const until = new Date(now.getTime() + monitoringHours * 3_600_000)
  return {
    status: 'pending' as const,
    settled_at: null,
    watch_until: until > watch_until ? until : watch_until,
  }
}
