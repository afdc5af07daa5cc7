import { type Selectable, sql } from 'kysely'
import { actsIn, auditEach, type Origin } from '#server/audit/log.ts'
import type { Tx } from '#server/context.ts'
import { withdrawalPaid } from '#server/ledger/events.ts'
import { postAll } from '#server/ledger/post.ts'
import { noticesOf } from '#server/notifications/notices.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'

export type WithdrawalOnFile = Selectable<Schema['app.withdrawals']>

/** @throws AppError not_found */
export async function lockWithdrawal(tx: Tx, id: string): Promise<WithdrawalOnFile> {
  return found(await lockWithdrawals(tx, [id]), id)
}

/** Locks those that exist, in the order of their ids. */
export async function lockWithdrawals(
  tx: Tx,
  ids: readonly string[],
): Promise<Map<string, WithdrawalOnFile>> {
  const rows = await tx
    .selectFrom('app.withdrawals')
    .selectAll()
    .where('id', '=', sql<string>`ANY (${ids}::uuid[])`)
    .orderBy('id')
    .forUpdate()
    .execute()
  return new Map(rows.map(row => [row.id, row]))
}

/** @throws AppError not_found */
export function found(withdrawals: ReadonlyMap<string, WithdrawalOnFile>, id: string): WithdrawalOnFile {
  const row = withdrawals.get(id)
  if (!row) throw new AppError('not_found', t('There is no such withdrawal'))
  return row
}

/** A withdrawal, approved and locked, what paid it, and who says so. `details` are for the audit log. */
export type Settlement = {
  /** An admin's request, or the system after a confirmed transfer. */
  by: Origin
  withdrawal: WithdrawalOnFile
  transactionId: string
  details?: Record<string, unknown>
}

/**
 * approved → paid, all or none. One transaction may pay several withdrawals, but only one per address, which a unique index enforces.
 * @returns them as they are now, in order
 * @throws AppError transaction_reused
 */
export async function settleWithdrawals(
  tx: Tx,
  settlements: readonly Settlement[],
  now: Date,
): Promise<WithdrawalOnFile[]> {
  const postings = settlements.map(
    ({ by, withdrawal: { id, user_id, amount_cents, hold_id }, transactionId }) => {
      const of = { userId: user_id, amountCents: amount_cents, withdrawalId: id, holdId: hold_id }
      return withdrawalPaid({ ...of, actor: actorOf(by), memo: transactionId })
    },
  )
  const ids = settlements.map(({ withdrawal }) => withdrawal.id)
  const transactions = settlements.map(({ transactionId }) => transactionId)
  const lines = settlements.map(({ by, withdrawal: { id }, transactionId, details }) => ({
    by,
    action: 'withdrawal.paid' as const,
    subject: { kind: 'withdrawal', id },
    moved: ['approved', 'paid'] as const,
    details: { transactionId, ...details },
  }))
  const markPaid = sql`
    UPDATE app.withdrawals w SET status = 'paid', paid_at = ${now}, paid_by = paid.by, transaction_id = paid.transaction_id
      FROM unnest(${ids}::uuid[], ${settlements.map(({ by }) => actorOf(by))}::uuid[], ${transactions}::text[])
             AS paid (id, by, transaction_id)
     WHERE w.id = paid.id`
  const withdrawals = settlements.map(({ withdrawal }) => withdrawal)
  await postAll(tx, postings)
  const acts = actsIn(settlements)
  const also = [markPaid, ...noticesOf('withdrawal.paid', withdrawals, now, acts)]
  await auditEach(tx, lines, also).catch((error: unknown) => {
    throw (error as { constraint?: unknown }).constraint === 'withdrawals_paid_once'
      ? transactionReused()
      : error
  })
  return settlements.map(({ by, withdrawal, transactionId }) => ({
    ...withdrawal,
    status: 'paid',
    paid_at: now,
    paid_by: actorOf(by),
    transaction_id: transactionId,
  }))
}

function actorOf({ caller }: Origin): string | null {
  return caller?.userId ?? null
}

/** The refusal of a transaction that paid another withdrawal to the same address. */
export function transactionReused(): AppError {
  const message = t(
    'This transaction already paid another withdrawal to the same address. Enter the one that paid this withdrawal.',
  )
  return new AppError('transaction_reused', message, { fields: { transactionId: message } })
}
