import { z } from 'zod'
import { staffPasswordTooShort } from '#shared/account-rules.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { maximumPasswordLength, staffPasswordLength } from '#shared/limits.ts'
import { roles } from '#shared/roles.ts'
import { defineCall, listQuery } from './define.ts'
import {
  emailAddress,
  idParams,
  nothing,
  personName,
  reason,
  reasonBody,
  recordId,
  timestamp,
} from './fields.ts'

/** Staff and their roles. Granting the right to decide or manage needs a second admin. */

const role = z.enum(roles, { error: () => t('Choose a role') })

export const staffMember = z.object({
  _id: recordId,
  name: z.string(),
  email: z.string(),
  role,
  /** True with an authenticator app or a passkey. */
  secondFactor: z.boolean(),
  lastLoginAt: timestamp.nullable(),
  /** Since when they can no longer log in. */
  accessEndedAt: timestamp.nullable(),
})
export type StaffMember = z.output<typeof staffMember>

export const invitation = z.object({
  _id: recordId,
  name: z.string(),
  email: z.string(),
  role,
  /** null for the operator's command. */
  invitedBy: z.string().nullable(),
  createdAt: timestamp,
  expiresAt: timestamp,
})
export type Invitation = z.output<typeof invitation>

/** The proposal that waits for a second admin; null if the action is done. */
const outcome = z.object({ proposal: recordId.nullable() })
const proposed = msg('Proposed. Another admin must approve it')
const messageForProposal = ({ proposal }: z.output<typeof outcome>) =>
  proposal === null ? undefined : translate(proposed)

export const listStaff = defineCall({
  id: 'staff.list',
  method: 'GET',
  path: '/staff/get-all',
  permission: 'manage',
  list: true,
  summary: "Staff, newest first; 'status' is a role",
  message: msg('Staff'),
  query: listQuery,
  data: z.array(staffMember),
})

export const listInvitations = defineCall({
  id: 'staff.invitations',
  method: 'GET',
  path: '/staff/invitations',
  permission: 'manage',
  list: true,
  summary: 'Invitations that can still be accepted, newest first',
  message: msg('Invitations'),
  query: listQuery.omit({ status: true }),
  data: z.array(invitation),
})

export const inviteStaff = defineCall({
  id: 'staff.invite',
  method: 'POST',
  path: '/staff/invite',
  permission: 'manage',
  summary:
    'Mails an invitation to set a password, replacing an earlier one. A role that decides or manages waits for a second admin, unless nobody else has ever been an admin',
  message: msg('Invitation sent'),
  messageFor: messageForProposal,
  body: z.object({ name: personName, email: emailAddress, role, reason }),
  data: outcome,
  refusals: ['email_taken', 'wrong_state', 'proof_required'],
})

export const withdrawInvitation = defineCall({
  id: 'staff.withdrawInvitation',
  method: 'POST',
  path: '/staff/invitation/withdraw/:id',
  permission: 'manage',
  summary: 'Withdraws an invitation: its link stops working',
  message: msg('Invitation withdrawn'),
  params: idParams,
  body: reasonBody,
  data: nothing,
  refusals: ['not_found', 'wrong_state'],
})

export const acceptInvitation = defineCall({
  id: 'staff.accept',
  method: 'POST',
  path: '/staff/invitation/accept',
  permission: 'public',
  summary: "Sets the invited person's password, once; the mailed link also verifies their email",
  message: msg('Welcome. Log in with your new password'),
  body: z.object({
    token: z
      .string({ error: () => t('The link is not complete') })
      .min(1, { error: () => t('The link is not complete') })
      .max(200),
    password: z
      .string({ error: () => t('Password is required') })
      .min(staffPasswordLength, { error: () => staffPasswordTooShort() })
      .max(maximumPasswordLength, {
        error: () => t('Password can have at most {maximum} characters', { maximum: maximumPasswordLength }),
      }),
  }),
  data: nothing,
  refusals: ['invalid_reset_token', 'email_taken'],
})

export const changeRole = defineCall({
  id: 'staff.changeRole',
  method: 'PUT',
  path: '/staff/role/:id',
  permission: 'manage',
  summary:
    "Changes a staff member's role and ends their sessions. Gaining the right to decide or manage waits for a second admin, unless nobody else has ever been an admin",
  message: msg('Role changed'),
  messageFor: messageForProposal,
  params: idParams,
  body: z.object({ role, reason }),
  data: outcome,
  refusals: ['not_found', 'wrong_state', 'own_request', 'proof_required'],
})

export const endAccess = defineCall({
  id: 'staff.endAccess',
  method: 'POST',
  path: '/staff/end/:id',
  permission: 'manage',
  summary: "Ends a staff member's access and sessions at once",
  message: msg('Access ended'),
  params: idParams,
  body: reasonBody,
  data: nothing,
  refusals: ['not_found', 'wrong_state', 'proof_required'],
})

export const resetSecondFactors = defineCall({
  id: 'staff.resetSecondFactors',
  method: 'POST',
  path: '/staff/second-factors/reset',
  permission: 'manage',
  summary:
    'Proposes to reset lost two-factor authentication and passkeys; another admin approves it. The owner is notified of both steps',
  message: proposed,
  body: z.object({ email: emailAddress, reason }),
  data: z.object({ proposal: recordId }),
  refusals: ['not_found', 'wrong_state', 'own_request', 'proof_required'],
})
