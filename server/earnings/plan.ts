import { audit } from '#server/audit/log.ts'
import type { Services, SignedInContext, Tx } from '#server/context.ts'
import { accruedOfPlan, type PlanScope, unpaidAt } from '#server/investments/queries.ts'
import { percentOf } from '#server/plans/queries.ts'
import { countOf, type Listed, listed } from '#server/queries/paging.ts'
import { returnTotals } from '#server/returns/queries.ts'
import { currentSettings } from '#server/staff/settings-queries.ts'
import type { CallData } from '#shared/contract/define.ts'
import type { previewPlanEarnings } from '#shared/contract/earnings.ts'
import type { PlanRun, PlanShare } from '#shared/contract/entities.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { earningPart, planPreviewMinutes } from '#shared/limits.ts'
import { formatUsd, usdToJson } from '#shared/money.ts'
import { summarise } from './accruals.ts'
import { earningRefusals } from './messages.ts'
import { addPart } from './run-part.ts'
import { latestRun } from './run-queries.ts'
import { enqueueRun, startRun } from './runs.ts'
import { earningsNeedApproval } from './service.ts'
import { lockReturns, requireReturns, reservedReturns } from './sources.ts'

type Db = Services['db']

/**
 * The plan's newest name.
 * @throws AppError not_found
 */
