import { t } from '#shared/i18n/t.ts'
import { Field } from '#web/ui/field.tsx'
import { Input } from '#web/ui/input.tsx'

const wide = 'text-xl tabular-nums'

export function AppCodeField({ hint }: { hint?: string }) {
  return (
    <Field
      name="code"
      label={t('Code')}
      hint={hint ?? t('The six digits that your authenticator app shows now.')}
    >
      <Input
        dir="ltr"
        inputMode="numeric"
        autoComplete="one-time-code"
        spellCheck={false}
        autoFocus
        className={`${wide} tracking-[0.4em]`}
      />
    </Field>
  )
}

export function RecoveryCodeField() {
  return (
    <Field
      name="code"
      label={t('Recovery code')}
      hint={t('One of your saved recovery codes. Each works once.')}
    >
      <Input
        dir="ltr"
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
        autoFocus
        className={`${wide} tracking-[0.1em] uppercase`}
      />
    </Field>
  )
}

/** Accepts an app code or a recovery code, for a signed-in user. */
export function AnyCodeField({ autoFocus = false }) {
  return (
    <Field
      name="code"
      label={t('Code')}
      hint={t('From your authenticator app, or one of your recovery codes.')}
    >
      <Input
        dir="ltr"
        autoComplete="one-time-code"
        spellCheck={false}
        autoFocus={autoFocus}
        className={`${wide} tracking-[0.1em]`}
      />
    </Field>
  )
}
