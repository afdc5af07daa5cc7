import { createHash } from 'node:crypto'
import { audit } from '#server/audit/log.ts'
import type { Services, SignedInContext, Tx } from '#server/context.ts'
import {
  accruedInvestmentsOfPlan,
  accruedUnpaid,
  type InvestmentRow,
  investmentsById,
} from '#server/investments/queries.ts'
import { percentOf } from '#server/plans/queries.ts'
import { type Listed, listed } from '#server/queries/paging.ts'
import { returnTotals } from '#server/returns/queries.ts'
import { currentSettings } from '#server/staff/settings-queries.ts'
import type { CallData } from '#shared/contract/define.ts'
import type { previewPlanEarnings } from '#shared/contract/earnings.ts'
import type { PlanRun, PlanShare } from '#shared/contract/entities.ts'
import { AppError } from '#shared/errors.ts'
import { earningPart, planPreviewMinutes } from '#shared/limits.ts'
import { formatUsd, usdToJson } from '#shared/money.ts'
import { earningRefusals } from './messages.ts'
import { latestRun } from './run-queries.ts'
import { addPart, enqueueRun, startRun } from './runs.ts'
import { needApproval } from './service.ts'
import { lockReturns, requireReturns, reservedReturns } from './sources.ts'

type Db = Services['db']
type Share = { id: string; approvedAt: Date; cents: bigint }
type Shares = { list: Share[]; totalCents: bigint; digest: string }
type PreviewScope = { planId: string; callerId: string; asOf: Date }

/** Investments read per query. */
const readBatch = 1_000

/**
 * Unpaid accruals of a plan's active investments (D4) in the order of their ids, without the caller's own and those of frozen
 * accounts. Reads only investments with accruals.
 */
async function sharesOf(db: Db, { planId, callerId, asOf }: PreviewScope): Promise<Shares> {
  const list: Share[] = []
  let after: string | undefined
  do {
    const part = { planId, exceptUser: callerId, asOf, after, limit: readBatch }
    const rows = await accruedInvestmentsOfPlan(db, part)
    for (const row of rows) {
      const cents = accruedUnpaid(row, asOf)
      if (cents > 0n) list.push({ id: row.id, approvedAt: row.approved_at!, cents })
    }
    after = rows.length < readBatch ? undefined : rows.at(-1)!.id
  } while (after !== undefined)
  const totalCents = list.reduce((sum, { cents }) => sum + cents, 0n)
  return { list, totalCents, digest: digestOf(planId, list) }
}

/** SHA-256 of every investment and its amount, in hex. */
function digestOf(planId: string, list: readonly Share[]): string {
  const hash = createHash('sha256').update(planId)
  for (const { id, cents } of list) hash.update(`\n${id} ${cents}`)
  return hash.digest('hex')
}

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
  const [plan, shares, returns, reservedCents, own, frozen, settings] = await Promise.all([
    requirePlan(db, planId),
    sharesOf(db, scope),
    returnTotals(db),
    reservedReturns(db),
    ownActive(db, scope),
    frozenActive(db, scope),
    currentSettings(db, config),
  ])
  const began = shares.list.reduce((latest, { approvedAt }) => Math.max(latest, approvedAt.getTime()), 0)
  return {
    plan,
    asOf: scope.asOf.toISOString(),
    count: shares.list.length,
    total: usdToJson(shares.totalCents),
    left: usdToJson(returns.leftCents > reservedCents ? returns.leftCents - reservedCents : 0n),
    digest: shares.digest,
    ownLeftOut: own,
    frozenLeftOut: frozen,
    latestBegan: began === 0 ? null : new Date(began).toISOString(),
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
  const newestFirst = list.toReversed()
  const { rows, page: shown } = await listed(page, {
    rows: async (limit, below) =>
      newestFirst.filter(({ id }) => below === undefined || id < below).slice(0, limit),
    count: async () => newestFirst.length,
    idOf: ({ id }) => id,
  })
  const investments =
    rows.length === 0
      ? []
      : await investmentsById(
          db,
          rows.map(({ id }) => id),
        )
  const byId = new Map(investments.map(row => [row.id, row]))
  return { rows: rows.map(({ id, cents }) => presentShare(byId.get(id)!, cents)), page: shown }
}

function presentShare(row: InvestmentRow, cents: bigint): PlanShare {
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
  const scope = scopeOf(ctx, planId, asOf)
  const { list, totalCents, ...found } = await sharesOf(tx, scope)
  if (list.length === 0) throw new AppError('nothing_accrued', 'This plan has no unpaid accruals.')
  if (found.digest !== digest) {
    throw earningRefusals.error({ reason: 'preview_changed', count: list.length, totalCents })
  }
  const needsApproval = await needApproval(tx, ctx.services.config, [])
  const confirmed = { planId, asOf: scope.asOf, digest, note: note ?? null, needsApproval }
  const run = await startRun(tx, ctx, confirmed, list, totalCents)
  await audit(tx, ctx, {
    action: 'earning.added_for_plan',
    subject: { kind: 'plan', id: planId },
    details: { plan, count: list.length, total: formatUsd(totalCents), asOf, digest },
    ...(note === undefined ? {} : { reason: note }),
  })
  if (list.length > earningPart && !needsApproval) await lockReturns(tx)
  await requireReturns(tx, totalCents, run)
  if (list.length > earningPart) await enqueueRun(tx, run)
  else await addPart(tx, ctx.services, run, ctx)
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
