import { sql } from 'kysely'
import { audit, auditAll, type Origin } from '#server/audit/log.ts'
import type { Config } from '#server/config.ts'
import type { Caller, Services, SignedInContext, Tx } from '#server/context.ts'
import {
  accruedUnpaid,
  activeInvestments,
  type InvestmentRow,
  updateCoveredUntil,
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

/** `beyondCents`: the part beyond what has accrued and is not paid. */
type Share = { investmentId: string; amountCents: bigint; beyondCents: bigint }

/**
 * Adds earnings on a user's active investments (D7): an amount on the named or the oldest one or, without an amount, every unpaid accrual.
 * Paid at once from recorded returns, or pending if a second person must approve: by the settings, or because the amount exceeds what has
 * accrued and is not paid.
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
  const pending = await needApproval(tx, ctx.services.config, shares)
  return createEarnings(tx, ctx, ofUser, { note: body.note ?? null, pending })
}

/** Who adds earnings: a person, in a request or by the run of a plan's earnings that they confirmed. */
export type Adder = Origin & { services: Pick<Services, 'clock'>; caller: Pick<Caller, 'userId'> }

/** `pending`: a second admin must approve each. `run`: the run of a plan that adds them. */
export type Added = { note: string | null; pending: boolean; run?: string }

/** True if the settings or an amount beyond the accruals ask for a second person. */
export async function needApproval(
  tx: Tx,
  config: Config,
  shares: readonly Pick<Share, 'beyondCents'>[],
): Promise<boolean> {
  const { earningsSecondApproval } = await currentSettings(tx, config)
  return earningsSecondApproval || shares.some(({ beyondCents }) => beyondCents > 0n)
}

/**
 * Creates earnings: paid at once from recorded returns, with a notification, or pending.
 * @returns their ids
 * @throws AppError insufficient_returns
 */
export async function createEarnings(
  tx: Tx,
  ctx: Adder,
  shares: readonly (Share & { userId: string })[],
  { note, pending, run }: Added,
): Promise<string[]> {
  const now = ctx.services.clock.now()
  const rows = shares.map(({ userId, amountCents }) => ({
    id: newId(now),
    user_id: userId,
    amount_cents: amountCents,
    note,
  }))
  const ids = rows.map(({ id }) => id)
  await sql`
    INSERT INTO app.earnings (id, user_id, investment_id, amount_cents, beyond_accrued_cents, note, status, created_by, created_at, paid_at)
    SELECT id, user_id, investment_id, amount_cents, beyond_cents, ${note}, ${pending ? 'pending' : 'paid'}, ${ctx.caller.userId}::uuid,
           ${now}::timestamptz, ${pending ? null : now}::timestamptz
      FROM unnest(${ids}::uuid[], ${rows.map(row => row.user_id)}::uuid[],
                  ${shares.map(share => share.investmentId)}::uuid[], ${shares.map(share => share.amountCents)}::bigint[],
                  ${shares.map(share => share.beyondCents)}::bigint[])
             AS share (id, user_id, investment_id, amount_cents, beyond_cents)`.execute(tx)
  if (!pending) await notifyAll(tx, 'earning.paid', rows, now)
  const reason = note === null ? {} : { reason: note }
  await auditAll(
    tx,
    ctx,
    ids.map(id => ({ action: 'earning.added', subject: { kind: 'earning', id }, ...reason }) as const),
  )
  if (!pending) await payFromReturns(tx, ctx, rows, run)
  return ids
}

/** Locks the user's active investments, or the named one, so that no accrual is paid twice. */
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
      'You can add earnings only for a user with an active investment.',
    )
  }
  if (investmentId === undefined) return active
  const named = active.find(investment => investment.id === investmentId)
  if (!named) {
    throw new AppError('no_active_investment', 'This user has no such active investment.')
  }
  return [named]
}

function sharesOf(active: InvestmentRow[], { amountCents }: EarningBody, now: Date): Share[] {
  if (amountCents !== undefined) {
    const one = active[0]!
    const beyond = amountCents - accruedUnpaid(one, now)
    return [{ investmentId: one.id, amountCents, beyondCents: beyond > 0n ? beyond : 0n }]
  }
  const shares = active
    .map(one => ({ investmentId: one.id, amountCents: accruedUnpaid(one, now), beyondCents: 0n }))
    .filter(share => share.amountCents > 0n)
  if (shares.length > 0) return shares
  throw new AppError('nothing_accrued', 'There are no unpaid accruals. Targets accrue by whole days.')
}

/**
 * The second admin's approval: pending → paid (D7).
 * @throws AppError not_found, own_request, same_approver, wrong_state, insufficient_returns
 */
export async function approveEarning(tx: Tx, ctx: SignedInContext, id: string): Promise<void> {
  const admin = ctx.caller.userId
  const earning = await lockEarning(tx, id)
  requireOther('earning', earning.user_id, admin)
  requireStatus('earning', earning, 'pending', 'approved')
  if (earning.created_by === admin) {
    throw new AppError('same_approver', 'You added this earning. A second person must approve it.')
  }
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
  await payFromReturns(tx, ctx, [earning])
}

/**
 * pending → declined, with a reason that the investor sees; the admin who added it may do so too. No money moves; its amount is an unpaid
 * accrual again.
 * @throws AppError not_found, wrong_state
 */
export async function declineEarning(
  tx: Tx,
  ctx: SignedInContext,
  id: string,
  reason: string,
): Promise<void> {
  const earning = await lockEarning(tx, id)
  requireStatus('earning', earning, 'pending', 'declined')
  await tx
    .updateTable('app.earnings')
    .set({ status: 'declined', decline_reason: reason })
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  await updateCoveredUntil(tx, earning.investment_id)
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
