import { Field } from '#web/ui/field.tsx'
import { type Fault, missing } from '#web/ui/form.tsx'
import { Textarea } from '#web/ui/input.tsx'

const missingWords = 'A reason is required: the audit log keeps it'

export function whyFault(values: { reason: string }): Fault | undefined {
  return missing(values, ['reason'], missingWords, missingWords)
}

/** Why an act is done that only staff hear of. */
export function WhyField({ autoFocus }: { autoFocus?: boolean }) {
  return (
    <Field name="reason" label="Reason" hint="The audit log keeps it, and the other admins read it.">
      <Textarea rows={3} maxLength={500} autoFocus={autoFocus} />
    </Field>
  )
}
