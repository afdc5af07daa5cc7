import { randomBytes } from 'node:crypto'
import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { dropResetLinks } from '#server/accounts/email-codes.ts'
import { dropFactors } from '#server/accounts/factors.ts'
import { requireGoodPassword } from '#server/accounts/new-password.ts'
import { hashOf } from '#server/accounts/sessions.ts'
import { emailTaken, newReferralCode } from '#server/accounts/signup.ts'
import { audit, type Origin } from '#server/audit/log.ts'
import type { RequestContext, Services, SignedInContext, Tx } from '#server/context.ts'
import { currentFirm } from '#server/firm/queries.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { newId } from '#server/platform/id.ts'
import { localUrl } from '#server/platform/language.ts'
import { composeEmail } from '#server/platform/mail/compose-email.ts'
import { queueMail } from '#server/platform/mail/queue.ts'
import { hashPassword } from '#server/platform/passwords.ts'
import { defineList } from '#server/queries/list.ts'
import { AppError } from '#shared/errors.ts'
import { languageNow } from '#shared/i18n/language.ts'
import { t, translate } from '#shared/i18n/t.ts'
import { invitationHours } from '#shared/limits.ts'
import { gainsPower, type Role, roleNames, roles } from '#shared/roles.ts'
import { emailAdmins, isOnlyAdminEver, lockAdmins, lockStaff, operatorCanAppoint } from './admins.ts'
import { staffRefusals } from './messages.ts'

export type Invited = { name: string; email: string; role: Role }

/**
 * Refuses an address that has an account, except for staff whose access has ended: the invitation restores it.
 * @throws AppError email_taken
 */
export async function requireInvitable(tx: Tx, email: string): Promise<void> {
  const user = await tx
    .selectFrom('app.users')
    .select(['type', 'access_ended_at'])
    .where('email', '=', email)
    .executeTakeFirst()
  if (!user || user.access_ended_at !== null) return
  const message =
    user.type === 'admin'
      ? t('This email already belongs to a team member. Change their role instead.')
      : t('This email belongs to an investor. Staff need an email of their own.')
  throw new AppError('email_taken', message, { fields: { email: message } })
}

/**
 * Creates an invitation, which replaces an open one for the same address.
 * @param by the inviter's id; null for the operator's command
 * @returns its id, and the link that only the invited person may see
 */
export async function createInvitation(
  tx: Tx,
  { services }: { services: Pick<Services, 'clock' | 'config'> },
  { name, email, role }: Invited,
  by: string | null,
): Promise<{ id: string; link: string; expiresAt: Date }> {
  const now = services.clock.now()
  await withdrawOpenInvitations(tx, now, { email })
  const token = randomBytes(32).toString('base64url')
  const id = newId(now)
  const expiresAt = new Date(now.getTime() + invitationHours * 3_600_000)
  await tx
    .insertInto('app.staff_invitations')
    .values({
      id,
      token_hash: hashOf(token),
      name,
      email,
      role,
      invited_by: by,
      created_at: now,
      expires_at: expiresAt,
    })
    .execute()
  return { id, link: localUrl(services.config, `/invitation#token=${token}`), expiresAt }
}

/** Creates and mails an invitation, in the language of the person who sends it: nothing else is known. */
export async function sendInvitation(
  tx: Tx,
  ctx: SignedInContext,
  invited: Invited,
  { reason, by }: { reason: string; by: string },
): Promise<void> {
  const { id, link, expiresAt } = await createInvitation(tx, ctx, invited, by)
  const { productName } = await currentFirm(tx, ctx.services.config)
  const content = {
    to: invited.email,
    subject: t('Your invitation to {productName}', { productName }),
    greeting: t('Hello {name},', { name: invited.name }),
    paragraphs: [
      t(
        'You are invited to the {productName} console with the role {role}. Follow this link to set your password:',
        { productName, role: translate(roleNames[invited.role]) },
      ),
      t(
        "It works once, within {days, plural, one {# day} other {# days}}. If you didn't expect it, ignore this message.",
        { days: invitationHours / 24 },
      ),
    ],
    action: { label: t('Set your password'), url: link },
    from: productName,
  }
  await queueMail(tx, { ...composeEmail(content), usefulUntil: expiresAt.toISOString() })
  const subject = { kind: 'invitation', id }
  await audit(tx, ctx, { action: 'staff.invited', subject, reason, details: { ...invited } })
}

