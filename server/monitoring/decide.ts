import { sql } from 'kysely'
import { requireCanAdminister } from '#server/accounts/can-administer.ts'
import { nameOf } from '#server/accounts/queries.ts'
import { audit } from '#server/audit/log.ts'
import type { SignedInContext, Tx } from '#server/context.ts'
import type { CaseDecision } from '#shared/monitoring.ts'
import { monitoringRefusals } from './messages.ts'
import { noSuchCase } from './queries.ts'

/**
 * Closes a case: nothing unusual, or reported to the authority. It moves no money and stops none.
 * @param newest the account's newest movement that the person has seen
 * @param reason for staff
 * @throws AppError forbidden, not_found (also to the account's owner); case_decided, case_moved
 */
export async function decideCase(
  tx: Tx,
  ctx: SignedInContext,
  id: string,
  { decision, newest, reason }: { decision: CaseDecision; newest: string; reason: string },
): Promise<void> {
  const found = await tx
    .selectFrom('app.monitoring_cases as c')
    .select(['c.user_id', 'c.rule', 'c.decided_by'])
    .where('c.id', '=', id)
    .where('c.user_id', '<>', ctx.caller.userId)
    .forUpdate()
    .executeTakeFirst()
  if (!found) throw noSuchCase()
  await requireCanAdminister(tx, ctx.caller, found.user_id)
  if (found.decided_by !== null) {
    throw monitoringRefusals.error({ reason: 'case_decided', by: await nameOf(tx, found.decided_by) })
  }
  const last = await newestMovement(tx, found.user_id)
  if (last?.id !== newest) throw monitoringRefusals.error({ reason: 'case_moved' })
  await tx
    .updateTable('app.monitoring_cases')
    .set({
      decision,
      reason,
      decided_at: ctx.services.clock.now(),
      decided_by: ctx.caller.userId,
      through: sql<Date>`${last.at}::timestamptz`,
    })
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

/** `at` as text, which keeps the database's microseconds. */
async function newestMovement(tx: Tx, userId: string): Promise<{ id: string; at: string } | undefined> {
  const { rows } = await sql<{ id: string; at: string }>`
    SELECT id, at::text FROM app.outside_movements WHERE user_id = ${userId} ORDER BY outside_movements.at DESC, id DESC LIMIT 1`.execute(
    tx,
  )
  return rows[0]
}
