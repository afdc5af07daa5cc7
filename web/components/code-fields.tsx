import { Field } from '#web/ui/field.tsx'
import { Input } from '#web/ui/input.tsx'

const wide = 'text-xl tabular-nums'

/** The six digits that an authenticator app shows. */
export function AppCodeField({ hint = 'The six digits that your authenticator app shows now.' }) {
  return (
    <Field name="code" label="Code" hint={hint}>
      <Input
        inputMode="numeric"
        autoComplete="one-time-code"
        spellCheck={false}
        autoFocus
        className={`${wide} tracking-[0.4em]`}
      />
    </Field>
  )
}

/** One of the codes that were kept for when the app is not at hand. */
export function RecoveryCodeField() {
  return (
    <Field name="code" label="Recovery code" hint="One of your saved recovery codes. Each works once.">
      <Input
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
        autoFocus
        className={`${wide} tracking-[0.1em] uppercase`}
      />
    </Field>
  )
}

/** Either of them, where it is the account's owner who is signed in. */
export function AnyCodeField({ autoFocus = false }) {
  return (
    <Field name="code" label="Code" hint="From your authenticator app, or one of your recovery codes.">
      <Input
        autoComplete="one-time-code"
        spellCheck={false}
        autoFocus={autoFocus}
        className={`${wide} tracking-[0.1em]`}
      />
    </Field>
  )
}
