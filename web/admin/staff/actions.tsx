import { useState } from 'react'
import {
  changeRole,
  endAccess,
  type Invitation,
  inviteStaff,
  resetSecondFactors,
  type StaffMember,
  withdrawInvitation,
} from '#shared/contract/staff.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { gainsPower, type Role, roleNames, roles } from '#shared/roles.ts'
import { ActionDialog } from '#web/admin/actions/action-dialog.tsx'
import type { Action } from '#web/admin/actions/actions.tsx'
import { ReasonDialog } from '#web/admin/actions/reason.tsx'
import { ReasonField, reasonError } from '#web/admin/actions/reason-field.tsx'
import { tr } from '#web/tr.ts'
import { Field } from '#web/ui/field.tsx'
import { fieldError, mergeErrors, missing, type ValidationError } from '#web/ui/form.tsx'
import { Input, Select } from '#web/ui/input.tsx'

const does: Record<Role, string> = {
  admin: msg('Everything, including staff, settings and plans.'),
  finance: msg('Approves, declines and pays; manages earnings and returns; sees the books.'),
  support: msg(
    'Reads the console, answers messages, writes notes, freezes accounts, ends sessions. Cannot move money.',
  ),
  compliance: msg(
    'What Support may, and decides identity checks; sees their documents, the books and the audit log. Cannot move money.',
  ),
  auditor: msg('Reads the console, the books and the audit log. Cannot change anything.'),
}

/** True if giving a role needs a second admin. */
function needsSecond(before: Role | null, after: Role, admins: number): boolean {
  return admins > 1 && gainsPower(before, after)
}

type RoleFieldProps = {
  before: Role | null
  admins: number
  /** Undefined until one is chosen. */
  role: Role | undefined
  onRole: (role: Role | undefined) => void
}

/** Choice of a role, what it may do, and whether a second admin must approve. */
function RoleField({ before, admins, role, onRole }: RoleFieldProps) {
  const second = role && needsSecond(before, role, admins) ? ` ${t('Another admin must approve it.')}` : ''
  return (
    <Field name="role" label={t('Role')} hint={role && `${translate(does[role])}${second}`}>
      <Select value={role ?? ''} onChange={event => onRole(roles.find(one => one === event.target.value))}>
        {role === undefined && <option value="">{t('Choose a role')}</option>}
        {roles
          .filter(one => one !== before)
          .map(one => (
            <option key={one} value={one}>
              {translate(roleNames[one])}
            </option>
          ))}
      </Select>
    </Field>
  )
}

const inviteFields = ['name', 'email', 'role', 'reason'] as const
const emailError = (email: string): ValidationError | undefined =>
  /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email.trim())
    ? undefined
    : fieldError('email', t('Enter a valid email address'))

/** Invites a team member by email. */
export function InviteDialog({ admins, onClose }: { admins: number; onClose: () => void }) {
  const [role, setRole] = useState<Role | undefined>('support')
  return (
    <ActionDialog
      call={inviteStaff}
      title={t('Invite a team member')}
      description={t('We’ll email a one-time link, valid for three days, to set a password.')}
      entries={[]}
      fields={inviteFields}
      check={values =>
        mergeErrors(
          missing(values, ['name', 'email'], t('Name and email are required')),
          emailError(values.email),
          reasonError(values),
        )
      }
      confirm={t('Invite')}
      input={({ name, email, reason }) => ({
        body: { name: name.trim(), email: email.trim(), role: role!, reason: reason.trim() },
      })}
      onClose={onClose}
    >
      <Field name="name" label={t('Name')}>
        <Input maxLength={120} autoComplete="off" autoFocus />
      </Field>
      <Field name="email" label={t('Email')} hint={t('An address without an account here.')}>
        <Input type="email" maxLength={254} autoComplete="off" spellCheck={false} />
      </Field>
      <RoleField before={null} admins={admins} role={role} onRole={setRole} />
      <ReasonField />
    </ActionDialog>
  )
}

/** Actions on a member of staff. */
export function memberActions(member: StaffMember, ownId: string | undefined, admins: number): Action[] {
  if (member.accessEndedAt !== null || ownId === undefined) return []
  return member._id === ownId
    ? [end(member, admins, true)]
    : [change(member, admins), end(member, admins, false)]
}

