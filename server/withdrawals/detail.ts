import type { SignedInContext } from '#server/context.ts'
import { debtOf } from '#server/deposits/debt.ts'
import { withdrawalLacks } from '#server/identity/standing.ts'
import { payeeRefusals } from '#server/payouts/messages.ts'
import { unpayableNow } from '#server/payouts/payable.ts'
import { listingsOf } from '#server/screening/listed.ts'
import { nameStops } from '#server/screening/name-stop.ts'
import { requireOwn, trailOf } from '#server/statements/trail.ts'
import type { CallData } from '#shared/contract/define.ts'
import type { getWithdrawal } from '#shared/contract/withdrawals.ts'
import { usdToJson } from '#shared/money.ts'
import { may } from '#shared/roles.ts'
import { approversOf, findWithdrawal, hasApproved, presentWithdrawal } from './queries.ts'

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
  const approvers = isStaff ? await approversOf(db, id) : []
  const isOpen = row.status === 'pending' || row.status === 'approved'
  const [listing] = isStaff && isOpen ? (await listingsOf(db, [row.address])).values() : []
  const stop = isStaff && isOpen ? (await nameStops(db, [row.user_id])).get(row.user_id) : undefined
  // A withdrawal in an open batch is payable.
  const mayBeUnpayable = isStaff && !listing && row.status === 'approved' && row.batch === null
  return {
    ...presentWithdrawal(row),
    ...trail,
    debt,
    waitsFor: await withdrawalLacks(db, id),
    approvedByCaller: await hasApproved(db, id, caller.userId),
    approvers: approvers.map(({ name, at }) => ({ name, at: at.toISOString() })),
    listed: listing ? payeeRefusals.words({ reason: 'address_listed', ...listing }) : null,
    matched: stop?.words ?? null,
    ownerStop: stop?.why ?? null,
    unpayable: mayBeUnpayable ? await unpayableNow(services, row, clock.now()) : null,
  }
}