/** Withdraws the open invitations for an address, or from one inviter. */
export async function withdrawOpenInvitations(
  tx: Tx,
  now: Date,
  of: { email: string } | { invitedBy: string | null },
): Promise<void> {
  await tx
    .updateTable('app.staff_invitations')
    .set({ withdrawn_at: now })
    .where('accepted_at', 'is', null)
    .where('withdrawn_at', 'is', null)
    .$if('email' in of, query => query.where('email', '=', (of as { email: string }).email))
    .$if('invitedBy' in of, query =>
      query.where('invited_by', 'is not distinct from', (of as { invitedBy: string | null }).invitedBy),
    )
    .execute()
}

/**
 * Withdraws the invitations to powerful roles that the first admin made alone, before a second admin, who approves such
 * invitations, joins.
 * @param admins ids of the current admins
 */
export async function withdrawSoleAdminInvitations(
  tx: Tx,
  now: Date,
  [first]: readonly string[],
): Promise<void> {
  if (first === undefined || !(await isOnlyAdminEver(tx, first))) return
  await tx
    .updateTable('app.staff_invitations')
    .set({ withdrawn_at: now })
    .where('accepted_at', 'is', null)
    .where('withdrawn_at', 'is', null)
    .where(
      'role',
      'in',
      roles.filter(role => gainsPower(null, role)),
    )
    .execute()
}

/** @throws AppError not_found; invitation_closed */
export async function withdrawInvitation(
  tx: Tx,
  ctx: SignedInContext,
  id: string,
  reason: string,
): Promise<void> {
  await lockStaff(tx, ctx)
  const found = await tx
    .selectFrom('app.staff_invitations')
    .select(['name', 'email', 'role', 'accepted_at', 'withdrawn_at'])
    .where('id', '=', id)
    .executeTakeFirst()
  if (!found) throw new AppError('not_found', t('Invitation not found'))
  const { accepted_at, withdrawn_at, ...invited } = found
  if (accepted_at || withdrawn_at) {
    throw staffRefusals.error({
      reason: 'invitation_closed',
      state: accepted_at ? 'accepted' : 'withdrawn',
    })
  }
  await tx
    .updateTable('app.staff_invitations')
    .set({ withdrawn_at: ctx.services.clock.now() })
    .where('id', '=', id)
    .execute()
  const subject = { kind: 'invitation', id }
  await audit(tx, ctx, { action: 'staff.invitation_withdrawn', subject, reason, details: invited })
}

/**
 * Turns the invited person into staff, once, with the password they set. The mailed link verifies their address; former
 * staff get their account back without its factors.
 * @throws AppError invalid_reset_token, invalid_input (password), email_taken
 */
export async function acceptInvitation(
  ctx: RequestContext,
  { token, password }: { token: string; password: string },
): Promise<void> {
  const { services } = ctx
  const invited = await open(services, token)
  if (!invited) throw invalidLink()
  await requireGoodPassword(services, 'password', password, { ...invited, type: 'admin' })
  const passwordHash = await hashPassword(password)
  await services.db.transaction().execute(tx => becomeStaff(tx, ctx, hashOf(token), passwordHash))
}

function open({ db, clock }: Services, token: string) {
  return db
    .selectFrom('app.staff_invitations')
    .select(['name', 'email'])
    .where('token_hash', '=', hashOf(token))
    .where('accepted_at', 'is', null)
    .where('withdrawn_at', 'is', null)
    .where('expires_at', '>', clock.now())
    .executeTakeFirst()
}

