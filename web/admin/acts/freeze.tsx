import { freezeUser, unfreezeUser } from '#shared/contract/console.ts'
import { mayHere } from '#web/admin/rights.ts'
import type { UserDetail } from '#web/admin/user/user-detail.ts'
import { Usd } from '#web/components/amounts.tsx'
import { Field } from '#web/ui/field.tsx'
import { type Fault, missing } from '#web/ui/form.tsx'
import { Textarea } from '#web/ui/input.tsx'
import { ActDialog, type Entry } from './act-dialog.tsx'
import type { Action } from './actions.tsx'

const fields = ['reason'] as const
const noReason = 'A reason is required: it is kept in the log'

function check(values: { reason: string }): Fault | undefined {
  return missing(values, fields, noReason, noReason)
}

/** Freezing an account, or ending that; one of staff is in the hands of who manages staff. */
export function freezeActions(user: UserDetail): Action[] {
  if (user.type === 'admin' && !mayHere('manage')) return []
  return [user.freeze ? unfreeze(user) : freeze(user)]
}

/** A freeze moves nothing: what there is stays where it is. */
function facts(user: UserDetail): Entry[] {
  return [
    ['Name', user.name],
    ['Email', user.email],
    ['Available balance', <Usd key="available" value={user.balance} />],
    ['In plans', <Usd key="invested" value={user.invested} />],
    ['On hold', <Usd key="held" value={user.held} />],
  ]
}

function ReasonField() {
  return (
    <Field name="reason" label="Reason" hint="For the firm's people only: the owner does not read it.">
      <Textarea rows={3} maxLength={500} autoFocus />
    </Field>
  )
}

function freeze(user: UserDetail): Action {
  return {
    label: 'Freeze',
    call: freezeUser,
    of: user.name,
    tone: 'danger',
    dialog: close => (
      <ActDialog
        call={freezeUser}
        title="Freeze this account?"
        description="Its owner can log in and look, and is told so by a letter. Deposits, investments and withdrawals are refused, and nothing of the account is approved, credited, closed or paid out. No money moves, and sessions stay: end them below if they are not the owner's."
        entries={facts(user)}
        confirm="Freeze account"
        tone="danger"
        fields={fields}
        check={check}
        input={({ reason }) => ({ params: { id: user._id }, body: { reason: reason.trim() } })}
        onClose={close}
      >
        <ReasonField />
      </ActDialog>
    ),
  }
}

function unfreeze(user: UserDetail): Action {
  return {
    label: 'Unfreeze',
    call: unfreezeUser,
    of: user.name,
    dialog: close => (
      <ActDialog
        call={unfreezeUser}
        title="Unfreeze this account?"
        description="Everything is possible again, and its owner is told so by a letter. Payments that are waited for are waited for a day more at least."
        entries={facts(user)}
        confirm="Unfreeze account"
        fields={fields}
        check={check}
        input={({ reason }) => ({ params: { id: user._id }, body: { reason: reason.trim() } })}
        onClose={close}
      >
        <ReasonField />
      </ActDialog>
    ),
  }
}
