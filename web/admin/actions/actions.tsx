import type { ReactNode } from 'react'
import type { CallDefinition } from '#shared/contract/define.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { isOwn, mayCall } from '#web/admin/rights.ts'
import { Button } from '#web/ui/button.tsx'
import { type OpenedDialog, openAction } from './open.ts'

/** An action on a row: a button and its dialog. */
export type Action = {
  /** 'Approve' */
  label: string
  /** The call it makes; the button shows only to those who may call it. */
  call: CallDefinition
  /** The record, for screen readers: 'DEP-2026-000012'. */
  of: string
  /** The button's whole name for screen readers, where label and record alone are no sentence: 'Change role of Ada'. */
  name?: string
  tone?: 'quiet' | 'danger'
  /** Why it is disabled. */
  blocked?: string
  /** Owner of the record: no one decides about their own. */
  about?: string
  dialog: OpenedDialog
}

type ActionsProps = {
  actions: readonly Action[]
  /** Shown if there are no buttons. */
  none?: ReactNode
}

const dash = <span className="text-ink-faint">—</span>

/** Buttons for the actions that the row's state and the user's role permit. */
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

/** Title of a button disabled on one's own record. */
export const ownRecordWords = msg('You cannot decide about your own record')

function ActionButton({ action }: { action: Action }) {
  const { label, of, name, tone = 'quiet', blocked, about, dialog } = action
  const why = about !== undefined && isOwn(about) ? translate(ownRecordWords) : blocked
  return (
    <Button
      tone={tone}
      size="sm"
      aria-label={name ?? t('{action} {record}', { action: label, record: of })}
      disabled={why !== undefined}
      title={why}
      onClick={() => openAction(dialog)}
    >
      {label}
    </Button>
  )
}
