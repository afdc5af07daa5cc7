import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { nameOf } from '#server/accounts/queries.ts'
import { endSessions } from '#server/accounts/sessions.ts'
import { audit } from '#server/audit/log.ts'
import type { SignedInContext, Tx } from '#server/context.ts'
import { notifySecurity } from '#server/notifications/security.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { defineList } from '#server/queries/list.ts'
import { AppError } from '#shared/errors.ts'
import { t, translate } from '#shared/i18n/t.ts'
import { gainsPower, type Role, roleNames, roles } from '#shared/roles.ts'
import { type Admin, emailAdmins, isOnlyAdminEver, lockStaff } from './admins.ts'
import {
  type Invited,
  requireInvitable,
  sendInvitation,
  withdrawOpenInvitations,
  withdrawSoleAdminInvitations,
} from './invitations.ts'
import { staffRefusals } from './messages.ts'
import { propose, withdrawProposalsOf } from './proposals.ts'

/** The proposal that waits for a second admin; null if the action is done. */
export type Outcome = { proposal: string | null }

/** All staff, newest first, including those whose access has ended. */
export const staffList = defineList({
  from: (db: Kysely<Schema>) => db.selectFrom('app.users as u').where('u.type', '=', 'admin'),
  columns: query =>
    query.select([
      'u.id',
      'u.name',
      'u.email',
      'u.role',
      'u.access_ended_at',
      sql<boolean>`EXISTS (SELECT FROM app.second_factors f WHERE f.user_id = u.id AND f.confirmed_at IS NOT NULL)
        OR EXISTS (SELECT FROM app.passkeys p WHERE p.user_id = u.id AND p.refused_at IS NULL)`.as(
        'second_factor',
      ),
      sql<Date | null>`(SELECT a.at FROM app.audit_log a WHERE a.actor_id = u.id AND a.action = 'login'
        ORDER BY a.id DESC LIMIT 1)`.as('last_login_at'),
    ]),
  present: rows =>
    rows.map(row => ({
      _id: row.id,
      name: row.name,
      email: row.email,
      role: row.role!,
      secondFactor: row.second_factor,
      lastLoginAt: row.last_login_at?.toISOString() ?? null,
      accessEndedAt: row.access_ended_at?.toISOString() ?? null,
    })),
  id: 'u.id',
  status: { known: roles, column: 'u.role' },
  search: { texts: ['u.name', 'u.email'], ids: ['u.id'] },
})

/**
 * True if a second admin must approve, because someone would gain the right to decide or manage. Only the first admin, who
 * has no second one yet, does it alone.
 * @throws AppError only_admin_left
 */
async function needsSecond(
  tx: Tx,
  { caller }: SignedInContext,
  others: readonly Admin[],
  [before, after]: [Role | null, Role],
): Promise<boolean> {
  if (!gainsPower(before, after)) return false
  if (others.length === 0 && !(await isOnlyAdminEver(tx, caller.userId))) {
    throw staffRefusals.error({ reason: 'only_admin_left' })
  }
  return others.length > 0
}

/**
 * Invites someone; a powerful role needs a second admin's approval (`needsSecond`).
 * @throws AppError forbidden, email_taken; already_proposed, only_admin_left
 */
export async function invite(
  tx: Tx,
  ctx: SignedInContext,
  { reason, ...invited }: Invited & { reason: string },
): Promise<Outcome> {
  const others = await lockStaff(tx, ctx)
  await requireInvitable(tx, invited.email)
  if (await needsSecond(tx, ctx, others, [null, invited.role])) {
    return { proposal: await propose(tx, ctx, others, { kind: 'invitation', content: invited, reason }) }
  }
  await performInvitation(tx, ctx, others, invited, { reason, by: ctx.caller.userId })
  return { proposal: null }
}

/** @param why.by the inviter, who is not the caller when an approval sends the invitation */
export async function performInvitation(
  tx: Tx,
  ctx: SignedInContext,
  others: readonly Admin[],
  invited: Invited,
  why: { reason: string; by: string },
): Promise<void> {
  await requireInvitable(tx, invited.email)
  await sendInvitation(tx, ctx, invited, why)
  const by = await nameOf(tx, ctx.caller.userId)
  const { name, email, role } = invited
  await emailAdmins(tx, ctx, others, () => ({
    subject: t('{name} was invited to the team', { name }),
    paragraphs: [
      t('{by} invited {name} ({email}) with the role {role}.', {
        by,
        name,
        email,
        role: translate(roleNames[role]),
      }),
      t('Reason: {reason}', { reason: why.reason }),
    ],
  }))
}

type Member = { id: string; name: string; email: string; role: Role }

/**
 * A member of staff who has access.
 * @throws AppError not_found; access_ended
 */
