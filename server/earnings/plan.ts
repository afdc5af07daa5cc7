import { createHash } from 'node:crypto'
import { audit } from '#server/audit/log.ts'
import type { Services, SignedInContext, Tx } from '#server/context.ts'
import {
  accruedInvestmentsOfPlan,
  accruedUnpaid,
  type InvestmentRow,
  lockAccruedOfPlan,
} from '#server/investments/queries.ts'
import { recordedReturns } from '#server/ledger/balances.ts'
import { percentOf } from '#server/plans/queries.ts'
import { type Listed, listed } from '#server/queries/paging.ts'
import { currentSettings } from '#server/staff/settings-queries.ts'
import type { CallData } from '#shared/contract/define.ts'
import type { addPlanEarnings, previewPlanEarnings } from '#shared/contract/earnings.ts'
import type { PlanShare } from '#shared/contract/entities.ts'
import { AppError } from '#shared/errors.ts'
import { maximumPlanEarnings, planPreviewMinutes } from '#shared/limits.ts'
import { formatUsd, usdToJson } from '#shared/money.ts'
import { createEarnings } from './service.ts'
import { requireReturns } from './sources.ts'

type Db = Services['db']
type Share = { row: InvestmentRow; cents: bigint }
/** `more`: there are others beyond the most that are added at once. */
type Shares = { list: Share[]; totalCents: bigint; more: boolean; digest: string }
type Asked = { planId: string; callerId: string; asOf: Date }

/** Investments that are read at a time. */
const readTogether = 1_000

/**
 * What has accrued on a plan's active investments and is not paid, by the rule for one (D4); the caller's own are left
 * out, since nobody adds earnings for himself, and those of frozen accounts. However many investments the plan has, those are
 * read on which something has accrued, until they are more than can be added at once.
 * @param lock in whose transaction the investments are locked, so that nothing accrued is paid twice
 */
async function sharesOf(db: Db, { planId, callerId, asOf }: Asked, lock?: Tx): Promise<Shares> {
  const list: Share[] = []
  let after: string | undefined
  do {
    const part = { planId, exceptUser: callerId, asOf, after, limit: readTogether }
    const rows = lock ? await lockAccruedOfPlan(lock, part) : await accruedInvestmentsOfPlan(db, part)
    for (const row of rows) {
      const cents = accruedUnpaid(row, asOf)
      if (cents > 0n) list.push({ row, cents })
    }
    // Of a part that is locked those are missing that were closed meanwhile: only one without any is the last.
    after = rows.at(-1)?.id
  } while (after !== undefined && list.length <= maximumPlanEarnings)
  const some = list.slice(0, maximumPlanEarnings)
  const totalCents = some.reduce((sum, { cents }) => sum + cents, 0n)
  return { list: some, totalCents, more: list.length > some.length, digest: digestOf(planId, some) }
}

/** SHA-256 of every investment and its amount, in hex: of two lists that differ in anything it differs. */
function digestOf(planId: string, list: readonly Share[]): string {
  const hash = createHash('sha256').update(planId)
  for (const { row, cents } of list) hash.update(`\n${row.id} ${cents}`)
  return hash.digest('hex')
}

