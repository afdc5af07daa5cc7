import type { ReactNode } from 'react'
import type { resetPassword } from '#shared/contract/accounts.ts'
import type { acceptInvitation } from '#shared/contract/staff.ts'
import { t } from '#shared/i18n/t.ts'
import type { Mutation } from '#web/api/mutation.ts'
import { Field } from '#web/ui/field.tsx'
import { Form, FormRefusal, mergeErrors, missing, SubmitButton } from '#web/ui/form.tsx'
import { PasswordInput } from '#web/ui/input.tsx'
import { takeFocus } from '#web/ui/take-focus.ts'
import { AccountHead } from './layout.tsx'
import { newPasswordError } from './password-rules.ts'

const fields = ['password', 'confirmPassword'] as const

type NewPasswordFormProps = {
  /** The password field's label. */
  label: string
  mutation: Mutation<typeof resetPassword> | Mutation<typeof acceptInvitation>
  /** The mailed link's token; undefined until the page runs. */
  token: string | undefined
  /** The fewest characters. */
  minimum: number
}

/** Sets a password by a mailed link. */
export function NewPasswordForm({ label, mutation, token, minimum }: NewPasswordFormProps) {
  const { run, pending, error } = mutation
  return (
    <Form
      fields={fields}
      check={values =>
        mergeErrors(missing(values, fields, t('Both fields are required')), newPasswordError(values))
      }
      onSubmit={({ password }) => run({ body: { token: token ?? '', password } })}
      pending={pending}
      error={error}
    >
      <Field
        name="password"
        label={label}
        hint={t('At least {minimum} characters. Three or four unrelated words are hard to guess.', {
          minimum,
        })}
      >
        <PasswordInput autoComplete="new-password" />
      </Field>
      <Field name="confirmPassword" label={t('Confirm password')}>
        <PasswordInput autoComplete="new-password" />
      </Field>
      <FormRefusal />
      <SubmitButton>{t('Set password')}</SubmitButton>
    </Form>
  )
}

type FormReplacementProps = { title: string; words: string; children?: ReactNode }

/** Shown instead of the form when the link does not work. */
export function FormReplacement({ title, words, children }: FormReplacementProps) {
  return (
    <div ref={takeFocus} tabIndex={-1} className="grid gap-8 outline-none">
      <AccountHead title={title}>{words}</AccountHead>
      {children}
    </div>
  )
}
