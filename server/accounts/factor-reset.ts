import { audit } from '#server/audit/log.ts'
import type { SignedInContext, Tx } from '#server/context.ts'
import { notifySecurity } from '#server/notifications/security.ts'
import { lockStaff } from '#server/staff/admins.ts'
import { type ProposalRow, propose } from '#server/staff/proposals.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { resetObjectionHours } from '#shared/limits.ts'
import { dropFactors, lockAccount } from './factors.ts'
import { accountRefusals } from './messages.ts'
import { endSessions } from './sessions.ts'

/**
 * Proposes to reset the factors of someone who has lost them. They are notified and can object before a second admin approves.
 * @throws AppError forbidden, not_found, own_request; no_factors, and what `propose` refuses
 */
export async function proposeFactorReset(
  tx: Tx,
  ctx: SignedInContext,
  { email, reason }: { email: string; reason: string },
): Promise<string> {
  const others = await lockStaff(tx, ctx)
  const user = await tx.selectFrom('app.users').select('id').where('email', '=', email).executeTakeFirst()
  if (!user) {
    const message = t('No account has this email')
    throw new AppError('not_found', message, { fields: { email: message } })
  }
  if (user.id === ctx.caller.userId) {
    throw new AppError(
      'own_request',
      t('You cannot reset your own two-factor authentication. Ask another admin.'),
    )
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
  if (!has) throw accountRefusals.error({ reason: 'no_factors' })
}

/**
 * Carries out an approved reset; in live mode only after the owner has had time to object.
 * @throws AppError objection_period, no_factors
 */
export async function resetAsProposed(
  tx: Tx,
  ctx: SignedInContext,
  { user_id, reason, created_at }: ProposalRow,
): Promise<void> {
  const { clock, config } = ctx.services
  const canObject = created_at.getTime() + resetObjectionHours * 3_600_000 > clock.now().getTime()
  if (config.mode === 'live' && canObject) {
    throw accountRefusals.error({ reason: 'objection_period', hours: resetObjectionHours })
  }
  await resetFactors(tx, ctx, user_id!, reason)
}

/** Removes every factor of an account and ends its sessions: the password alone opens it from then on. */
async function resetFactors(tx: Tx, ctx: SignedInContext, userId: string, reason: string): Promise<void> {
  await lockAccount(tx, userId)
  await requireFactors(tx, userId)
  await dropFactors(tx, userId)
  await endSessions(tx, ctx, { userId })
  await audit(tx, ctx, { action: 'second_factors.reset', subject: { kind: 'user', id: userId }, reason })
  await notifySecurity(tx, ctx, 'second_factors.reset', { userId })
}
