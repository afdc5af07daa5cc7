import type { SignedInContext } from '#server/context.ts'
import { fileOutWords } from '#server/payments/payouts/excluded.ts'
import { filesOut } from '#server/payments/payouts/given-out.ts'
import { unpayableNow } from '#server/payments/payouts/payable.ts'
import { debtOf } from '#server/payments/shortfall.ts'
import { requireOwn, trailOf } from '#server/records/trail.ts'
import { findWithdrawal, presentWithdrawal } from '#server/records/withdrawals.ts'
import type { CallData } from '#shared/contract/define.ts'
import type { getWithdrawal } from '#shared/contract/withdrawals.ts'
import { usdToJson } from '#shared/money.ts'
import { may } from '#shared/roles.ts'

/**
 * A withdrawal with its postings and history.
 * @throws AppError forbidden, not_found
 */
export async function withdrawalDetail(
  { services, caller }: SignedInContext,
  id: string,
): Promise<CallData<typeof getWithdrawal>> {
  const { db, clock } = services
  const row = requireOwn(await findWithdrawal(db, id), caller, 'withdrawal')
  const trail = await trailOf(db, { ids: [id], ownerId: row.user_id }, caller)
  const debt = usdToJson(await debtOf(db, row.user_id))
  const isStaff = may(caller.role, 'console')
  const files = isStaff ? await filesOut(db, [id], clock.now()) : []
  // What an open batch pays, it can pay.
  const isAsked = isStaff && row.status === 'approved' && row.batch === null
  return {
    ...presentWithdrawal(row),
    ...trail,
    debt,
    unpayable: isAsked ? await unpayableNow(services, row, clock.now()) : null,
    filesOut: files.map(file => ({
      batch: file.batch_id,
      number: file.number,
      words: fileOutWords(file),
      transactionId: file.seen_transaction,
      shown: file.is_shown,
    })),
  }
}
