import type { ReactNode } from 'react'
import type { CallDefinition } from '#shared/contract/define.ts'
import { isOwn, mayCall } from '#web/admin/rights.ts'
import { Button } from '#web/ui/button.tsx'
import { type OpenedDialog, openAction } from './open.ts'

/** One thing that the operator may do with a row: a button, and the dialog that it opens. */
export type Action = {
  /** In words: 'Approve'. */
  label: string
  /** What it does; shown to those only who may. */
  call: CallDefinition
  /** What it is done to, for who hears the button only: 'DEP-2026-000012'. */
  of: string
  tone?: 'quiet' | 'danger'
  /** Why it cannot be done now. */
  blocked?: string
  /** Whose record it decides about, by id: nobody decides about his own. */
  about?: string
  dialog: OpenedDialog
}

type ActionsProps = {
  actions: readonly Action[]
  /** In place of buttons where there is none. */
  none?: ReactNode
}

const dash = <span className="text-ink-faint">—</span>

/** The actions that a row's state and one's own role permit, as buttons. */
export function Actions({ actions: all, none = dash }: ActionsProps) {
  const actions = all.filter(({ call }) => mayCall(call))
  if (actions.length === 0) return none
  return (
    <div className="flex flex-wrap justify-end gap-2 min-[44rem]:flex-nowrap min-[44rem]:justify-start">
      {actions.map(action => (
        <ActionButton key={action.label} action={action} />
      ))}
    </div>
  )
}

/** Why one's own record is not decided about, on the button that would. */
export const ownRecordWords = 'You cannot decide about your own record'

function ActionButton({ action: { label, of, tone = 'quiet', blocked, about, dialog } }: { action: Action }) {
  const why = about !== undefined && isOwn(about) ? ownRecordWords : blocked
  return (
    <Button
      tone={tone}
      size="sm"
      aria-label={`${label} ${of}`}
      disabled={why !== undefined}
      title={why}
      onClick={() => openAction(dialog)}
    >
      {label}
    </Button>
  )
}
