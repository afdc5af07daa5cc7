import { createHash } from 'node:crypto'
import { audit } from '#server/audit/log.ts'
import type { Services, SignedInContext, Tx } from '#server/context.ts'
import {
  accruedInvestmentsOfPlan,
  accruedUnpaid,
  type InvestmentRow,
  lockAccruedOfPlan,
} from '#server/investments/queries.ts'
import { percentOf } from '#server/plans/queries.ts'
import { type Listed, listed } from '#server/queries/paging.ts'
import { returnTotals } from '#server/returns/queries.ts'
import { currentSettings } from '#server/staff/settings-queries.ts'
import type { CallData } from '#shared/contract/define.ts'
import type { addPlanEarnings, previewPlanEarnings } from '#shared/contract/earnings.ts'
import type { PlanShare } from '#shared/contract/entities.ts'
import { AppError } from '#shared/errors.ts'
import { maximumPlanEarnings, planPreviewMinutes } from '#shared/limits.ts'
import { formatUsd, usdToJson } from '#shared/money.ts'
import { earningRefusals } from './messages.ts'
import { createEarnings } from './service.ts'
import { requireReturns } from './sources.ts'

type Db = Services['db']
type Share = { row: InvestmentRow; cents: bigint }
/** `more`: others exceed the most that are added at once. */
type Shares = { list: Share[]; totalCents: bigint; more: boolean; digest: string }
type PreviewScope = { planId: string; callerId: string; asOf: Date }

/** Investments read per query. */
const readBatch = 1_000

/**
 * Unpaid accruals of a plan's active investments (D4), without the caller's own and those of frozen accounts. Reads only investments with
 * accruals, until they exceed the most that are added at once.
 * @param lock locks the investments in this transaction, so that no accrual is paid twice
 */
async function sharesOf(db: Db, { planId, callerId, asOf }: PreviewScope, lock?: Tx): Promise<Shares> {
  const list: Share[] = []
  let after: string | undefined
  do {
    const part = { planId, exceptUser: callerId, asOf, after, limit: readBatch }
    const rows = lock ? await lockAccruedOfPlan(lock, part) : await accruedInvestmentsOfPlan(db, part)
    for (const row of rows) {
      const cents = accruedUnpaid(row, asOf)
      if (cents > 0n) list.push({ row, cents })
    }
    // A locked page may lack investments that were closed meanwhile; only an empty page is the last.
    after = rows.at(-1)?.id
  } while (after !== undefined && list.length <= maximumPlanEarnings)
  const some = list.slice(0, maximumPlanEarnings)
  const totalCents = some.reduce((sum, { cents }) => sum + cents, 0n)
  return { list: some, totalCents, more: list.length > some.length, digest: digestOf(planId, some) }
}

/** SHA-256 of every investment and its amount, in hex. */
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

function scopeOf(
  { services: { clock }, caller }: SignedInContext,
  planId: string,
  asOf?: string,
): PreviewScope {
  const now = clock.now()
  // Never preview accruals of the future.
  const isPast = asOf !== undefined && new Date(asOf) < now
  return { planId, callerId: caller.userId, asOf: isPast ? new Date(asOf) : now }
}

/**
 * Previews what adding a plan's earnings would pay.
 * @throws AppError not_found
 */
export async function previewPlan(
  ctx: SignedInContext,
  planId: string,
  asOf: string | undefined,
): Promise<CallData<typeof previewPlanEarnings>> {
  const { db, config } = ctx.services
  const scope = scopeOf(ctx, planId, asOf)
  const [plan, shares, returns, own, frozen, settings] = await Promise.all([
    requirePlan(db, planId),
    sharesOf(db, scope),
    returnTotals(db),
    ownActive(db, scope),
    frozenActive(db, scope),
    currentSettings(db, config),
  ])
  const began = shares.list.map(({ row }) => row.approved_at!.getTime())
  return {
    plan,
    asOf: scope.asOf.toISOString(),
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

async function ownActive(db: Db, { planId, callerId }: PreviewScope): Promise<number> {
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

/** Frozen accounts, without the caller: nothing is credited to them, and their accruals stay due. */
async function frozenActive(db: Db, { planId, callerId }: PreviewScope): Promise<number> {
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
 * The preview's investments, the newest first.
 * @throws AppError not_found, invalid_input
 */
export async function planShares(
  ctx: SignedInContext,
  planId: string,
  { asOf, ...page }: { limit: number; cursor?: string | undefined; asOf?: string | undefined },
): Promise<Listed<PlanShare>> {
  const { db } = ctx.services
  await requirePlan(db, planId)
  const { list } = await sharesOf(db, scopeOf(ctx, planId, asOf))
  const newestFirst = list.toReversed().map(share => ({ ...share, id: share.row.id }))
  const { rows, page: shown } = await listed(page, {
    rows: async (limit, below) =>
      newestFirst.filter(({ id }) => below === undefined || id < below).slice(0, limit),
    count: async () => newestFirst.length,
    idOf: ({ id }) => id,
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
 * Adds the previewed earnings in one transaction, or none if anything has changed since the preview.
 * @throws AppError not_found, preview_expired, preview_changed, nothing_accrued, insufficient_returns
 */
export async function addForPlan(
  tx: Tx,
  ctx: SignedInContext,
  planId: string,
  { asOf, digest, note }: Confirmed,
): Promise<CallData<typeof addPlanEarnings>> {
  const plan = await requirePlan(tx, planId)
  requireRecent(ctx, asOf)
  const { list, totalCents, ...found } = await sharesOf(tx, scopeOf(ctx, planId, asOf), tx)
  if (list.length === 0) {
    throw new AppError('nothing_accrued', 'This plan has no unpaid accruals.')
  }
  if (found.digest !== digest) {
    throw earningRefusals.error({ reason: 'preview_changed', count: list.length, totalCents })
  }
  await requireReturns(tx, totalCents)
  const shares = list.map(({ row, cents }) => ({
    userId: row.user_id,
    investmentId: row.id,
    amountCents: cents,
    beyondCents: 0n,
  }))
  await audit(tx, ctx, {
    action: 'earning.added_for_plan',
    subject: { kind: 'plan', id: planId },
    details: { plan, count: list.length, total: formatUsd(totalCents), asOf, digest },
    ...(note === undefined ? {} : { reason: note }),
  })
  const { status } = await createEarnings(tx, ctx, shares, note)
  return { plan, count: list.length, total: usdToJson(totalCents), status }
}

/** @throws AppError preview_expired, also for a preview of the future */
function requireRecent({ services: { clock } }: SignedInContext, asOf: string): void {
  const minutes = (clock.now().getTime() - new Date(asOf).getTime()) / 60_000
  if (minutes >= 0 && minutes <= planPreviewMinutes) return
  throw earningRefusals.error({ reason: 'preview_expired' })
}
