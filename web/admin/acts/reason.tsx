import type { CallDefinition, CallInput } from '#shared/contract/define.ts'
import { Field } from '#web/ui/field.tsx'
import { type Fault, missing } from '#web/ui/form.tsx'
import { Textarea } from '#web/ui/input.tsx'
import { ActDialog, type ActDialogProps } from './act-dialog.tsx'

/** Who reads why an act is done: the investor, the firm's people beside the account, or the audit log's readers only. */
type Reader = 'investor' | 'staff' | 'log'

const words: Record<Reader, { hint: string; missing: string }> = {
  investor: {
    hint: 'The investor reads this as it stands.',
    missing: 'A reason is required: the investor sees it',
  },
  staff: {
    hint: "For the firm's people only: the owner does not read it.",
    missing: 'A reason is required: it is kept in the log',
  },
  log: {
    hint: 'The audit log keeps it, and the other admins read it.',
    missing: 'A reason is required: the audit log keeps it',
  },
}

const fields = ['reason'] as const

/** Of a form with other fields beside the reason. */
export function reasonFault(values: { reason: string }, reader: Reader = 'log'): Fault | undefined {
  return missing(values, fields, words[reader].missing, words[reader].missing)
}

export function ReasonField({ reader = 'log', autoFocus }: { reader?: Reader; autoFocus?: boolean }) {
  return (
    <Field name="reason" label="Reason" hint={words[reader].hint}>
      <Textarea rows={3} maxLength={500} autoFocus={autoFocus} />
    </Field>
  )
}

type ReasonDialogProps<C extends CallDefinition> = Omit<
  ActDialogProps<C, never>,
  'fields' | 'check' | 'input'
> & {
  reader: Reader
  input: (reason: string) => CallInput<C>
}

/** An act that is never done without a reason: declining (D1.5), freezing, ending, retiring. */
export function ReasonDialog<C extends CallDefinition>({
  reader,
  input,
  children,
  ...dialog
}: ReasonDialogProps<C>) {
  return (
    <ActDialog
      {...dialog}
      fields={fields}
      check={values => reasonFault(values, reader)}
      input={({ reason }) => input(reason.trim())}
    >
      {children}
      <ReasonField reader={reader} autoFocus />
    </ActDialog>
  )
}
