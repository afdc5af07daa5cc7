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
 * approved → paid. One transaction may pay several withdrawals, but only one per address, which a unique index enforces.
 * @param withdrawal approved, and locked @param origin an admin's request, or the system after a confirmed transfer
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
    .set({
      status: 'paid',
      paid_at: now,
      paid_by: origin.caller?.userId ?? null,
      transaction_id: transactionId,
    })
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
    'This transaction already paid another withdrawal to the same address. Enter the one that paid this withdrawal.'
  return new AppError('transaction_reused', message, { fields: { transactionId: message } })
}