export async function memberOf(tx: Tx, id: string): Promise<Member> {
  const user = await tx
    .selectFrom('app.users')
    .select(['id', 'name', 'email', 'role', 'access_ended_at'])
    .where('id', '=', id)
    .where('type', '=', 'admin')
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (!user) throw new AppError('not_found', t('Team member not found'))
  if (user.access_ended_at !== null) {
    throw staffRefusals.error({ reason: 'access_ended', name: user.name })
  }
  return { id: user.id, name: user.name, email: user.email, role: user.role! }
}

/**
 * Changes a role and ends the member's sessions, which carry the old one. A powerful role needs a second admin's approval
 * (`needsSecond`).
 * @throws AppError forbidden, own_request, not_found; access_ended, same_role, already_proposed, only_admin_left
 */
export async function changeRole(
  tx: Tx,
  ctx: SignedInContext,
  id: string,
  { role, reason }: { role: Role; reason: string },
): Promise<Outcome> {
  if (id === ctx.caller.userId) {
    throw new AppError('own_request', t('You cannot change your own role. Another admin must do it.'))
  }
  const others = await lockStaff(tx, ctx)
  const member = await memberOf(tx, id)
  if (member.role === role) throw staffRefusals.error({ reason: 'same_role', name: member.name })
  if (await needsSecond(tx, ctx, others, [member.role, role])) {
    const content = { before: member.role, after: role }
    return { proposal: await propose(tx, ctx, others, { kind: 'role', userId: id, content, reason }) }
  }
  await performRole(tx, ctx, others, member, { role, reason })
  return { proposal: null }
}

export async function performRole(
  tx: Tx,
  ctx: SignedInContext,
  others: readonly Admin[],
  member: Member,
  { role, reason }: { role: Role; reason: string },
): Promise<void> {
  const { id, name, email } = member
  if (role === 'admin') await withdrawSoleAdminInvitations(tx, ctx.services.clock.now(), [ctx.caller.userId])
  await tx.updateTable('app.users').set({ role }).where('id', '=', id).execute()
  await endSessions(tx, ctx, { userId: id })
  if (role !== 'admin') await withdrawPending(tx, ctx, id)
  const details = { before: member.role, after: role }
  await audit(tx, ctx, { action: 'staff.role_changed', subject: { kind: 'user', id }, reason, details })
  await notifySecurity(tx, ctx, 'role.changed', { userId: id })
  const recipients = others.filter(admin => admin.id !== id)
  const by = await nameOf(tx, ctx.caller.userId)
  await emailAdmins(tx, ctx, recipients, () => ({
    subject: t('The role of {name} was changed', { name }),
    paragraphs: [
      t('{by} changed the role of {name} ({email}) from {before} to {after}.', {
        by,
        name,
        email,
        before: translate(roleNames[member.role]),
        after: translate(roleNames[role]),
      }),
      t('Reason: {reason}', { reason }),
    ],
  }))
}

/**
 * Ends a member's access and sessions at once, including the caller's own if another admin is left.
 * @throws AppError forbidden, not_found; last_admin, access_ended
 */
export async function endAccess(tx: Tx, ctx: SignedInContext, id: string, reason: string): Promise<void> {
  const others = await lockStaff(tx, ctx)
  if (id === ctx.caller.userId && others.length === 0) {
    throw staffRefusals.error({ reason: 'last_admin' })
  }
  const { name, email, role } = await memberOf(tx, id)
  await tx
    .updateTable('app.users')
    .set({ access_ended_at: ctx.services.clock.now() })
    .where('id', '=', id)
    .execute()
  await endSessions(tx, ctx, { userId: id })
  await withdrawPending(tx, ctx, id)
  const subject = { kind: 'user', id }
  await audit(tx, ctx, { action: 'staff.access_ended', subject, reason, details: { role } })
  await notifySecurity(tx, ctx, 'access.ended', { userId: id })
  const recipients = others.filter(admin => admin.id !== id)
  const by = await nameOf(tx, ctx.caller.userId)
  await emailAdmins(tx, ctx, recipients, () => ({
    subject: t('The access of {name} has ended', { name }),
    paragraphs: [
      t('{by} ended the access of {name} ({email}), whose role was {role}.', {
        by,
        name,
        email,
        role: translate(roleNames[role]),
      }),
      t('Reason: {reason}', { reason }),
    ],
  }))
}

/** Withdraws a former admin's pending proposals and open invitations. */
async function withdrawPending(tx: Tx, ctx: SignedInContext, userId: string): Promise<void> {
  await withdrawProposalsOf(tx, ctx, userId)
  await withdrawOpenInvitations(tx, ctx.services.clock.now(), { invitedBy: userId })
}
