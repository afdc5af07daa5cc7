import { requireCanAdminister } from '#server/accounts/can-administer.ts'
import { nameOf } from '#server/accounts/queries.ts'
import { audit } from '#server/audit/log.ts'
import type { SignedInContext, Tx } from '#server/context.ts'
import type { CaseDecision } from '#shared/monitoring.ts'
import { monitoringRefusals } from './messages.ts'
import { noSuchCase } from './queries.ts'

/**
 * Closes a case: nothing unusual, or reported to the authority. It moves no money and stops none.
 * @param reason for staff
 * @throws AppError own_request, forbidden, not_found; case_decided
 */
export async function decideCase(
  tx: Tx,
  ctx: SignedInContext,
  id: string,
  { decision, reason }: { decision: CaseDecision; reason: string },
): Promise<void> {
  const found = await tx
    .selectFrom('app.monitoring_cases as c')
    .select(['c.user_id', 'c.rule', 'c.decided_by'])
    .where('c.id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  if (!found) throw noSuchCase()
  await requireCanAdminister(tx, ctx.caller, found.user_id)
  if (found.decided_by !== null) {
    throw monitoringRefusals.error({ reason: 'case_decided', by: await nameOf(tx, found.decided_by) })
  }
  await tx
    .updateTable('app.monitoring_cases')
    .set({ decision, reason, decided_at: ctx.services.clock.now(), decided_by: ctx.caller.userId })
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  await audit(tx, ctx, {
    action: 'monitoring.decided',
    subject: { kind: 'user', id: found.user_id },
    reason,
    moved: ['open', decision],
    details: { case: id, rule: found.rule },
  })
}
