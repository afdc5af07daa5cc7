import { audit, auditAll } from '#server/audit/log.ts'
import type { SignedInContext, Tx } from '#server/context.ts'
import {
  accruedUnpaid,
  activeInvestments,
  type InvestmentRow,
  keepCoverage,
} from '#server/investments/queries.ts'
import { notify, notifyAll } from '#server/notifications/notices.ts'
import { newId } from '#server/platform/id.ts'
import { requireOther, requireStatus } from '#server/queries/status.ts'
import { currentSettings } from '#server/staff/settings-queries.ts'
import { AppError } from '#shared/errors.ts'
import { payFromReturns, requireReturns } from './sources.ts'

export type EarningBody = {
  amountCents?: bigint | undefined
  investmentId?: string | undefined
  note?: string | undefined
}

/** Earnings that one statement writes: a statement has room for 65,535 values. */
const writtenTogether = 1_000

type Share = { investmentId: string; amountCents: bigint }

/**
 * Earnings on a user's active investments (D7): of a given amount on the named or the oldest one, or, without an
 * amount, what each has accrued and was not paid. Paid at once out of the recorded returns, or pending where a second
 * admin must approve.
 * @returns their ids
 * @throws AppError not_found, own_request, no_active_investment, nothing_accrued, insufficient_returns
 */
export async function addEarnings(
  tx: Tx,
  ctx: SignedInContext,
  userId: string,
  body: EarningBody,
): Promise<string[]> {
  requireOther('earning', userId, ctx.caller.userId)
  const active = await lockActive(tx, userId, body.investmentId)
  const shares = sharesOf(active, body, ctx.services.clock.now())
  await requireReturns(
    tx,
    shares.reduce((sum, share) => sum + share.amountCents, 0n),
  )
  const ofUser = shares.map(share => ({ ...share, userId }))
  const { ids } = await createEarnings(tx, ctx, ofUser, body.note)
  return ids
}

/**
 * Writes down earnings and what belongs to each: paid at once out of the recorded returns, with the notice to its investor,
 * or pending where a second admin must approve. The returns are locked and hold enough.
 * @returns their ids, and the status that each of them has
 */
export async function createEarnings(
  tx: Tx,
  ctx: SignedInContext,
  shares: readonly (Share & { userId: string })[],
  note: string | undefined,
): Promise<{ ids: string[]; status: 'pending' | 'paid' }> {
  const { config, clock } = ctx.services
  const now = clock.now()
  const { earningsSecondApproval: pending } = await currentSettings(tx, config)
  const status = pending ? ('pending' as const) : ('paid' as const)
  const rows = shares.map(share => ({
    id: newId(now),
    user_id: share.userId,
    investment_id: share.investmentId,
    amount_cents: share.amountCents,
    note: note ?? null,
    status,
    created_by: ctx.caller.userId,
    created_at: now,
    paid_at: pending ? null : now,
  }))
  const reason = note === undefined ? {} : { reason: note }
  for (let from = 0; from < rows.length; from += writtenTogether) {
    const some = rows.slice(from, from + writtenTogether)
    await tx.insertInto('app.earnings').values(some).execute()
    await keepCoverage(tx, [...new Set(some.map(({ investment_id }) => investment_id))])
    if (!pending) await notifyAll(tx, 'earning.paid', some, now)
    const lines = some.map(
      ({ id }) => ({ action: 'earning.added', subject: { kind: 'earning', id }, ...reason }) as const,
    )
    await auditAll(tx, ctx, lines)
  }
  if (!pending) await payFromReturns(tx, ctx, rows)
  return { ids: rows.map(({ id }) => id), status }
}

/** The user's active investments, or the named one of them, locked so that nothing accrued is paid twice. */
async function lockActive(
  tx: Tx,
  userId: string,
  investmentId: string | undefined,
): Promise<InvestmentRow[]> {
  const user = await tx.selectFrom('app.users').select('id').where('id', '=', userId).executeTakeFirst()
  if (!user) throw new AppError('not_found', 'There is no such user')
  await tx
    .selectFrom('app.investments')
    .select('id')
    .where('user_id', '=', userId)
    .where('status', '=', 'active')
    .orderBy('id')
    .forUpdate()
    .execute()
  const active = await activeInvestments(tx, userId)
  if (active.length === 0) {
    throw new AppError(
      'no_active_investment',
      'Earnings can be added only for a user with an active investment',
    )
  }
  if (investmentId === undefined) return active
  const named = active.find(investment => investment.id === investmentId)
  if (!named) {
    throw new AppError('no_active_investment', 'This is not one of the active investments of this user')
  }
  return [named]
}

function sharesOf(active: InvestmentRow[], { amountCents }: EarningBody, now: Date): Share[] {
  if (amountCents !== undefined) return [{ investmentId: active[0]!.id, amountCents }]
  const shares = active
    .map(investment => ({ investmentId: investment.id, amountCents: accruedUnpaid(investment, now) }))
    .filter(share => share.amountCents > 0n)
  if (shares.length > 0) return shares
  throw new AppError(
    'nothing_accrued',
    'Nothing has accrued that is not paid yet. Targets accrue by whole days.',
  )
}

/**
 * The second admin's approval: pending → paid (D7).
 * @throws AppError not_found, own_request, same_approver, wrong_state, insufficient_returns
 */
export async function approveEarning(tx: Tx, ctx: SignedInContext, id: string): Promise<void> {
  const admin = ctx.caller.userId
  const earning = await lockEarning(tx, id)
  requireOther('earning', earning.user_id, admin)
  requireStatus('earning', earning.status, 'pending', 'approved')
  if (earning.created_by === admin) {
    throw new AppError('same_approver', 'You have added this earning. A second admin must approve it.')
  }
  await requireReturns(tx, earning.amount_cents)
  await payFromReturns(tx, ctx, [earning])
  const now = ctx.services.clock.now()
  await tx
    .updateTable('app.earnings')
    .set({ status: 'paid', paid_at: now, approved_by: admin })
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  await notify(tx, 'earning.paid', earning, now)
  await audit(tx, ctx, {
    action: 'earning.approved',
    subject: { kind: 'earning', id },
    moved: ['pending', 'paid'],
  })
}

/**
 * pending → declined, with a reason that the investor sees; who has added it may take it back this way. Nothing was
 * held for it, so no money moves; what it would have paid has accrued unpaid again.
 * @throws AppError not_found, wrong_state
 */
export async function declineEarning(
  tx: Tx,
  ctx: SignedInContext,
  id: string,
  reason: string,
): Promise<void> {
  const earning = await lockEarning(tx, id)
  requireStatus('earning', earning.status, 'pending', 'declined')
  await tx
    .updateTable('app.earnings')
    .set({ status: 'declined', decline_reason: reason })
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  await keepCoverage(tx, [earning.investment_id])
  await audit(tx, ctx, {
    action: 'earning.declined',
    subject: { kind: 'earning', id },
    moved: ['pending', 'declined'],
    reason,
  })
  await notify(tx, 'earning.declined', earning, ctx.services.clock.now())
}

async function lockEarning(tx: Tx, id: string) {
  const row = await tx
    .selectFrom('app.earnings')
    .selectAll()
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  if (!row) throw new AppError('not_found', 'There is no such earning')
  return row
}
