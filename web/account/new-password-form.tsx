import type { ReactNode } from 'react'
import type { resetPassword } from '#shared/contract/accounts.ts'
import type { acceptInvitation } from '#shared/contract/staff.ts'
import type { Act } from '#web/api/act.ts'
import { Field } from '#web/ui/field.tsx'
import { Form, FormRefusal, mergeFaults, missing, SubmitButton } from '#web/ui/form.tsx'
import { PasswordInput } from '#web/ui/input.tsx'
import { takeFocus } from '#web/ui/take-focus.ts'
import { AccountHead } from './layout.tsx'
import { newPasswordFault } from './password-rules.ts'

const fields = ['password', 'confirmPassword'] as const

type NewPasswordFormProps = {
  /** What the password is called here. */
  label: string
  act: Act<typeof resetPassword> | Act<typeof acceptInvitation>
  /** Of the mailed link. */
  token: string
}

/** Sets a password by a mailed link. */
export function NewPasswordForm({ label, act: { run, pending, error }, token }: NewPasswordFormProps) {
  return (
    <Form
      fields={fields}
      check={values =>
        mergeFaults(missing(values, fields, 'Both fields are required'), newPasswordFault(values))
      }
      onSubmit={({ password }) => run({ body: { token, password } })}
      pending={pending}
      error={error}
    >
      <Field name="password" label={label} hint="At least six characters; a longer one is better.">
        <PasswordInput autoComplete="new-password" />
      </Field>
      <Field name="confirmPassword" label="Confirm password">
        <PasswordInput autoComplete="new-password" />
      </Field>
      <FormRefusal />
      <SubmitButton>Set password</SubmitButton>
    </Form>
  )
}

type InPlaceOfFormProps = { title: string; words: string; children?: ReactNode }

/** In place of the form: nothing that is typed there would be taken with this link. */
export function InPlaceOfForm({ title, words, children }: InPlaceOfFormProps) {
  return (
    <div ref={takeFocus} tabIndex={-1} className="grid gap-8 outline-none">
      <AccountHead title={title}>{words}</AccountHead>
      {children}
    </div>
  )
}
