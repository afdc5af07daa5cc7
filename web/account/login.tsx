import { useMemo } from 'react'
import { Link, useNavigate } from 'react-router'
import { login } from '#shared/contract/accounts.ts'
import { useAct } from '#web/api/act.ts'
import { deviceId } from '#web/api/device.ts'
import { beginSession } from '#web/api/session.ts'
import { landingOf, useWanted } from '#web/landing.ts'
import { pageMeta } from '#web/meta.ts'
import { paths } from '#web/paths.ts'
import { Field } from '#web/ui/field.tsx'
import { Form, FormRefusal, missing, SubmitButton } from '#web/ui/form.tsx'
import { PasswordInput } from '#web/ui/input.tsx'
import { EmailField } from './email-field.tsx'
import { AccountHead } from './layout.tsx'
import { LoggedInNotice } from './logged-in-notice.tsx'

export const meta = pageMeta('Log in', {
  path: paths.login,
  description: 'Log in to see your balance, your investments and your statement, line by line.',
})

const fields = ['email', 'password'] as const

/** Log in. */
export default function LoginPage() {
  const navigate = useNavigate()
  const wanted = useWanted()
  const { run, pending, error } = useAct(login, {
    onSuccess(data) {
      beginSession(data)
      // In place of this page: whoever goes back from there is not asked again.
      return navigate(landingOf(data.user.type, wanted), { replace: true })
    },
  })
  // Which of the two is wrong nobody is told; the password is what most people have to type again.
  const refusal = useMemo(
    () =>
      error?.code === 'invalid_credentials'
        ? { message: error.message, fields: { password: error.message } }
        : error,
    [error],
  )
  return (
    <>
      <AccountHead title="Log in">
        No account yet?{' '}
        <Link className="prose-link" to={paths.register}>
          Sign up
        </Link>
      </AccountHead>
      <LoggedInNotice />
      <Form
        fields={fields}
        check={values => missing(values, fields, 'Email and password are required')}
        onSubmit={values => run({ body: { ...values, device: deviceId() } })}
        pending={pending}
        error={refusal}
      >
        <EmailField />
        <Field name="password" label="Password">
          <PasswordInput autoComplete="current-password" />
        </Field>
        <FormRefusal />
        <SubmitButton>Log in</SubmitButton>
        <p className="text-sm">
          <Link className="prose-link" to={paths.forgotPassword}>
            Forgotten your password?
          </Link>
        </p>
      </Form>
    </>
  )
}