async function becomeStaff(
  tx: Tx,
  ctx: RequestContext,
  tokenHash: Buffer,
  passwordHash: string,
): Promise<void> {
  const now = ctx.services.clock.now()
  const admins = await lockAdmins(tx)
  const invitation = await tx
    .updateTable('app.staff_invitations')
    .set({ accepted_at: now })
    .where('token_hash', '=', tokenHash)
    .where('accepted_at', 'is', null)
    .where('withdrawn_at', 'is', null)
    .where('expires_at', '>', now)
    .returning(['name', 'email', 'role', 'invited_by'])
    .executeTakeFirst()
  // A parallel try used the link first, or the operator's link is no longer needed.
  if (!invitation) throw invalidLink()
  if (invitation.invited_by === null && !(await operatorCanAppoint(tx, admins))) throw invalidLink()
  await requireInvitable(tx, invitation.email)
  if (invitation.role === 'admin') {
    await withdrawSoleAdminInvitations(
      tx,
      now,
      admins.map(({ id }) => id),
    )
  }
  await upsertStaffAccount(tx, ctx, invitation, passwordHash)
  const { name, email, role } = invitation
  await emailAdmins(tx, ctx, admins, () => ({
    subject: t('{name} has joined the team', { name }),
    paragraphs: [
      t('{name} ({email}) accepted the invitation and has the role {role}.', {
        name,
        email,
        role: translate(roleNames[role]),
      }),
      t('Not expecting this? End their access under Staff. The audit log names who sent the invitation.'),
    ],
  }))
}

/** Creates a staff account with a verified address, or restores the one the address had, without its factors. */
export async function upsertStaffAccount(
  tx: Tx,
  ctx: Origin,
  { name, email, role }: Invited,
  passwordHash: string,
): Promise<void> {
  const now = ctx.services.clock.now()
  const former = await tx
    .selectFrom('app.users')
    .select('name')
    .where('email', '=', email)
    .where('access_ended_at', 'is not', null)
    .forNoKeyUpdate()
    .executeTakeFirst()
  const known = {
    name,
    role,
    password_hash: passwordHash,
    email_verified_at: now,
    pending_email: null,
    access_ended_at: null,
    language: languageNow(),
  }
  const put = await tx
    .insertInto('app.users')
    .values({
      ...known,
      id: newId(now),
      type: 'admin',
      email,
      phone: '',
      country: '',
      referral_code: newReferralCode(),
      created_at: now,
    })
    // The only existing accounts to reach this are staff whose access has ended (`requireInvitable`).
    .onConflict(conflict =>
      conflict
        .column('email')
        // The approvals of a previous holder of the account must not count for the new one.
        .doUpdateSet(({ ref }) => ({ ...known, holder: sql<number>`${ref('app.users.holder')} + 1` }))
        .where('app.users.access_ended_at', 'is not', null),
    )
    .returning('id')
    .executeTakeFirst()
  // Someone has just signed up with this address.
  if (!put) throw emailTaken()
  const { id } = put
  await dropResetLinks(tx, id)
  // A reassigned address must not let its former holder in. Their sessions ended with their access.
  if (former) {
    await dropFactors(tx, id)
    await tx.deleteFrom('app.email_codes').where('user_id', '=', id).execute()
    await tx.deleteFrom('app.saved_filters').where('user_id', '=', id).execute()
  }
  const details = { role, ...(former && former.name !== name ? { nameBefore: former.name } : {}) }
  await audit(tx, ctx, { action: 'staff.joined', subject: { kind: 'user', id }, actorId: id, details })
}

function invalidLink(): AppError {
  return new AppError(
    'invalid_reset_token',
    t('This link was already used, was withdrawn or has expired. Ask for a new invitation.'),
  )
}

/** Invitations that can still be accepted, newest first. */
export const openInvitations = defineList({
  from: (db: Kysely<Schema>, now: Date) =>
    db
      .selectFrom('app.staff_invitations as i')
      .leftJoin('app.users as u', 'u.id', 'i.invited_by')
      .where('i.accepted_at', 'is', null)
      .where('i.withdrawn_at', 'is', null)
      .where('i.expires_at', '>', now),
  columns: query =>
    query.select([
      'i.id',
      'i.name',
      'i.email',
      'i.role',
      'i.created_at',
      'i.expires_at',
      'u.name as inviter',
    ]),
  present: rows =>
    rows.map(row => ({
      _id: row.id,
      name: row.name,
      email: row.email,
      role: row.role,
      invitedBy: row.inviter,
      createdAt: row.created_at.toISOString(),
      expiresAt: row.expires_at.toISOString(),
    })),
  id: 'i.id',
  search: { texts: ['i.name', 'i.email'], ids: ['i.id'] },
})
