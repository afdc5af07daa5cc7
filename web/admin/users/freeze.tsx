import { eraseProofSecret, freezeUser, unfreezeUser } from '#shared/contract/console.ts'
import { t } from '#shared/i18n/t.ts'
import { ActionDialog, type Entry } from '#web/admin/actions/action-dialog.tsx'
import type { Action } from '#web/admin/actions/actions.tsx'
import { ReasonDialog } from '#web/admin/actions/reason.tsx'
import { ReasonField, reasonError } from '#web/admin/actions/reason-field.tsx'
import { mayHere } from '#web/admin/rights.ts'
import { Usd } from '#web/components/amounts.tsx'
import { Field } from '#web/ui/field.tsx'
import { fieldError, mergeErrors } from '#web/ui/form.tsx'
import { Input } from '#web/ui/input.tsx'
import { reopen } from './closed.tsx'
import type { UserDetail } from './user-detail.ts'

/** Freeze, unfreeze and reopen, and of a frozen or closed account erase its proof secret; staff accounts need the right to manage staff. */
export function freezeActions(user: UserDetail): Action[] {
  if (user.type === 'admin' && !mayHere('manage')) return []
  const isStopped = user.freeze !== null || user.closedAt !== null
  const erasable = isStopped && user.type === 'investor' && user.proofErasedAt === null && mayHere('manage')
  const turn = user.closedAt ? reopen(user) : user.freeze ? unfreeze(user) : freeze(user)
  return [turn, ...(erasable ? [eraseProof(user)] : [])]
}

/** A freeze moves no money. */
function facts(user: UserDetail): Entry[] {
  return [
    [t('Name'), user.name],
    [t('Email'), user.email],
    [t('Available balance'), <Usd key="available" value={user.balance} />],
    [t('In plans'), <Usd key="invested" value={user.invested} />],
    [t('On hold'), <Usd key="held" value={user.held} />],
  ]
}

function freeze(user: UserDetail): Action {
  return {
    label: t('Freeze'),
    call: freezeUser,
    of: user.name,
    tone: 'danger',
    about: user._id,
    dialog: close => (
      <ReasonDialog
        call={freezeUser}
        reader="staff"
        title={t('Freeze this account?')}
        description={t(
          "The investor can still log in and view, and is notified by email. Deposits, investments and withdrawals are refused, and nothing in the account is approved, credited, closed or paid out. No money moves. Sessions stay open: end them below if they are not the owner's.",
        )}
        entries={facts(user)}
        confirm={t('Freeze account')}
        tone="danger"
        input={reason => ({ params: { id: user._id }, body: { reason } })}
        onClose={close}
      />
    ),
  }
}

function unfreeze(user: UserDetail): Action {
  return {
    label: t('Unfreeze'),
    call: unfreezeUser,
    of: user.name,
    about: user._id,
    dialog: close => (
      <ReasonDialog
        call={unfreezeUser}
        reader="staff"
        title={t('Unfreeze this account?')}
        description={t(
          'The account works again, and the investor is notified by email. Pending payments get at least one extra day.',
        )}
        entries={facts(user)}
        confirm={t('Unfreeze account')}
        input={reason => ({ params: { id: user._id }, body: { reason } })}
        onClose={close}
      />
    ),
  }
}

const eraseFields = ['email', 'reason'] as const

/** The address is typed again: an erased secret cannot be restored. */
function eraseProof(user: UserDetail): Action {
  const isOther = (email: string) => email.trim().toLowerCase() !== user.email.toLowerCase()
  return {
    label: t('Erase proof secret'),
    call: eraseProofSecret,
    of: user.name,
    tone: 'danger',
    about: user._id,
    dialog: close => (
      <ActionDialog
        call={eraseProofSecret}
        title={t('Erase this proof secret?')}
        description={t(
          "No one will be able to tell this investor's lines in the public books from others', not even us. The investor can no longer check them. This can't be undone. Our own ledger stays as it is.",
        )}
        entries={facts(user)}
        confirm={t('Erase proof secret')}
        tone="danger"
        fields={eraseFields}
        check={({ email, reason }) =>
          mergeErrors(
            isOther(email) ? fieldError('email', t('Enter the email address of this account')) : undefined,
            reasonError({ reason }, 'staff'),
          )
        }
        input={({ email, reason }) => ({
          params: { id: user._id },
          body: { email: email.trim(), reason: reason.trim() },
        })}
        onClose={close}
      >
        <Field name="email" label={t('The account’s email address')}>
          <Input type="email" autoComplete="off" autoFocus />
        </Field>
        <ReasonField reader="staff" />
      </ActionDialog>
    ),
  }
}
