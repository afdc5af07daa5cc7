import { freezeUser, unfreezeUser } from '#shared/contract/console.ts'
import type { Entry } from '#web/admin/actions/action-dialog.tsx'
import type { Action } from '#web/admin/actions/actions.tsx'
import { ReasonDialog } from '#web/admin/actions/reason.tsx'
import { mayHere } from '#web/admin/rights.ts'
import { Usd } from '#web/components/amounts.tsx'
import type { UserDetail } from './user-detail.ts'

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

function freeze(user: UserDetail): Action {
  return {
    label: 'Freeze',
    call: freezeUser,
    of: user.name,
    tone: 'danger',
    about: user._id,
    dialog: close => (
      <ReasonDialog
        call={freezeUser}
        reader="staff"
        title="Freeze this account?"
        description="Its owner can log in and look, and is told so by a letter. Deposits, investments and withdrawals are refused, and nothing of the account is approved, credited, closed or paid out. No money moves, and sessions stay: end them below if they are not the owner's."
        entries={facts(user)}
        confirm="Freeze account"
        tone="danger"
        input={reason => ({ params: { id: user._id }, body: { reason } })}
        onClose={close}
      />
    ),
  }
}

function unfreeze(user: UserDetail): Action {
  return {
    label: 'Unfreeze',
    call: unfreezeUser,
    of: user.name,
    about: user._id,
    dialog: close => (
      <ReasonDialog
        call={unfreezeUser}
        reader="staff"
        title="Unfreeze this account?"
        description="Everything is possible again, and its owner is told so by a letter. Payments that are waited for are waited for a day more at least."
        entries={facts(user)}
        confirm="Unfreeze account"
        input={reason => ({ params: { id: user._id }, body: { reason } })}
        onClose={close}
      />
    ),
  }
}