export async function requirePlan(db: Db, planId: string): Promise<string> {
  const plan = await db
    .selectFrom('app.plan_versions')
    .select('name')
    .where('plan_id', '=', planId)
    .orderBy('version', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (!plan) throw new AppError('not_found', t('There is no such plan'))
  return plan.name
}

function scopeOf({ services: { clock }, caller }: SignedInContext, planId: string, asOf?: string): PlanScope {
  const now = clock.now()
  // Never preview accruals of the future.
  const isPast = asOf !== undefined && new Date(asOf) < now
  return { planId, exceptUser: caller.userId, asOf: isPast ? new Date(asOf) : now }
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
  const [plan, found, returns, reservedCents, own, frozen, settings] = await Promise.all([
    requirePlan(db, planId),
    summarise(db, scope),
    returnTotals(db),
    reservedReturns(db),
    ownActive(db, scope),
    frozenActive(db, scope),
    currentSettings(db, config),
  ])
  return {
    plan,
    asOf: scope.asOf.toISOString(),
    count: found.count,
    total: usdToJson(found.cents),
    left: usdToJson(returns.leftCents > reservedCents ? returns.leftCents - reservedCents : 0n),
    digest: found.digest,
    ownLeftOut: own,
    frozenLeftOut: frozen,
    latestBegan: found.began?.toISOString() ?? null,
    needsApproval: settings.earningsSecondApproval,
  }
}

async function ownActive(db: Db, { planId, exceptUser }: PlanScope): Promise<number> {
  const { own } = await db
    .selectFrom('app.investments as i')
    .innerJoin('app.plan_versions as p', 'p.id', 'i.plan_version_id')
    .select(({ fn }) => fn.countAll<bigint>().as('own'))
    .where('p.plan_id', '=', planId)
    .where('i.user_id', '=', exceptUser)
    .where('i.status', '=', 'active')
    .executeTakeFirstOrThrow()
  return Number(own)
}

/** Frozen accounts, without the caller: nothing is credited to them, and their accruals stay due. */
async function frozenActive(db: Db, { planId, exceptUser }: PlanScope): Promise<number> {
  const { frozen } = await db
    .selectFrom('app.users as u')
    .innerJoin('app.investments as i', 'i.user_id', 'u.id')
    .innerJoin('app.plan_versions as p', 'p.id', 'i.plan_version_id')
    .select(({ fn }) => fn.countAll<bigint>().as('frozen'))
    .where('u.frozen_at', 'is not', null)
    .where('u.id', '<>', exceptUser)
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
  const scope = scopeOf(ctx, planId, asOf)
  const { rows, page: shown } = await listed(page, {
    rows: (limit, below) => sharesBelow(db, scope, below).limit(limit).execute(),
    count: () => countOf(db, accruedOfPlan(db, scope)),
    idOf: ({ id }) => id,
  })
  return { rows: rows.map(presentShare), page: shown }
}

function sharesBelow(db: Db, scope: PlanScope, below: string | undefined) {
  return accruedOfPlan(db, scope)
    .select(({ ref }) => [
      'i.id',
      'i.invoice_id',
      'i.user_id',
      'u.name as user_name',
      'i.amount_cents',
      ref('p.percentage_bp').$notNull().as('percentage_bp'),
      ref('i.approved_at').$notNull().as('approved_at'),
      unpaidAt(scope.asOf).as('cents'),
    ])
    .$if(below !== undefined, query => query.where('i.id', '<', below!))
    .orderBy('i.id', 'desc')
}

type ShareRow = Awaited<ReturnType<ReturnType<typeof sharesBelow>['execute']>>[number]

function presentShare(row: ShareRow): PlanShare {
  return {
    _id: row.id,
    invoiceId: row.invoice_id,
    user: row.user_id,
    userName: row.user_name,
    principal: usdToJson(row.amount_cents),
    percentage: percentOf(row.percentage_bp),
    approvedAt: row.approved_at.toISOString(),
    amount: usdToJson(row.cents),
  }
}

type Confirmed = { asOf: string; digest: string; note?: string | undefined }

/**
 * Starts the run of a previewed plan's earnings, with exactly the previewed investments and amounts. One part is added in this
 * transaction, or nothing is; more are left to a job, and recorded returns are reserved for them.
 * @throws AppError not_found, preview_expired, preview_changed, run_open, nothing_accrued, insufficient_returns
 */
export async function addForPlan(
  tx: Tx,
  ctx: SignedInContext,
  planId: string,
  { asOf, digest, note }: Confirmed,
): Promise<PlanRun> {
  const plan = await requirePlan(tx, planId)
  requireRecent(ctx, asOf)
  await lockPlan(tx, planId)
  const needsApproval = await earningsNeedApproval(tx, ctx.services.config)
  const scope = scopeOf(ctx, planId, asOf)
  const {
    run,
    count,
    cents,
    digest: found,
  } = await startRun(tx, ctx, scope, { note: note ?? null, needsApproval })
  if (count === 0) throw new AppError('nothing_accrued', t('This plan has no unpaid accruals.'))
  if (found !== digest) throw earningRefusals.error({ reason: 'preview_changed', count, totalCents: cents })
  await audit(tx, ctx, {
    action: 'earning.added_for_plan',
    subject: { kind: 'plan', id: planId },
    details: { plan, count, total: formatUsd(cents), asOf, digest },
    ...(note === undefined ? {} : { reason: note }),
  })
  if (count > earningPart && !needsApproval) await lockReturns(tx)
  await requireReturns(tx, cents, run)
  if (count > earningPart) await enqueueRun(tx, run)
  else await addPart(tx, ctx.services, run, { by: ctx })
  return (await latestRun(tx, planId))!
}

/** One at a time confirms earnings of a plan. @throws AppError run_open */
async function lockPlan(tx: Tx, planId: string): Promise<void> {
  await tx
    .selectFrom('app.plan_versions')
    .select('id')
    .where('plan_id', '=', planId)
    .where('version', '=', 1)
    .forNoKeyUpdate()
    .execute()
  const open = await latestRun(tx, planId)
  if (open?.status === 'running') throw earningRefusals.error({ reason: 'run_open' })
}

/** @throws AppError preview_expired, also for a preview of the future */
function requireRecent({ services: { clock } }: SignedInContext, asOf: string): void {
  const minutes = (clock.now().getTime() - new Date(asOf).getTime()) / 60_000
  if (minutes >= 0 && minutes <= planPreviewMinutes) return
  throw earningRefusals.error({ reason: 'preview_expired' })
}
