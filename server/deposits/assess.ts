import { asSystem } from '#server/audit/log.ts'
import { holdCursorOf } from '#server/chain/cursor.ts'
import type { Services, Tx } from '#server/context.ts'
import { processEach } from '#server/queries/process-each.ts'
import type { RailName } from '#shared/coins.ts'
import { type AssessmentOrigin, creditOpen } from './assess/credit.ts'
import { dueDeposits } from './assess/due.ts'
import { matchManualCredit } from './assess/manual-credit.ts'
import { reverseDropped } from './assess/reverse-dropped.ts'
import type { StaffReview } from './assess/review.ts'
import { isCreditedWithoutBlock, isOpen, lockTransfers, openUnits } from './assess/transfers.ts'
import { lockPayment } from './locks.ts'
import { createUnsolicited, dueUnsolicited } from './unsolicited.ts'

/**
 * Credits confirmed transfers of a network and reverses credits whose block is gone. It reads the database alone, so an interrupted run
 * is simply repeated.
 * @returns how many deposits and unassigned addresses failed; the log says why, and the others were assessed
 */
export async function assessDue(services: Services, rail: RailName): Promise<number> {
  const addresses = await processEach(services, {
    what: 'address',
    ids: (after, most) => dueUnsolicited(services, rail, { after, most }),
    act: (tx, address) => createUnsolicited(tx, services, address),
  })
  const deposits = await processEach(services, {
    what: 'deposit',
    ids: (after, most) => dueDeposits(services, rail, { after, most }),
    act: (tx, id) => assessDeposit(tx, asSystem(services), id),
  })
  return addresses.failed + deposits.failed
}

/**
 * Brings one deposit in line with the stored transfers of its network.
 * @param asIs credit what arrived without waiting for the rest
 * @param review given when staff credit the deposit: the state that they saw, and a rate where none is recorded
 * @returns true if anything changed
 * @throws AppError not_found; invalid_input if staff must enter a rate; wrong_state (`reviewRefusal`)
 */
export async function assessDeposit(
  tx: Tx,
  by: AssessmentOrigin,
  id: string,
  { asIs = false, review }: { asIs?: boolean; review?: StaffReview } = {},
): Promise<boolean> {
  const cursor = await holdCursorOf(tx, id)
  if (cursor === undefined || cursor.halted) return false
  // Everyone pays to the same fixed address, so only staff can tell whose transfer it is.
  if (!(await hasOwnAddress(tx, id))) return false
  let { deposit, investment } = await lockPayment(tx, id)
  let changed = false
  const transfers = await lockTransfers(tx, deposit)
  if (transfers.some(isCreditedWithoutBlock)) {
    // The transaction may have been replaced; wait for the sync to reach the tip before crediting anything else.
    if (cursor.synced_height !== cursor.tip_height) return false
    await reverseDropped(tx, by, deposit)
    changed = true
    ;({ deposit, investment } = await lockPayment(tx, id))
  }
  const seen = await lockTransfers(tx, deposit)
  const counting = seen.filter(isOpen)
  const confirmed = counting.filter(
    ({ block_height }) =>
      block_height !== null && block_height <= cursor.synced_height - cursor.confirmations + 1,
  )
  const open = await matchManualCredit(tx, by, { deposit, confirmed })
  // A match changes flags.
  if (open !== confirmed) ({ deposit, investment } = await lockPayment(tx, id))
  if (open.length > 0) {
    const isAll = confirmed.length === counting.length
    const coming = counting.reduce((sum, transfer) => sum + openUnits(transfer), 0n)
    changed =
      (await creditOpen(tx, by, { deposit, investment, seen, open, isAll, coming, asIs, review })) || changed
  }
  return changed
}

async function hasOwnAddress(tx: Tx, id: string): Promise<boolean> {
  const row = await tx
    .selectFrom('app.payment_addresses')
    .select('address')
    .where('deposit_id', '=', id)
    .executeTakeFirst()
  return row !== undefined
}
