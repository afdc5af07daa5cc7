import type { Selectable } from 'kysely'
import { audit, type Origin } from '#server/audit/log.ts'
import type { Tx } from '#server/context.ts'
import { withdrawalPaid } from '#server/ledger/events.ts'
import { post } from '#server/ledger/post.ts'
import { notify } from '#server/notifications/notices.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { AppError } from '#shared/errors.ts'

export type WithdrawalOnFile = Selectable<Schema['app.withdrawals']>

/** @throws AppError not_found */
export async function lockWithdrawal(tx: Tx, id: string): Promise<WithdrawalOnFile> {
  const row = await tx
    .selectFrom('app.withdrawals')
    .selectAll()
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  if (!row) throw new AppError('not_found', 'There is no such withdrawal')
  return row
}

/**
 * approved → paid by a transaction: the held amount has left. One transaction may pay several withdrawals, but to one address
 * only one: the database says so, also where two do it at once.
 * @param withdrawal approved, and locked @param origin an admin's request, or the product itself, which has seen it on the chain
 * @throws AppError transaction_reused
 */
export async function settleWithdrawal(
  tx: Tx,
  origin: Origin,
  withdrawal: WithdrawalOnFile,
  transactionId: string,
  details: Record<string, unknown> = {},
): Promise<void> {
  const { id } = withdrawal
  const now = origin.services.clock.now()
  await post(
    tx,
    withdrawalPaid({
      userId: withdrawal.user_id,
      amountCents: withdrawal.amount_cents,
      withdrawalId: id,
      holdId: withdrawal.hold_id,
      actor: origin.caller?.userId ?? null,
      memo: transactionId,
    }),
  )
  await tx
    .updateTable('app.withdrawals')
    .set({ status: 'paid', paid_at: now, transaction_id: transactionId })
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
    .catch((error: unknown) => {
      throw transactionReused(error) ?? error
    })
  await audit(tx, origin, {
    action: 'withdrawal.paid',
    subject: { kind: 'withdrawal', id },
    moved: ['approved', 'paid'],
    details: { transactionId, ...details },
  })
  await notify(tx, 'withdrawal.paid', withdrawal, now)
}

function transactionReused(error: unknown): AppError | undefined {
  const { constraint } = error as { constraint?: unknown }
  if (constraint !== 'withdrawals_paid_once') return undefined
  const message =
    'This transaction has paid another withdrawal to the same address already. Enter the one that paid this.'
  return new AppError('transaction_reused', message, { fields: { transactionId: message } })
}
