import { useMemo, useRef, useState } from 'react'
import { Link } from 'react-router'
import { login } from '#shared/contract/accounts.ts'
import { useAct } from '#web/api/act.ts'
import { deviceId } from '#web/api/device.ts'
import type { ApiError } from '#web/api/errors.ts'
import { pageMeta } from '#web/meta.ts'
import { paths } from '#web/paths.ts'
import { Field } from '#web/ui/field.tsx'
import { Form, FormRefusal, missing, SubmitButton } from '#web/ui/form.tsx'
import { PasswordInput } from '#web/ui/input.tsx'
import { CodeStep } from './code-step.tsx'
import { EmailField } from './email-field.tsx'
import { useEnter } from './enter.ts'
import { AccountHead } from './layout.tsx'
import { LoggedInNotice } from './logged-in-notice.tsx'
import { PasskeyButton } from './passkey-button.tsx'

export const meta = pageMeta('Log in', {
  path: paths.login,
  description: 'Log in to see your balance, your investments and your statement, line by line.',
})

const fields = ['email', 'password'] as const
type Credentials = Record<(typeof fields)[number], string>

/** Log in: by the password, and by a code where the account has a second factor (F-09). */
export default function LoginPage() {
  // What was right so far, while its code is asked for: in memory, and sent again with it.
  const [right, setRight] = useState<Credentials>()
  const sent = useRef<Credentials>(undefined)
  const { run, pending, error } = useAct(login, {
    onSuccess: useEnter(),
    refusal({ code }) {
      if (code !== 'second_factor_required') return undefined
      setRight(sent.current)
      return false
    },
  })
  function send(credentials: Credentials, code?: string) {
    sent.current = credentials
    return run({ body: { ...credentials, device: deviceId(), code } })
  }
  // What was said of one step, or of one way to take it, is not said of the next.
  const [left, setLeft] = useState<ApiError>()
  const refusal = error?.code === 'second_factor_required' || error === left ? undefined : error
  if (right) {
    return (
      <CodeStep
        onCode={code => send(right, code)}
        onChange={() => setLeft(error)}
        onBack={() => {
          setLeft(error)
          setRight(undefined)
        }}
        pending={pending}
        error={refusal}
      />
    )
  }
  return <PasswordStep onSend={send} pending={pending} error={refusal} />
}

type PasswordStepProps = {
  onSend: (credentials: Credentials) => unknown
  pending: boolean
  error: ApiError | undefined
}

function PasswordStep({ onSend, pending, error }: PasswordStepProps) {
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
        onSubmit={onSend}
        pending={pending}
        error={refusal}
      >
        <EmailField />
        <Field name="password" label="Password">
          <PasswordInput autoComplete="current-password" />
        </Field>
        <FormRefusal />
        <SubmitButton>Log in</SubmitButton>
        <PasskeyButton />
        <p className="text-sm">
          <Link className="prose-link" to={paths.forgotPassword}>
            Forgotten your password?
          </Link>
        </p>
      </Form>
    </>
  )
}
