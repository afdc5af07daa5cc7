import { byItself } from '#server/audit/log.ts'
import { holdCursorOf } from '#server/chain/cursor.ts'
import { refreshSeen } from '#server/chain/seen.ts'
import type { Services, Tx } from '#server/context.ts'
import { processEach } from '#server/queries/process-each.ts'
import type { DepositMethod } from '#shared/coins.ts'
import { type Assessing, creditOpen } from './assess/credit.ts'
import { dueDeposits } from './assess/due.ts'
import { coverByHand } from './assess/manual-credit.ts'
import { takeBackGone } from './assess/reverse-dropped.ts'
import type { ToldByStaff } from './assess/review.ts'
import { isCreditedInNoBlock, isOpen, lockTransfers, openUnits } from './assess/transfers.ts'
import { lockPayment } from './locks.ts'
import { dueUnrequested, makeUnrequested } from './unsolicited.ts'

/**
 * Credits what counts by now of a network and is not credited, and takes back what does not count any more: by what is written down
 * alone, so whatever ended the last look before it was done, it is done now, once.
 * @returns how many deposits (and addresses that none has yet) could not be assessed; the log says why, and all others were
 */
export async function assessDue(services: Services, method: DepositMethod): Promise<number> {
  const addresses = await processEach(services, {
    what: 'address',
    ids: (after, most) => dueUnrequested(services, method, { after, most }),
    act: (tx, address) => makeUnrequested(tx, services, address),
  })
  const deposits = await processEach(services, {
    what: 'deposit',
    ids: (after, most) => dueDeposits(services, method, { after, most }),
    act: (tx, id) => assessDeposit(tx, byItself(services), id),
  })
  return addresses.failed + deposits.failed
}

/**
 * Brings one deposit in line with what its network shows.
 * @param asIs credits what has come, although it is less than was asked for and the rest could still come
 * @param told by somebody of the firm who wants what came credited; it counts as his look where he was shown what is there now
 * @returns whether anything has changed
 * @throws AppError not_found; invalid_input where a rate has to be told first; wrong_state where more came than an amount can be, or
 *   what is large is not what he was shown
 */
export async function assessDeposit(
  tx: Tx,
  by: Assessing,
  id: string,
  { asIs = false, told }: { asIs?: boolean; told?: ToldByStaff } = {},
): Promise<boolean> {
  const cursor = await holdCursorOf(tx, id)
  if (cursor === undefined || cursor.halted) return false
  // A fixed address is everybody's: whose a transfer there is, only people can say.
  if (!(await hasOwnAddress(tx, id))) return false
  let { deposit, investment } = await lockPayment(tx, id)
  let changed = false
  const transfers = await lockTransfers(tx, deposit)
  if (transfers.some(isCreditedInNoBlock)) {
    // It may have been replaced: until all is read, nothing counts beside it.
    if (cursor.synced_height !== cursor.tip_height) return false
    await takeBackGone(tx, by, deposit)
    changed = true
    ;({ deposit, investment } = await lockPayment(tx, id))
  }
  const counting = (await lockTransfers(tx, deposit)).filter(isOpen)
  const confirmed = counting.filter(
    ({ block_height }) =>
      block_height !== null && block_height <= cursor.synced_height - cursor.confirmations + 1,
  )
  const open = await coverByHand(tx, by, { deposit, confirmed })
  if (deposit.manual_units > 0n) ({ deposit, investment } = await lockPayment(tx, id))
  if (open.length > 0) {
    const isAll = confirmed.length === counting.length
    const coming = counting.reduce((sum, transfer) => sum + openUnits(transfer), 0n)
    changed = (await creditOpen(tx, by, { deposit, investment, open, isAll, coming, asIs, told })) || changed
  }
  await refreshSeen(tx, [id])
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
