import { msg, t, translate } from '#shared/i18n/t.ts'
import { Field } from '#web/ui/field.tsx'
import { missing, type ValidationError } from '#web/ui/form.tsx'
import { Textarea } from '#web/ui/input.tsx'

/** Who can read the reason: the investor, staff, or only readers of the audit log. */
export type Reader = 'investor' | 'staff' | 'log'

const words: Record<Reader, { hint: string; missing: string }> = {
  investor: {
    hint: msg('Shown to the investor exactly as written.'),
    missing: msg('Enter a reason. The investor will see it'),
  },
  staff: {
    hint: msg('Only staff can read it. The account’s owner cannot.'),
    missing: msg('Enter a reason. It is kept in the audit log'),
  },
  log: {
    hint: msg('Kept in the audit log, where other admins can read it.'),
    missing: msg('Enter a reason. It is kept in the audit log'),
  },
}

export const reasonFields = ['reason'] as const

/** Error of a required reason. */
export function reasonError(values: { reason: string }, reader: Reader = 'log'): ValidationError | undefined {
  const message = translate(words[reader].missing)
  return missing(values, reasonFields, message, message)
}

type ReasonFieldProps = {
  reader?: Reader
  optional?: boolean
  autoFocus?: boolean
  onText?: (text: string) => void
  /** Overrides the form's. */
  error?: string | undefined
}

export function ReasonField({
  reader = 'log',
  optional = false,
  autoFocus,
  onText,
  error,
}: ReasonFieldProps) {
  return (
    <Field
      name="reason"
      label={t('Reason')}
      optional={optional}
      hint={translate(words[reader].hint)}
      {...(error === undefined ? {} : { error })}
    >
      <Textarea
        rows={optional ? 2 : 3}
        maxLength={500}
        autoFocus={autoFocus}
        onChange={onText && (event => onText(event.target.value))}
      />
    </Field>
  )
}

/** Adds a given reason to the call's body. */
export function withReason<Input>(input: Input, reason: string): Input {
  const given = reason.trim()
  if (given === '') return input
  const { body } = input as { body?: object }
  return { ...input, body: { ...body, reason: given } }
}
