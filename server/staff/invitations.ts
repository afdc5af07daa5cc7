import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { dropResetLinks } from '#server/accounts/email-codes.ts'
import { dropFactors } from '#server/accounts/factors.ts'
import { hashOf } from '#server/accounts/sessions.ts'
import { emailTaken, newReferralCode, requireGoodPassword } from '#server/accounts/signup.ts'
import { audit, type Origin } from '#server/audit/log.ts'
import type { RequestContext, Services, SignedInContext, Tx } from '#server/context.ts'
import { currentFirm } from '#server/firm/queries.ts'
import { newId } from '#server/platform/id.ts'
import { letter } from '#server/platform/mail/letter.ts'
import { queueMail } from '#server/platform/mail/queue.ts'
import { hashPassword } from '#server/platform/passwords.ts'
import { countOf, type Listed, listed, matches } from '#server/queries/paging.ts'
import type { ListQuery } from '#shared/contract/define.ts'
import type { Invitation } from '#shared/contract/staff.ts'
import { AppError } from '#shared/errors.ts'
import { invitationHours } from '#shared/limits.ts'
import { gainsPower, type Role, roleNames, roles } from '#shared/roles.ts'
import { isOnlyAdminEver, lockAdmins, lockStaff, operatorMayAppoint, tellAdmins } from './lock.ts'

export type Invited = { name: string; email: string; role: Role }

/**
 * Nobody is invited who has an account already, but for staff whose access has ended: by the invitation he comes back.
 * @throws AppError email_taken
 */
export async function refuseKnown(tx: Tx, email: string): Promise<void> {
  const user = await tx
    .selectFrom('app.users')
    .select(['type', 'access_ended_at'])
    .where('email', '=', email)
    .executeTakeFirst()
  if (!user || user.access_ended_at !== null) return
  const message =
    user.type === 'admin'
      ? 'This address belongs to somebody of the staff already. Change his role instead.'
      : "This address belongs to an investor's account. Staff need an address of their own."
  throw new AppError('email_taken', message, { fields: { email: message } })
}

/**
 * Makes an invitation, in place of an open one for the same address.
 * @param by who invites; null: the operator, by his command
 * @returns its id, and the link by which it is accepted: nobody but the invited may see it
 */
export async function makeInvitation(
  tx: Tx,
  { services }: { services: Pick<Services, 'clock' | 'config'> },
  { name, email, role }: Invited,
  by: string | null,
): Promise<{ id: string; link: string; expiresAt: Date }> {
  const now = services.clock.now()
  await withdrawOpen(tx, now, { email })
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
  return { id, link: `${services.config.publicUrl}/invitation?token=${token}`, expiresAt }
}

/** Invites somebody by a letter, and writes it to the other admins. */
export async function sendInvitation(
  tx: Tx,
  ctx: SignedInContext,
  invited: Invited,
  { reason, by }: { reason: string; by: string },
): Promise<void> {
  const { id, link, expiresAt } = await makeInvitation(tx, ctx, invited, by)
  const { productName } = await currentFirm(tx, ctx.services.config)
  const written = letter({
    to: invited.email,
    subject: `You are invited to work at ${productName}`,
    greeting: `Hello ${invited.name},`,
    paragraphs: [
      `You are invited to the console of ${productName}, with the role ${roleNames[invited.role]}. Follow this link to set your password:`,
      `It works once and for ${invitationHours / 24} days. If you did not expect it, ignore this message.`,
    ],
    action: { label: 'Set your password', url: link },
    from: productName,
  })
  await queueMail(tx, { ...written, usefulUntil: expiresAt.toISOString() })
  const subject = { kind: 'invitation', id }
  await audit(tx, ctx, { action: 'staff.invited', subject, reason, details: { ...invited } })
}

