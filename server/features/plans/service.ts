import type { SignedInContext, Tx } from '#server/context.ts'
import { newId } from '#server/platform/id.ts'
import { audit } from '#server/records/audit.ts'
import { type PlanRow, presentPlan } from '#server/records/plans.ts'
import { AppError } from '#shared/errors.ts'

/** The terms of a plan as a new version says them. */
export type PlanTermsBody = Pick<
  PlanRow,
  'name' | 'percentage_bp' | 'minimum_cents' | 'maximum_cents' | 'duration' | 'duration_days' | 'note'
>

/**
 * Makes a new version of a plan; investments keep the version that they were made under (D4).
 * @throws AppError not_found; wrong_state where another admin was quicker; invalid_input where the maximum is below the
 *   minimum or another plan has the name
 */
export async function updatePlan(
  tx: Tx,
  ctx: SignedInContext,
  planId: string,
  terms: PlanTermsBody,
): Promise<PlanRow> {
  const before = await tx
    .selectFrom('app.plan_versions')
    .selectAll()
    .where('plan_id', '=', planId)
    .where('current', '=', true)
    .forUpdate()
    .executeTakeFirst()
  if (!before) throw await missing(tx, planId)
  requireRange(terms)
  await tx.updateTable('app.plan_versions').set({ current: false }).where('id', '=', before.id).execute()
  const now = ctx.services.clock.now()
  const after = await tx
    .insertInto('app.plan_versions')
    .values({
      ...terms,
      id: newId(now),
      plan_id: planId,
      version: before.version + 1,
      current: true,
      position: before.position,
      created_by: ctx.caller.userId,
      created_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
    .catch(error => {
      throw nameTaken(error) ?? error
    })
  const details = { before: presentPlan(before), after: presentPlan(after) }
  await audit(tx, ctx, { action: 'plan.updated', subject: { kind: 'plan', id: planId }, details })
  return after
}

function requireRange({ minimum_cents, maximum_cents }: PlanTermsBody): void {
  if (maximum_cents === null || maximum_cents >= minimum_cents) return
  const message = 'The maximum must be at least the minimum'
  throw new AppError('invalid_input', message, { fields: { maximum: message } })
}

/** Two plans in force never have one name: the unique index says so, also where two admins choose it at once. */
function nameTaken(error: unknown): AppError | undefined {
  const { constraint } = error as { constraint?: unknown }
  if (constraint !== 'plan_versions_current_name') return undefined
  const message = 'Another plan has this name'
  return new AppError('invalid_input', message, { fields: { name: message } })
}

async function missing(tx: Tx, planId: string): Promise<AppError> {
  const known = await tx
    .selectFrom('app.plan_versions')
    .select('id')
    .where('plan_id', '=', planId)
    .limit(1)
    .executeTakeFirst()
  return known
    ? new AppError('wrong_state', 'This plan was changed by somebody else just now. Reload and try again.')
    : new AppError('not_found', 'There is no such plan')
}
