import type { ReactNode } from 'react'
import { useSearchParams } from 'react-router'
import { resetPassword } from '#shared/contract/accounts.ts'
import { useAct } from '#web/api/act.ts'
import { go } from '#web/go.ts'
import { pageMeta } from '#web/meta.ts'
import type { PageHandle } from '#web/page.ts'
import { paths } from '#web/paths.ts'
import { Field } from '#web/ui/field.tsx'
import { Form, FormRefusal, missing, SubmitButton, together } from '#web/ui/form.tsx'
import { PasswordInput } from '#web/ui/input.tsx'
import { takeFocus } from '#web/ui/take-focus.ts'
import { AskForLink } from './ask-for-link.tsx'
import { AccountHead } from './layout.tsx'
import { newPasswordFault } from './password-rules.ts'

export const handle: PageHandle = { hidden: true }
export const meta = pageMeta('New password')

const fields = ['password', 'confirmPassword'] as const

/** Sets a new password by the mailed link. */
export default function ResetPasswordPage() {
  const token = useSearchParams()[0].get('token') ?? ''
  const { run, pending, error } = useAct(resetPassword, { onSuccess: () => go(paths.login) })
  if (token === '') {
    return (
      <AnotherLink>
        This link is not complete. Copy the whole link out of the e-mail, or get another one.
      </AnotherLink>
    )
  }
  if (error?.code === 'invalid_reset_token') {
    return <AnotherLink>{error.message}</AnotherLink>
  }
  return (
    <>
      <AccountHead title="New password">
        Choose a new password. Everywhere you are logged in now, you are logged out.
      </AccountHead>
      <Form
        fields={fields}
        check={values =>
          together(missing(values, fields, 'Both fields are required'), newPasswordFault(values))
        }
        onSubmit={({ password }) => run({ body: { token, password } })}
        pending={pending}
        error={error}
      >
        <Field name="password" label="New password" hint="At least six characters; a longer one is better.">
          <PasswordInput autoComplete="new-password" />
        </Field>
        <Field name="confirmPassword" label="Confirm password">
          <PasswordInput autoComplete="new-password" />
        </Field>
        <FormRefusal />
        <SubmitButton>Set password</SubmitButton>
      </Form>
    </>
  )
}

/** In place of the form: nothing that is typed there would be taken with this link. */
function AnotherLink({ children }: { children: ReactNode }) {
  return (
    <div ref={takeFocus} tabIndex={-1} className="grid gap-8 outline-none">
      <AccountHead title="New password">{children}</AccountHead>
      <AskForLink />
    </div>
  )
}
