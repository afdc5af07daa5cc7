import { sql } from 'kysely'
import type { Tx } from '#server/context.ts'
import { withFlag } from '#server/deposits/flags.ts'
import type { Deposit } from '#server/deposits/locks.ts'
import { notify } from '#server/notifications/notices.ts'
import type { holdingFlags } from '#shared/payments.ts'

/** Notifies the investor, once, that the payment of an investment is underpaid: they can send the rest or have it credited as it is. */
export async function notifyUnderpaid(tx: Tx, deposit: Deposit, now: Date): Promise<boolean> {
  const notified = await tx
    .selectFrom('app.notifications')
    .select('id')
    .where('subject_id', '=', deposit.id)
    .where('kind', '=', 'deposit.underpaid')
    .executeTakeFirst()
  if (notified) return false
  await notify(tx, 'deposit.underpaid', deposit, now)
  return true
}

/** Flags the deposit, once, for staff to enter a rate or to compare the amount. */
export async function flagForReview(
  tx: Tx,
  { id }: Deposit,
  { flag, now }: { flag: 'rate_missing' | (typeof holdingFlags)[number]; now: Date },
): Promise<boolean> {
  await postpone(tx, id, now)
  const { numUpdatedRows } = await tx
    .updateTable('app.deposits')
    .set(withFlag(flag))
    .where('id', '=', id)
    .where(sql<boolean>`NOT ${flag} = ANY (flags)`)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Minutes until the next attempt, unless another transfer arrives. */
const POSTPONE_MINUTES = 10

export async function postpone(tx: Tx, id: string, now: Date): Promise<false> {
  await tx
    .updateTable('app.deposits')
    .set({ assess_after: new Date(now.getTime() + POSTPONE_MINUTES * 60_000) })
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return false
}
