import { audit } from '#server/audit/log.ts'
import type { SignedInContext, Tx } from '#server/context.ts'
import { notifySecurity } from '#server/notifications/security.ts'
import { lockStaff } from '#server/staff/lock.ts'
import { type ProposalRow, propose } from '#server/staff/proposals.ts'
import { AppError } from '#shared/errors.ts'
import { resetObjectionHours } from '#shared/limits.ts'
import { dropFactors, lockAccount } from './factors.ts'
import { endSessions } from './sessions.ts'

/**
 * Proposes that somebody who has lost his second factors gets in without them. He is told, and can object, before another
 * admin approves it.
 * @throws AppError forbidden, not_found, own_request; wrong_state where he has none, where it is proposed already, or where
 *   there is no second admin
 */
export async function proposeFactorReset(
  tx: Tx,
  ctx: SignedInContext,
  { email, reason }: { email: string; reason: string },
): Promise<string> {
  const others = await lockStaff(tx, ctx)
  const user = await tx.selectFrom('app.users').select('id').where('email', '=', email).executeTakeFirst()
  if (!user) {
    const message = 'There is no account with this email'
    throw new AppError('not_found', message, { fields: { email: message } })
  }
  if (user.id === ctx.caller.userId) {
    throw new AppError('own_request', 'These second factors are your own. Another admin must propose it.')
  }
  await requireFactors(tx, user.id)
  const id = await propose(tx, ctx, others, { kind: 'second_factors', userId: user.id, content: {}, reason })
  const subject = { kind: 'user', id: user.id }
  await audit(tx, ctx, { action: 'second_factors.reset_proposed', subject, reason })
  await notifySecurity(tx, ctx, 'second_factors.reset_proposed', { userId: user.id })
  return id
}

async function requireFactors(tx: Tx, userId: string): Promise<void> {
  const has = await tx
    .selectFrom('app.users as u')
    .select('u.id')
    .where('u.id', '=', userId)
    .where(({ or, exists, selectFrom }) =>
      or([
        exists(selectFrom('app.second_factors as f').select('f.user_id').whereRef('f.user_id', '=', 'u.id')),
        exists(selectFrom('app.passkeys as p').select('p.id').whereRef('p.user_id', '=', 'u.id')),
      ]),
    )
    .executeTakeFirst()
  if (!has) throw new AppError('wrong_state', 'This account has no second factor to reset')
}

/**
 * What two admins have agreed on; in a live firm not before the owner has had time to object.
 * @throws AppError wrong_state
 */
export async function resetAsProposed(
  tx: Tx,
  ctx: SignedInContext,
  { user_id, reason, created_at }: ProposalRow,
): Promise<void> {
  const { clock, config } = ctx.services
  const waits = created_at.getTime() + resetObjectionHours * 3_600_000 > clock.now().getTime()
  if (config.mode === 'live' && waits) {
    const message = `The owner has ${resetObjectionHours} hours to object. Approve it ${resetObjectionHours} hours after it was proposed.`
    throw new AppError('wrong_state', message)
  }
  await resetFactors(tx, ctx, user_id!, reason)
}

/** Takes an account's factors away, all of them, and ends its sessions: the password alone opens it then. */
async function resetFactors(tx: Tx, ctx: SignedInContext, userId: string, reason: string): Promise<void> {
  await lockAccount(tx, userId)
  await requireFactors(tx, userId)
  await dropFactors(tx, userId)
  await endSessions(tx, ctx, { userId })
  await audit(tx, ctx, { action: 'second_factors.reset', subject: { kind: 'user', id: userId }, reason })
  await notifySecurity(tx, ctx, 'second_factors.reset', { userId })
}
