import type { CallDefinition, CallInput } from '#shared/contract/define.ts'
import { Field } from '#web/ui/field.tsx'
import { type Fault, missing } from '#web/ui/form.tsx'
import { Textarea } from '#web/ui/input.tsx'
import { ActDialog, type Entry } from './act-dialog.tsx'

export const reasonFields = ['reason'] as const
const reasonMissing = 'A reason is required: the investor sees it'

export function reasonFault(values: { reason: string }): Fault | undefined {
  return missing(values, reasonFields, reasonMissing, reasonMissing)
}

export function ReasonField() {
  return (
    <Field name="reason" label="Reason" hint="The investor reads this as it stands.">
      <Textarea rows={3} maxLength={500} autoFocus />
    </Field>
  )
}

type DeclineDialogProps<C extends CallDefinition> = {
  call: C
  title: string
  description: string
  entries: readonly Entry[]
  confirm: string
  shown?: { of: string; to: string }
  input: (reason: string) => CallInput<C>
  onClose: () => void
}

/** Declining always needs a reason, which the investor sees (D1.5). */
export function DeclineDialog<C extends CallDefinition>({ input, ...dialog }: DeclineDialogProps<C>) {
  return (
    <ActDialog
      {...dialog}
      tone="danger"
      fields={reasonFields}
      check={reasonFault}
      input={({ reason }) => input(reason.trim())}
    >
      <ReasonField />
    </ActDialog>
  )
}