/** Makes the links worthless that are open for an address, or that somebody has sent. */
export async function withdrawOpen(
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
 * Makes the links worthless by which the first admin has let others come to decide or to manage, alone: before there is a
 * second admin, who approves from then on.
 * @param admins ids of those who are admins so far
 */
export async function dropSinglyMade(tx: Tx, now: Date, [first]: readonly string[]): Promise<void> {
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

/** @throws AppError not_found; wrong_state where it is open no more */
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
  if (!found) throw new AppError('not_found', 'There is no such invitation')
  const { accepted_at, withdrawn_at, ...invited } = found
  if (accepted_at || withdrawn_at) {
    const is = accepted_at ? 'accepted' : 'withdrawn'
    throw new AppError('wrong_state', `This invitation was ${is} already`)
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
 * Makes the invited one of the staff, once: with the password that he sets, and an address that is verified, since the
 * link came to it. Whoever was staff before has his account again, and sets up his second factor anew.
 * @throws AppError invalid_reset_token, invalid_input (password), email_taken
 */
export async function acceptInvitation(
  ctx: RequestContext,
  { token, password }: { token: string; password: string },
): Promise<void> {
  const { services } = ctx
  const invited = await open(services, token)
  if (!invited) throw worthless()
  requireGoodPassword(password, 'password', invited)
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
  // Another try with the same link was faster; or the operator's link was not needed any more.
  if (!invitation) throw worthless()
  if (invitation.invited_by === null && !(await operatorMayAppoint(tx, admins))) throw worthless()
  await refuseKnown(tx, invitation.email)
  if (invitation.role === 'admin') {
    await dropSinglyMade(
      tx,
      now,
      admins.map(({ id }) => id),
    )
  }
  await putAccount(tx, ctx, invitation, passwordHash)
  const { name, email, role } = invitation
  await tellAdmins(tx, ctx, admins, {
    subject: `${name} has joined the staff`,
    paragraphs: [
      `${name} (${email}) has accepted the invitation and has the role ${roleNames[role]}.`,
      'If you know nothing of it, end the access under Staff and ask who sent the invitation: the audit log says so.',
    ],
  })
}

/** The account of somebody who becomes staff: a new one with a verified address, or the one that the address had, without its factors. */
export async function putAccount(
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
    // Only staff whose access has ended is let in here (`refuseKnown`).
    .onConflict(conflict =>
      conflict
        .column('email')
        // His approvals are his own: those of who had the account before count no more.
        .doUpdateSet(({ ref }) => ({ ...known, holder: sql<number>`${ref('app.users.holder')} + 1` }))
        .where('app.users.access_ended_at', 'is not', null),
    )
    .returning('id')
    .executeTakeFirst()
  // Somebody has signed up with the address just now.
  if (!put) throw emailTaken()
  const { id } = put
  await dropResetLinks(tx, id)
  // An address that is given to another person must not let the former one in. No session is left: they ended with the access.
  if (former) {
    await dropFactors(tx, id)
    await tx.deleteFrom('app.email_codes').where('user_id', '=', id).execute()
  }
  const details = { role, ...(former && former.name !== name ? { nameBefore: former.name } : {}) }
  await audit(tx, ctx, { action: 'staff.joined', subject: { kind: 'user', id }, actorId: id, details })
}

function worthless(): AppError {
  return new AppError(
    'invalid_reset_token',
    'This link was used already, was withdrawn or has expired. Ask for a new invitation.',
  )
}

/** Invitations that can still be accepted, the newest first. */
export async function openInvitations(
  { db, clock }: Services,
  filter: ListQuery,
): Promise<{ data: Invitation[]; page: Listed<{ id: string }>['page'] }> {
  const matching = db
    .selectFrom('app.staff_invitations as i')
    .leftJoin('app.users as u', 'u.id', 'i.invited_by')
    .where('i.accepted_at', 'is', null)
    .where('i.withdrawn_at', 'is', null)
    .where('i.expires_at', '>', clock.now())
    .where(({ ref }) => matches(filter.q, [ref('i.name'), ref('i.email')], [ref('i.id')]))
  const { rows, page } = await listed(filter, {
    rows: (limit, below) =>
      matching
        .select(['i.id', 'i.name', 'i.email', 'i.role', 'i.created_at', 'i.expires_at', 'u.name as inviter'])
        .$if(below !== undefined, query => query.where('i.id', '<', below!))
        .orderBy('i.id', 'desc')
        .limit(limit)
        .execute(),
    count: mostMs => countOf(db, matching, mostMs),
  })
  const data = rows.map(row => ({
    _id: row.id,
    name: row.name,
    email: row.email,
    role: row.role,
    invitedBy: row.inviter,
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at.toISOString(),
  }))
  return { data, page }
}
