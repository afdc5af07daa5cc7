import type { SignedInContext, Tx } from '#server/context.ts'
import { requireOther, requireStatus } from '#server/payments/states.ts'
import { newId } from '#server/platform/id.ts'
import { audit } from '#server/records/audit.ts'
import { accruedUnpaid, activeInvestments, type InvestmentRow } from '#server/records/investments.ts'
import { notify } from '#server/records/notices.ts'
import { currentSettings } from '#server/records/settings.ts'
import { AppError } from '#shared/errors.ts'
import { payFromReturns, requireReturns } from './sources.ts'

export type EarningBody = {
  amountCents?: bigint | undefined
  investmentId?: string | undefined
  note?: string | undefined
}

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
  const { config, clock } = ctx.services
  const { earningsSecondApproval } = await currentSettings(tx, config)
  requireOther('earning', userId, ctx.caller.userId)
  const active = await lockActive(tx, userId, body.investmentId)
  const now = clock.now()
  const shares = sharesOf(active, body, now)
  await requireReturns(
    tx,
    shares.reduce((sum, share) => sum + share.amountCents, 0n),
  )
  const ids: string[] = []
  for (const share of shares) {
    const id = newId(now)
    ids.push(id)
    await tx
      .insertInto('app.earnings')
      .values({
        id,
        user_id: userId,
        investment_id: share.investmentId,
        amount_cents: share.amountCents,
        note: body.note ?? null,
        status: earningsSecondApproval ? 'pending' : 'paid',
        created_by: ctx.caller.userId,
        created_at: now,
        paid_at: earningsSecondApproval ? null : now,
      })
      .execute()
    if (!earningsSecondApproval) {
      const earning = { id, user_id: userId, amount_cents: share.amountCents, note: body.note ?? null }
      await payFromReturns(tx, earning, ctx.caller.userId)
      await notify(tx, 'earning.paid', earning, now)
    }
    const subject = { kind: 'earning', id } as const
    await audit(tx, ctx, { action: 'earning.added', subject, ...(body.note ? { reason: body.note } : {}) })
  }
  return ids
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
  await payFromReturns(tx, earning, admin)
  const now = ctx.services.clock.now()
  await tx
    .updateTable('app.earnings')
    .set({ status: 'paid', paid_at: now, approved_by: admin })
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  await notify(tx, 'earning.paid', earning, now)
  await audit(tx, ctx, { action: 'earning.approved', subject: { kind: 'earning', id } })
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
  await audit(tx, ctx, { action: 'earning.declined', subject: { kind: 'earning', id }, reason })
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
