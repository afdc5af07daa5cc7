import { audit } from '#server/audit/log.ts'
import type { SignedInContext, Tx } from '#server/context.ts'
import { newId } from '#server/platform/id.ts'
import { isTaken, lockVersions, requireLatestVersion } from '#server/queries/versions.ts'
import type { AuditAction } from '#shared/audit.ts'
import type { VersionChange } from '#shared/contract/entities.ts'
import { mostPlans } from '#shared/contract/plans.ts'
import { AppError, invalidField } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { planRefusals } from './messages.ts'
import { latestPlans, type PlanRow, presentPlan } from './queries.ts'

/** The terms of one plan version. */
export type PlanTermsBody = Pick<
  PlanRow,
  'name' | 'percentage_bp' | 'minimum_cents' | 'maximum_cents' | 'duration' | 'duration_days' | 'note'
>

/**
 * Adds a plan at the end of the catalogue (N-14).
 * @throws AppError invalid_input if the maximum is below the minimum, the name is taken, or there are too many plans
 */
export async function addPlan(
  tx: Tx,
  ctx: SignedInContext,
  terms: PlanTermsBody,
  reason: string,
): Promise<PlanRow> {
  const all = await lockPlans(tx)
  requireValid(terms, all)
  if (all.length >= mostPlans)
    throw new AppError('invalid_input', t('There can be at most {maximum} plans', { maximum: mostPlans }))
  const position = Math.max(-1, ...all.map(plan => plan.position)) + 1
  return writeVersion(tx, ctx, undefined, { ...terms, position }, 'created', reason)
}

/**
 * Stores a new version of a plan; investments keep the version they were made under (D4).
 * @param by the version that was edited, if given, and the reason
 * @throws AppError not_found; plan_retired; wrong_state if another admin was faster; invalid_input if the maximum is below
 *   the minimum or the name is taken
 */
export async function updatePlan(
  tx: Tx,
  ctx: SignedInContext,
  planId: string,
  terms: PlanTermsBody,
  by: { version: number | undefined; reason: string | undefined },
): Promise<PlanRow> {
  const all = await lockPlans(tx)
  const before = requireOne(all, planId)
  requireLatestVersion(before.version, by.version, 'plan')
  if (!before.current) throw planRefusals.error({ reason: 'plan_retired' })
  requireValid(terms, all, planId)
  return writeVersion(tx, ctx, before, terms, 'changed', by.reason)
}

/** @throws AppError not_found; already_retired */
export async function retirePlan(
  tx: Tx,
  ctx: SignedInContext,
  planId: string,
  reason: string,
): Promise<PlanRow> {
  const before = requireOne(await lockPlans(tx), planId)
  if (!before.current) throw planRefusals.error({ reason: 'already_retired' })
  return writeVersion(tx, ctx, before, {}, 'retired', reason)
}

/** @throws AppError not_found; already_in_force; invalid_input if another plan now has its name */
export async function restorePlan(
  tx: Tx,
  ctx: SignedInContext,
  planId: string,
  reason: string,
): Promise<PlanRow> {
  const all = await lockPlans(tx)
  const before = requireOne(all, planId)
  if (before.current) throw planRefusals.error({ reason: 'already_in_force' })
  requireFreeName(before.name, all, planId)
  return writeVersion(tx, ctx, before, {}, 'restored', reason)
}

/** @throws AppError order_outdated if the ids are not exactly the plans' */
export async function orderPlans(tx: Tx, ctx: SignedInContext, ids: string[]): Promise<void> {
  const all = await lockPlans(tx)
  const names = new Map(all.map(plan => [plan.plan_id, plan.name]))
  if (ids.length !== names.size || ids.some(id => !names.has(id)) || new Set(ids).size !== ids.length) {
    throw planRefusals.error({ reason: 'order_outdated' })
  }
  for (const [position, id] of ids.entries()) {
    await tx.updateTable('app.plan_versions').set({ position }).where('plan_id', '=', id).execute()
  }
  const details = { before: { order: [...names.values()] }, after: { order: ids.map(id => names.get(id)) } }
  await audit(tx, ctx, { action: 'plan.ordered', subject: { kind: 'plan', id: null }, details })
}

async function lockPlans(tx: Tx): Promise<PlanRow[]> {
  await lockVersions(tx, 'plans')
  return latestPlans(tx)
}

function requireOne(all: PlanRow[], planId: string): PlanRow {
  const found = all.find(plan => plan.plan_id === planId)
  if (!found) throw new AppError('not_found', t('Plan not found'))
  return found
}

function requireValid(terms: PlanTermsBody, all: PlanRow[], planId?: string): void {
  const { minimum_cents, maximum_cents } = terms
  if (maximum_cents !== null && maximum_cents < minimum_cents) {
    throw invalidField('maximum', t('The maximum must be at least the minimum'))
  }
  requireFreeName(terms.name, all, planId)
}

function requireFreeName(name: string, all: PlanRow[], planId?: string): void {
  const taken = all.some(
    plan => plan.current && plan.plan_id !== planId && plan.name.toLowerCase() === name.toLowerCase(),
  )
  if (taken) throw nameTaken()
}

function nameTaken(): AppError {
  return invalidField('name', t('Another plan has this name'))
}

const actions = {
  created: 'plan.added',
  changed: 'plan.updated',
  retired: 'plan.retired',
  restored: 'plan.restored',
} satisfies Record<VersionChange, AuditAction>

type Columns = PlanTermsBody & { position: number }

/** Stores the version after `before`, or the first one, and audits the change. */
async function writeVersion(
  tx: Tx,
  ctx: SignedInContext,
  before: PlanRow | undefined,
  changes: Partial<Columns>,
  change: VersionChange,
  reason: string | undefined,
): Promise<PlanRow> {
  const now = ctx.services.clock.now()
  const id = newId(now)
  const planId = before?.plan_id ?? id
  await tx
    .updateTable('app.plan_versions')
    .set({ current: false })
    .where('plan_id', '=', planId)
    .where('current', '=', true)
    .execute()
  const after = await tx
    .insertInto('app.plan_versions')
    .values({
      ...((before ? { ...before, ...changes } : changes) as Columns),
      id,
      plan_id: planId,
      version: (before?.version ?? 0) + 1,
      current: change !== 'retired',
      change,
      reason: reason ?? null,
      created_by: ctx.caller.userId,
      created_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
    .catch(error => {
      throw isTaken(error, 'plan_versions_current_name') ? nameTaken() : error
    })
  await audit(tx, ctx, {
    action: actions[change],
    subject: { kind: 'plan', id: planId },
    ...(reason && { reason }),
    details: { ...(before && { before: presentPlan(before) }), after: presentPlan(after) },
  })
  return after
}
