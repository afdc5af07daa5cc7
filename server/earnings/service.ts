import { sql } from 'kysely'
import { actsIn, audit, auditEach, type Origin } from '#server/audit/log.ts'
import type { Config } from '#server/config.ts'
import type { Caller, Services, SignedInContext, Tx } from '#server/context.ts'
import {
  accruedUnpaid,
  activeInvestments,
  type InvestmentRow,
  updateCoveredUntil,
} from '#server/investments/queries.ts'
import { noticesOf, notify } from '#server/notifications/notices.ts'
import { newId } from '#server/platform/id.ts'
import { sift } from '#server/queries/sift.ts'
import { requireOther, requireStatus } from '#server/queries/status.ts'
import { currentSettings } from '#server/staff/settings-queries.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { payFromReturns, requireReturns } from './sources.ts'

/** What a person adds to a user's active investments. */
export type Addition = {
  userId: string
  by: SignedInContext
  amountCents?: bigint | undefined
  investmentId?: string | undefined
  note?: string | null | undefined
}

/** `beyondCents`: the part beyond what has accrued and is not paid. */
type Share = { investmentId: string; amountCents: bigint; beyondCents: bigint }

/**
 * Adds earnings on users' active investments (D7), each user's once: an amount on the named or the oldest one or, without an amount, every
 * unpaid accrual. Paid at once from recorded returns, or pending if a second person must approve: by the settings, or because the amount
 * exceeds what has accrued and is not paid.
 * @returns their ids, and refusals by user, for whom nothing has changed: not_found, own_request, no_active_investment,
 * nothing_accrued
 * @throws AppError insufficient_returns, if there are too few for all
 */
export async function addEarnings(
  tx: Tx,
  services: Services,
  additions: readonly Addition[],
): Promise<{ ids: string[]; refused: Map<string, AppError> }> {
  const byUser = new Map(additions.map(addition => [addition.userId, addition]))
  const active = await lockActive(tx, [...byUser.keys()])
  const now = services.clock.now()
  const { decided, refused } = await sift([...byUser.keys()], userId => {
    const addition = byUser.get(userId)!
    requireOther('earning', userId, addition.by.caller.userId)
    return newEarnings(addition, chosen(active.get(userId), addition), now)
  })
  const all = decided.flat()
  if (all.length === 0) return { ids: [], refused }
  await requireReturns(
    tx,
    all.reduce((sum, share) => sum + share.amountCents, 0n),
  )
  const isAlwaysPending = await earningsNeedApproval(tx, services.config)
  const needsApproval = (ofUser: readonly Share[]) =>
    isAlwaysPending || ofUser.some(({ beyondCents }) => beyondCents > 0n)
  const of = (pending: boolean) => decided.filter(ofUser => needsApproval(ofUser) === pending).flat()
  const pending = await createEarnings(tx, of(true), { pending: true })
  const paid = await createEarnings(tx, of(false), { pending: false })
  return { ids: [...pending, ...paid], refused }
}

/** Who adds earnings: a person, in a request or by the run of a plan's earnings that they confirmed. */
export type Adder = Origin & { services: Pick<Services, 'clock'>; caller: Pick<Caller, 'userId'> }

/** An earning to create. */
export type NewEarning = Share & { userId: string; by: Adder; note: string | null }

/**
 * `pending`: a second admin must approve each. `run`: the run of a plan that adds them. `beforePaying` is awaited before recorded returns,
 * from which all earnings are paid, are locked.
 */
export type Added = { pending: boolean; run?: string; beforePaying?: () => unknown }

/** True if the settings ask for a second person. */
export async function earningsNeedApproval(tx: Tx, config: Config): Promise<boolean> {
  return (await currentSettings(tx, config)).earningsSecondApproval
}

/**
 * Creates earnings: paid at once from recorded returns, with a notification, or pending.
 * @returns their ids
 * @throws AppError insufficient_returns
 */
