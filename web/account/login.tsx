import { Link, useNavigate } from 'react-router'
import { login } from '#shared/contract/accounts.ts'
import { useAct } from '#web/api/act.ts'
import { beginSession } from '#web/api/session.ts'
import { pageMeta } from '#web/meta.ts'
import { paths } from '#web/paths.ts'
import { Field } from '#web/ui/field.tsx'
import { Form, missing, SubmitButton } from '#web/ui/form.tsx'
import { Input, PasswordInput } from '#web/ui/input.tsx'
import { AccountHead } from './layout.tsx'

export const meta = pageMeta('Log in', 'Log in to your account.')

const fields = ['email', 'password'] as const

/** Log in. */
export default function LoginPage() {
  const navigate = useNavigate()
  const { run, pending, error } = useAct(login, {
    onSuccess(data) {
      beginSession(data)
      void navigate(data.user.type === 'admin' ? paths.admin.home : paths.dashboard.home)
    },
  })
  return (
    <>
      <AccountHead title="Log in">
        No account yet?{' '}
        <Link className="prose-link" to={paths.register}>
          Sign up
        </Link>
      </AccountHead>
      <Form
        fields={fields}
        check={values => missing(values, fields, 'Email and password are required')}
        onSubmit={values => run({ body: values })}
        pending={pending}
        error={error}
      >
        <Field name="email" label="Email">
          <Input type="email" autoComplete="username" />
        </Field>
        <Field name="password" label="Password">
          <PasswordInput autoComplete="current-password" />
        </Field>
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
