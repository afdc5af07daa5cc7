import { requireGoodPassword } from '#server/accounts/signup.ts'
import { audit, type Origin } from '#server/audit/log.ts'
import type { Services, Tx } from '#server/context.ts'
import { hashPassword } from '#server/platform/passwords.ts'
import { AppError } from '#shared/errors.ts'
import { type Invited, makeInvitation, putAccount, refuseKnown, withdrawOpen } from './invitations.ts'
import { lockAdmins, operatorMayAppoint, tellAdmins } from './lock.ts'

type First = Omit<Invited, 'role'>

/**
 * Makes the first admin of an installation, or a second one where one of several is left, for its operator: with a password,
 * or by a link in place of those before. An admin who is left is told by letter.
 * @returns the link; null where there was a password
 * @throws AppError wrong_state where admins can invite others, email_taken, invalid_input (password)
 */
export async function createAdmin(
  services: Services,
  first: First,
  password?: string,
): Promise<string | null> {
  if (password !== undefined) requireGoodPassword(password, 'password', first)
  const passwordHash = password === undefined ? undefined : await hashPassword(password)
  return services.db.transaction().execute(tx => make(tx, services, first, passwordHash))
}

async function make(
  tx: Tx,
  services: Services,
  first: First,
  passwordHash: string | undefined,
): Promise<string | null> {
  const admins = await lockAdmins(tx)
  if (!(await operatorMayAppoint(tx, admins))) {
    throw new AppError(
      'wrong_state',
      'There is an admin already. Admins invite others in the console, under Staff.',
    )
  }
  await refuseKnown(tx, first.email)
  await withdrawOpen(tx, services.clock.now(), { invitedBy: null })
  const invited = { ...first, role: 'admin' } as const
  await tellAdmins(tx, { services }, admins, {
    subject: `${first.name} becomes an admin, by the operator`,
    paragraphs: [
      `The operator's command lets ${first.name} (${first.email}) be an admin, since you are the only one left.`,
    ],
  })
  const origin: Origin = { services, caller: null, ip: null, requestId: null }
  if (passwordHash !== undefined) {
    await withdrawOpen(tx, services.clock.now(), { email: first.email })
    await putAccount(tx, origin, invited, passwordHash)
    return null
  }
  const { id, link } = await makeInvitation(tx, { services }, invited, null)
  const reason = 'The command of the operator'
  await audit(tx, origin, {
    action: 'staff.invited',
    subject: { kind: 'invitation', id },
    reason,
    details: invited,
  })
  return link
}
