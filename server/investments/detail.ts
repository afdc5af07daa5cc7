import type { SignedInContext } from '#server/context.ts'
import { depositOfInvestment, presentDeposit } from '#server/deposits/queries.ts'
import { earningList } from '#server/earnings/queries.ts'
import { investmentLacks } from '#server/identity/standing.ts'
import { requireOwn, trailOf } from '#server/statements/trail.ts'
import type { CallData } from '#shared/contract/define.ts'
import type { getInvestment } from '#shared/contract/investments.ts'
import { maximumPageLimit } from '#shared/limits.ts'
import { findInvestment, presentInvestment } from './queries.ts'

/**
 * An investment with its latest 200 earnings, its postings and its history (N-10).
 * @throws AppError forbidden, not_found
 */
export async function investmentDetail(
  { services, caller }: SignedInContext,
  id: string,
): Promise<CallData<typeof getInvestment>> {
  const { db, clock } = services
  const row = requireOwn(await findInvestment(db, id), caller, 'investment')
  const [deposit, earnings] = await Promise.all([
    depositOfInvestment(db, id),
    earningList.page(services, { investmentId: id, limit: maximumPageLimit }),
  ])
  const about = [id, ...(deposit ? [deposit.id] : []), ...earnings.data.map(({ _id }) => _id)]
  const trail = await trailOf(db, { ids: about, ownerId: row.user_id }, caller)
  const now = clock.now()
  return {
    ...presentInvestment(row, now),
    deposit: deposit ? presentDeposit(deposit, now) : null,
    earnings: earnings.data,
    waitsFor: await investmentLacks(db, id),
    ...trail,
  }
}
