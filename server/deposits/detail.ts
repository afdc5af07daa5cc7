import type { SignedInContext } from '#server/context.ts'
import { requireOwn, trailOf } from '#server/statements/trail.ts'
import type { CallData } from '#shared/contract/define.ts'
import type { getDeposit } from '#shared/contract/deposits.ts'
import { findDeposit, presentDeposit } from './queries.ts'
import { transfersOf } from './transfers.ts'

/**
 * A deposit with its postings and history. A deposit that funds an investment includes the approval that settled it and the posting of
 * its coins.
 * @throws AppError forbidden, not_found
 */
export async function depositDetail(
  { services: { db, clock }, caller }: SignedInContext,
  id: string,
): Promise<CallData<typeof getDeposit>> {
  const row = requireOwn(await findDeposit(db, id), caller, 'deposit')
  const about = row.investment_id === null ? [id] : [id, row.investment_id]
  const trail = await trailOf(
    db,
    { ids: about, ownerId: row.user_id },
    caller,
    ({ reference, event }) => reference === id || event === 'investment.funded',
  )
  return {
    ...presentDeposit(row, clock.now()),
    ...trail,
    investmentInvoiceId: row.investment_invoice,
    ...(await transfersOf(db, row)),
  }
}
