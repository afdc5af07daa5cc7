import { type ReactNode, useState } from 'react'
import type { CallDefinition } from '#shared/contract/define.ts'
import { mayCall } from '#web/admin/rights.ts'
import { Button } from '#web/ui/button.tsx'

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
  dialog: (close: () => void) => ReactNode
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
  const [open, setOpen] = useState<string>()
  // Found anew at each rendering: its row may have been read again meanwhile. Kept while the act that it opened is on show.
  const [asked, setAsked] = useState<Action>()
  const close = () => {
    setOpen(undefined)
    setAsked(undefined)
  }
  const current = actions.find(action => action.label === open) ?? asked
  if (actions.length === 0 && !current) return none
  return (
    <>
      <div className="flex flex-wrap justify-end gap-2 min-[44rem]:flex-nowrap min-[44rem]:justify-start">
        {actions.map(action => (
          <Button
            key={action.label}
            tone={action.tone ?? 'quiet'}
            size="sm"
            aria-label={`${action.label} ${action.of}`}
            disabled={action.blocked !== undefined}
            title={action.blocked}
            onClick={() => {
              setOpen(action.label)
              setAsked(action)
            }}
          >
            {action.label}
          </Button>
        ))}
      </div>
      {current?.dialog(close)}
    </>
  )
}
