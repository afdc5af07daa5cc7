import { freezeUser, unfreezeUser } from '#shared/contract/console.ts'
import type { Entry } from '#web/admin/actions/action-dialog.tsx'
import type { Action } from '#web/admin/actions/actions.tsx'
import { ReasonDialog } from '#web/admin/actions/reason.tsx'
import { mayHere } from '#web/admin/rights.ts'
import { Usd } from '#web/components/amounts.tsx'
import type { UserDetail } from './user-detail.ts'

/** Freeze and unfreeze; staff accounts need the right to manage staff. */
export function freezeActions(user: UserDetail): Action[] {
  if (user.type === 'admin' && !mayHere('manage')) return []
  return [user.freeze ? unfreeze(user) : freeze(user)]
}

/** A freeze moves no money. */
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
        description="The investor can still log in and view, and is notified by email. Deposits, investments and withdrawals are refused, and nothing in the account is approved, credited, closed or paid out. No money moves. Sessions stay open: end them below if they are not the owner's."
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
        description="The account works again, and the investor is notified by email. Pending payments get at least one extra day."
        entries={facts(user)}
        confirm="Unfreeze account"
        input={reason => ({ params: { id: user._id }, body: { reason } })}
        onClose={close}
      />
    ),
  }
}
