import type { CallDefinition, CallInput } from '#shared/contract/define.ts'
import { Field } from '#web/ui/field.tsx'
import { missing } from '#web/ui/form.tsx'
import { Textarea } from '#web/ui/input.tsx'
import { ActDialog, type Entry } from './act-dialog.tsx'

const fields = ['reason'] as const
const reasonMissing = 'A reason is required: the investor sees it'

type DeclineDialogProps<C extends CallDefinition> = {
  call: C
  title: string
  description: string
  entries: readonly Entry[]
  confirm: string
  input: (reason: string) => CallInput<C>
  onClose: () => void
}

/** Declining always needs a reason, which the investor sees (D1.5). */
export function DeclineDialog<C extends CallDefinition>({ input, ...dialog }: DeclineDialogProps<C>) {
  return (
    <ActDialog
      {...dialog}
      tone="danger"
      fields={fields}
      check={values => missing(values, fields, reasonMissing, reasonMissing)}
      input={({ reason }) => input(reason.trim())}
    >
      <Field name="reason" label="Reason" hint="The investor reads this as it stands.">
        <Textarea rows={3} maxLength={500} autoFocus />
      </Field>
    </ActDialog>
  )
}
