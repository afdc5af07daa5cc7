import { requireGoodPassword } from '#server/accounts/new-password.ts'
import { audit, type Origin } from '#server/audit/log.ts'
import type { Services, Tx } from '#server/context.ts'
import { hashPassword } from '#server/platform/passwords.ts'
import { t } from '#shared/i18n/t.ts'
import { emailAdmins, lockAdmins, operatorCanAppoint } from './admins.ts'
import {
  createInvitation,
  type Invited,
  requireInvitable,
  upsertStaffAccount,
  withdrawOpenInvitations,
} from './invitations.ts'
import { staffRefusals } from './messages.ts'

type First = Omit<Invited, 'role'>

/**
 * The operator's command: creates an installation's first admin, or a second one if only one of several is left, who is
 * emailed. Sets a password, or creates a link that replaces earlier ones.
 * @returns the link; null with a password
 * @throws AppError admin_exists; email_taken, invalid_input (password)
 */
export async function createAdmin(
  services: Services,
  first: First,
  password?: string,
): Promise<string | null> {
  if (password !== undefined) {
    await requireGoodPassword(services, 'password', password, { ...first, type: 'admin' })
  }
  const passwordHash = password === undefined ? undefined : await hashPassword(password)
  return services.db.transaction().execute(tx => create(tx, services, first, passwordHash))
}

async function create(
  tx: Tx,
  services: Services,
  first: First,
  passwordHash: string | undefined,
): Promise<string | null> {
  const admins = await lockAdmins(tx)
  if (!(await operatorCanAppoint(tx, admins))) {
    throw staffRefusals.error({ reason: 'admin_exists' })
  }
  await requireInvitable(tx, first.email)
  await withdrawOpenInvitations(tx, services.clock.now(), { invitedBy: null })
  const invited = { ...first, role: 'admin' } as const
  const { name, email } = first
  await emailAdmins(tx, { services }, admins, () => ({
    subject: t('The operator made {name} an admin', { name }),
    paragraphs: [
      t('The operator invited {name} ({email}) as an admin, since you are the only one left.', {
        name,
        email,
      }),
    ],
  }))
  const origin: Origin = { services, caller: null, ip: null, requestId: null }
  if (passwordHash !== undefined) {
    await withdrawOpenInvitations(tx, services.clock.now(), { email: first.email })
    await upsertStaffAccount(tx, origin, invited, passwordHash)
    return null
  }
  const { id, link } = await createInvitation(tx, { services }, invited, null)
  const reason = 'The command of the operator'
  await audit(tx, origin, {
    action: 'staff.invited',
    subject: { kind: 'invitation', id },
    reason,
    details: invited,
  })
  return link
}