function change(member: StaffMember, admins: number): Action {
  return {
    label: t('Change role'),
    name: t('Change role of {name}', { name: member.name }),
    of: member.name,
    call: changeRole,
    dialog: close => <RoleDialog member={member} admins={admins} onClose={close} />,
  }
}

const roleFields = ['role', 'reason'] as const

function RoleDialog({
  member,
  admins,
  onClose,
}: {
  member: StaffMember
  admins: number
  onClose: () => void
}) {
  const [role, setRole] = useState<Role>()
  return (
    <ActionDialog
      call={changeRole}
      title={tr('Change the role of {name}', { name: <bdi>{member.name}</bdi> })}
      description={t('This logs the account out everywhere.')}
      entries={[[t('Current role'), translate(roleNames[member.role])]]}
      fields={roleFields}
      check={values =>
        mergeErrors(
          missing(values, ['role'], t('Choose the new role'), t('Choose the new role')),
          reasonError(values),
        )
      }
      confirm={t('Change role')}
      input={({ reason }) => ({ params: { id: member._id }, body: { role: role!, reason: reason.trim() } })}
      onClose={onClose}
    >
      <RoleField before={member.role} admins={admins} role={role} onRole={setRole} />
      <ReasonField />
    </ActionDialog>
  )
}

function end(member: StaffMember, admins: number, isOwnAccess: boolean): Action {
  return {
    label: t('End access'),
    name: t('End access of {name}', { name: member.name }),
    of: member.name,
    tone: 'danger',
    call: endAccess,
    ...(isOwnAccess && admins < 2 ? { blocked: t('You are the only admin') } : {}),
    dialog: close => (
      <ReasonDialog
        call={endAccess}
        reader="log"
        title={
          isOwnAccess
            ? t('End your own access?')
            : tr('End the access of {name}?', { name: <bdi>{member.name}</bdi> })
        }
        description={t(
          'The account is logged out everywhere and can no longer log in. Its entries stay in the audit log.',
        )}
        entries={[
          [t('Email'), member.email],
          [t('Role'), translate(roleNames[member.role])],
        ]}
        confirm={t('End access')}
        tone="danger"
        input={reason => ({ params: { id: member._id }, body: { reason } })}
        onClose={close}
      />
    ),
  }
}

export function invitationActions(invitation: Invitation): Action[] {
  return [
    {
      label: t('Withdraw', {}, 'a proposal or an invitation'),
      name: t('Withdraw the invitation of {name}', { name: invitation.name }),
      of: invitation.name,
      tone: 'danger',
      call: withdrawInvitation,
      dialog: close => (
        <ReasonDialog
          call={withdrawInvitation}
          reader="log"
          title={t('Withdraw this invitation?')}
          description={t('Its link stops working.')}
          entries={[
            [t('Name'), invitation.name],
            [t('Email'), invitation.email],
            [t('Role'), translate(roleNames[invitation.role])],
          ]}
          confirm={t('Withdraw invitation')}
          tone="danger"
          input={reason => ({ params: { id: invitation._id }, body: { reason } })}
          onClose={close}
        />
      ),
    },
  ]
}

const resetFields = ['email', 'reason'] as const

/** Proposes resetting someone's two-factor access. */
export function ResetDialog({ onClose }: { onClose: () => void }) {
  return (
    <ActionDialog
      call={resetSecondFactors}
      title={t('Reset lost two-factor access')}
      description={t(
        'First verify who is asking, by other means. We email the account’s owner now and again once a second admin approves. Then their password alone is enough to log in, and all sessions end.',
      )}
      entries={[]}
      fields={resetFields}
      check={values => mergeErrors(emailError(values.email), reasonError(values))}
      confirm={t('Propose the reset')}
      input={({ email, reason }) => ({ body: { email: email.trim(), reason: reason.trim() } })}
      onClose={onClose}
    >
      <Field name="email" label={t('Account email')}>
        <Input type="email" maxLength={254} autoComplete="off" spellCheck={false} autoFocus />
      </Field>
      <ReasonField />
    </ActionDialog>
  )
}
