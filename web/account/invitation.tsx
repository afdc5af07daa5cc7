import type { ReactNode } from 'react'
import { useSearchParams } from 'react-router'
import { acceptInvitation } from '#shared/contract/staff.ts'
import { useAct } from '#web/api/act.ts'
import { go } from '#web/go.ts'
import { pageMeta } from '#web/meta.ts'
import type { PageHandle } from '#web/page.ts'
import { paths } from '#web/paths.ts'
import { Field } from '#web/ui/field.tsx'
import { Form, FormRefusal, missing, SubmitButton, together } from '#web/ui/form.tsx'
import { PasswordInput } from '#web/ui/input.tsx'
import { takeFocus } from '#web/ui/take-focus.ts'
import { AccountHead } from './layout.tsx'
import { newPasswordFault } from './password-rules.ts'

export const handle: PageHandle = { hidden: true }
export const meta = pageMeta('Invitation')

const fields = ['password', 'confirmPassword'] as const

/** By the mailed link somebody becomes staff: he sets his password, and logs in with it. */
export default function InvitationPage() {
  const token = useSearchParams()[0].get('token') ?? ''
  const { run, pending, error } = useAct(acceptInvitation, { onSuccess: () => go(paths.login) })
  if (token === '') {
    return <NotThis>This link is not complete. Copy the whole link out of the e-mail.</NotThis>
  }
  if (error?.code === 'invalid_reset_token' || error?.code === 'email_taken') {
    return <NotThis>{error.message}</NotThis>
  }
  return (
    <>
      <AccountHead title="Your invitation">
        You are invited to work here. Choose a password; with it and the e-mail address that the invitation
        came to, you log in.
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
        <Field name="password" label="Password" hint="At least six characters; a longer one is better.">
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
function NotThis({ children }: { children: ReactNode }) {
  return (
    <div ref={takeFocus} tabIndex={-1} className="outline-none">
      <AccountHead title="Your invitation">{children}</AccountHead>
    </div>
  )
}