/** @throws AppError not_found */
async function requirePlan(db: Db, planId: string): Promise<string> {
  const plan = await db
    .selectFrom('app.plan_versions')
    .select('name')
    .where('plan_id', '=', planId)
    .orderBy('version', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (!plan) throw new AppError('not_found', 'There is no such plan')
  return plan.name
}

function askedBy({ services: { clock }, caller }: SignedInContext, planId: string, asOf?: string): Asked {
  const now = clock.now()
  // Nothing is shown that has not accrued yet.
  const isPast = asOf !== undefined && new Date(asOf) < now
  return { planId, callerId: caller.userId, asOf: isPast ? new Date(asOf) : now }
}

/**
 * What adding a plan's earnings would pay.
 * @throws AppError not_found
 */
export async function previewPlan(
  ctx: SignedInContext,
  planId: string,
  asOf: string | undefined,
): Promise<CallData<typeof previewPlanEarnings>> {
  const { db, config } = ctx.services
  const asked = askedBy(ctx, planId, asOf)
  const [plan, shares, returns, own, frozen, settings] = await Promise.all([
    requirePlan(db, planId),
    sharesOf(db, asked),
    recordedReturns(db),
    ownActive(db, asked),
    frozenActive(db, asked),
    currentSettings(db, config),
  ])
  const began = shares.list.map(({ row }) => row.approved_at!.getTime())
  return {
    plan,
    asOf: asked.asOf.toISOString(),
    count: shares.list.length,
    total: usdToJson(shares.totalCents),
    left: usdToJson(returns.leftCents),
    digest: shares.digest,
    more: shares.more,
    ownLeftOut: own,
    frozenLeftOut: frozen,
    latestBegan: began.length === 0 ? null : new Date(began.reduce((a, b) => Math.max(a, b))).toISOString(),
    needsApproval: settings.earningsSecondApproval,
  }
}

async function ownActive(db: Db, { planId, callerId }: Asked): Promise<number> {
  const { own } = await db
    .selectFrom('app.investments as i')
    .innerJoin('app.plan_versions as p', 'p.id', 'i.plan_version_id')
    .select(({ fn }) => fn.countAll<bigint>().as('own'))
    .where('p.plan_id', '=', planId)
    .where('i.user_id', '=', callerId)
    .where('i.status', '=', 'active')
    .executeTakeFirstOrThrow()
  return Number(own)
}

/** Of frozen accounts, beside the caller's own: nothing is credited to them, and what accrues stays due. */
async function frozenActive(db: Db, { planId, callerId }: Asked): Promise<number> {
  const { frozen } = await db
    .selectFrom('app.users as u')
    .innerJoin('app.investments as i', 'i.user_id', 'u.id')
    .innerJoin('app.plan_versions as p', 'p.id', 'i.plan_version_id')
    .select(({ fn }) => fn.countAll<bigint>().as('frozen'))
    .where('u.frozen_at', 'is not', null)
    .where('u.id', '<>', callerId)
    .where('p.plan_id', '=', planId)
    .where('i.status', '=', 'active')
    .executeTakeFirstOrThrow()
  return Number(frozen)
}

/**
 * The investments of such a preview, the newest first.
 * @throws AppError not_found, invalid_input
 */
export async function planShares(
  ctx: SignedInContext,
  planId: string,
  { asOf, ...page }: { limit: number; cursor?: string | undefined; asOf?: string | undefined },
): Promise<Listed<PlanShare>> {
  const { db } = ctx.services
  await requirePlan(db, planId)
  const { list } = await sharesOf(db, askedBy(ctx, planId, asOf))
  const newestFirst = list.toReversed().map(share => ({ ...share, id: share.row.id }))
  const { rows, page: shown } = await listed(page, {
    rows: async (limit, below) =>
      newestFirst.filter(({ id }) => below === undefined || id < below).slice(0, limit),
    count: async () => newestFirst.length,
  })
  return { rows: rows.map(presentShare), page: shown }
}

function presentShare({ row, cents }: Share): PlanShare {
  return {
    _id: row.id,
    invoiceId: row.invoice_id,
    user: row.user_id,
    userName: row.user_name,
    principal: usdToJson(row.amount_cents),
    percentage: percentOf(row.percentage_bp),
    approvedAt: row.approved_at!.toISOString(),
    amount: usdToJson(cents),
  }
}

type Confirmed = { asOf: string; digest: string; note?: string | undefined }

/**
 * Adds the earnings that were previewed, in one transaction: all, or none where anything of it is another by now.
 * @throws AppError not_found, wrong_state (the preview is old, or has changed), nothing_accrued, insufficient_returns
 */
export async function addForPlan(
  tx: Tx,
  ctx: SignedInContext,
  planId: string,
  { asOf, digest, note }: Confirmed,
): Promise<CallData<typeof addPlanEarnings>> {
  const plan = await requirePlan(tx, planId)
  requireRecent(ctx, asOf)
  const { list, totalCents, ...found } = await sharesOf(tx, askedBy(ctx, planId, asOf), tx)
  if (list.length === 0) {
    throw new AppError('nothing_accrued', 'Nothing has accrued on this plan that is not paid yet.')
  }
  if (found.digest !== digest) throw changed(list.length, totalCents)
  await requireReturns(tx, totalCents)
  const shares = list.map(({ row, cents }) => ({
    userId: row.user_id,
    investmentId: row.id,
    amountCents: cents,
  }))
  const { status } = await createEarnings(tx, ctx, shares, note)
  await audit(tx, ctx, {
    action: 'earning.added_for_plan',
    subject: { kind: 'plan', id: planId },
    details: { plan, count: list.length, total: formatUsd(totalCents), asOf, digest },
    ...(note === undefined ? {} : { reason: note }),
  })
  return { plan, count: list.length, total: usdToJson(totalCents), status }
}

/** What was looked at long ago is looked at again, and nothing is paid that has not accrued yet. */
function requireRecent({ services: { clock } }: SignedInContext, asOf: string): void {
  const minutes = (clock.now().getTime() - new Date(asOf).getTime()) / 60_000
  if (minutes >= 0 && minutes <= planPreviewMinutes) return
  throw new AppError(
    'wrong_state',
    `A preview can be confirmed for ${planPreviewMinutes} minutes. Look at it again before you confirm it.`,
  )
}

function changed(count: number, totalCents: bigint): AppError {
  const now = `${count} ${count === 1 ? 'earning' : 'earnings'}, ${formatUsd(totalCents)} in all`
  return new AppError(
    'wrong_state',
    `What has accrued has changed since you looked at it; it is now ${now}. Look at it again before you confirm it.`,
  )
}
