import type { SignedInContext } from '#server/context.ts'
import { linesOfReferences } from '#server/ledger/statement.ts'
import { depositOfInvestment, presentDeposit } from '#server/records/deposits.ts'
import { listEarnings, presentEarning } from '#server/records/earnings.ts'
import { historyOf } from '#server/records/history.ts'
import { findInvestment, presentInvestment } from '#server/records/investments.ts'
import { presentLines } from '#server/records/statement.ts'
import type { CallData } from '#shared/contract/define.ts'
import type { getInvestment } from '#shared/contract/investments.ts'
import { AppError } from '#shared/errors.ts'
import { maximumPageLimit } from '#shared/limits.ts'

/**
 * An investment with all that belongs to it (N-10): the latest 200 earnings, the postings and the history.
 * @throws AppError forbidden where it is not one's own, whether it is there or not (D8); not_found for an admin
 */
export async function investmentDetail(
  { services: { db, clock }, caller }: SignedInContext,
  id: string,
): Promise<CallData<typeof getInvestment>> {
  const row = await findInvestment(db, id)
  if (caller.type !== 'admin' && row?.user_id !== caller.userId) {
    throw new AppError('forbidden', 'You can see your own investments only')
  }
  if (!row) throw new AppError('not_found', 'There is no such investment')
  const [deposit, earnings] = await Promise.all([
    depositOfInvestment(db, id),
    listEarnings(db, { investmentId: id, limit: maximumPageLimit }),
  ])
  const about = [id, ...(deposit ? [deposit.id] : []), ...earnings.rows.map(earning => earning.id)]
  const [lines, history] = await Promise.all([linesOfReferences(db, about), historyOf(db, about, caller)])
  const now = clock.now()
  return {
    ...presentInvestment(row, now),
    deposit: deposit ? presentDeposit(deposit, now) : null,
    earnings: earnings.rows.map(presentEarning),
    entries: await presentLines(db, lines),
    history,
  }
}
