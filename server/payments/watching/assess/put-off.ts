import { sql } from 'kysely'
import type { Tx } from '#server/context.ts'
import type { Deposit } from '#server/payments/locks.ts'
import { refreshSeen } from '#server/payments/watching/seen.ts'
import { notify } from '#server/records/notices.ts'

/** What is open and cannot be credited yet: whoever can do something about it hears of it, once. */

/** Once: less than was asked for has come, and its owner can send the rest or have it credited. */
export async function tellShort(tx: Tx, deposit: Deposit, now: Date): Promise<boolean> {
  const told = await tx
    .selectFrom('app.notifications')
    .select('id')
    .where('subject_id', '=', deposit.id)
    .where('kind', '=', 'deposit.underpaid')
    .executeTakeFirst()
  if (told) return false
  await refreshSeen(tx, [deposit.id])
  await notify(tx, 'deposit.underpaid', deposit, now)
  return true
}

/**
 * What is open waits for somebody of the firm, who hears of it once: for a rate, which nobody makes up and he says, and where it is from;
 * or for his look.
 */
export async function flagOpen(
  tx: Tx,
  { id }: Deposit,
  { flag, now }: { flag: 'rate_missing' | 'large'; now: Date },
): Promise<boolean> {
  await putOff(tx, id, now)
  const { numUpdatedRows } = await tx
    .updateTable('app.deposits')
    .set({ flags: sql`array_append(flags, ${flag}::text)`, reviewed_at: null, reviewed_by: null })
    .where('id', '=', id)
    .where(sql<boolean>`NOT ${flag}::text = ANY (flags)`)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** How long what cannot be credited is left alone, in minutes, unless something else comes. */
const PUT_OFF_MINUTES = 10

export async function putOff(tx: Tx, id: string, now: Date): Promise<false> {
  await tx
    .updateTable('app.deposits')
    .set({ assess_after: new Date(now.getTime() + PUT_OFF_MINUTES * 60_000) })
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return false
}