export async function createEarnings(
  tx: Tx,
  earnings: readonly NewEarning[],
  { pending, run, beforePaying }: Added,
): Promise<string[]> {
  if (earnings.length === 0) return []
  const now = earnings[0]!.by.services.clock.now()
  const rows = earnings.map(({ userId, amountCents, by, note }) => ({
    id: newId(now),
    user_id: userId,
    amount_cents: amountCents,
    by,
    note,
  }))
  const ids = rows.map(({ id }) => id)
  await sql`
    INSERT INTO app.earnings (id, user_id, investment_id, amount_cents, beyond_accrued_cents, note, status, created_by, created_at, paid_at)
    SELECT id, user_id, investment_id, amount_cents, beyond_cents, note, ${pending ? 'pending' : 'paid'}, created_by, ${now}::timestamptz,
           ${pending ? null : now}::timestamptz
      FROM unnest(${ids}::uuid[], ${rows.map(row => row.user_id)}::uuid[],
                  ${earnings.map(one => one.investmentId)}::uuid[], ${earnings.map(one => one.amountCents)}::bigint[],
                  ${earnings.map(one => one.beyondCents)}::bigint[], ${rows.map(({ note }) => note)}::text[],
                  ${rows.map(({ by }) => by.caller.userId)}::uuid[])
             AS share (id, user_id, investment_id, amount_cents, beyond_cents, note, created_by)`.execute(tx)
  const lines = rows.map(
    ({ id, by, note }) =>
      ({
        by,
        action: 'earning.added',
        subject: { kind: 'earning', id },
        ...(note !== null && { reason: note }),
      }) as const,
  )
  await auditEach(tx, lines, pending ? [] : noticesOf('earning.paid', rows, now, actsIn(rows)))
  if (pending) return ids
  await beforePaying?.()
  await payFromReturns(tx, rows, run)
  return ids
}

/** Locks users' active investments, so that no accrual is paid twice. @returns them by user, the oldest first, of users that exist */
async function lockActive(tx: Tx, userIds: readonly string[]): Promise<Map<string, InvestmentRow[]>> {
  const ofThese = sql<string>`ANY (${userIds}::uuid[])`
  const users = await tx.selectFrom('app.users').select('id').where('id', '=', ofThese).execute()
  await tx
    .selectFrom('app.investments')
    .select('id')
    .where('user_id', '=', ofThese)
    .where('status', '=', 'active')
    .orderBy('id')
    .forUpdate()
    .execute()
  const active = Map.groupBy(await activeInvestments(tx, userIds), ({ user_id }) => user_id)
  return new Map(users.map(({ id }) => [id, active.get(id) ?? []]))
}

/**
 * The investments of a user that earnings are added to.
 * @throws AppError not_found, no_active_investment
 */
function chosen(active: InvestmentRow[] | undefined, { investmentId }: Addition): InvestmentRow[] {
  if (active === undefined) throw new AppError('not_found', t('There is no such user'))
  if (active.length === 0) {
    throw new AppError(
      'no_active_investment',
      t('You can add earnings only for a user with an active investment.'),
    )
  }
  if (investmentId === undefined) return active
  const named = active.filter(({ id }) => id === investmentId)
  if (named.length > 0) return named
  throw new AppError('no_active_investment', t('This user has no such active investment.'))
}

function newEarnings(
  { userId, by, note = null, amountCents }: Addition,
  active: InvestmentRow[],
  now: Date,
): NewEarning[] {
  return sharesOf(active, amountCents, now).map(share => ({ ...share, userId, by, note }))
}

function sharesOf(active: InvestmentRow[], amountCents: bigint | undefined, now: Date): Share[] {
  if (amountCents !== undefined) {
    const one = active[0]!
    const beyond = amountCents - accruedUnpaid(one, now)
    return [{ investmentId: one.id, amountCents, beyondCents: beyond > 0n ? beyond : 0n }]
  }
  const shares = active
    .map(one => ({ investmentId: one.id, amountCents: accruedUnpaid(one, now), beyondCents: 0n }))
    .filter(share => share.amountCents > 0n)
  if (shares.length > 0) return shares
  throw new AppError('nothing_accrued', t('There are no unpaid accruals. Targets accrue by whole days.'))
}

/**
 * The second admin's approval: pending → paid (D7).
 * @throws AppError not_found, own_request, same_approver, wrong_state, insufficient_returns
 */
export async function approveEarning(tx: Tx, ctx: SignedInContext, id: string): Promise<void> {
  const admin = ctx.caller.userId
  const earning = await lockEarning(tx, id)
  requireOther('earning', earning.user_id, admin)
  requireStatus('earning', earning, 'approved')
  if (earning.created_by === admin) {
    throw new AppError('same_approver', t('You added this earning. A second person must approve it.'))
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
  await payFromReturns(tx, [{ ...earning, by: ctx }])
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
  requireStatus('earning', earning, 'declined')
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
  if (!row) throw new AppError('not_found', t('There is no such earning'))
  return row
}
