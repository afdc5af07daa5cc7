import { useMemo, useRef, useState } from 'react'
import { Link } from 'react-router'
import { login } from '#shared/contract/accounts.ts'
import { msg, t } from '#shared/i18n/t.ts'
import { deviceId } from '#web/api/device.ts'
import type { ApiError } from '#web/api/errors.ts'
import { useMutation } from '#web/api/mutation.ts'
import { pageMeta } from '#web/meta.ts'
import { paths } from '#web/paths.ts'
import { tr } from '#web/tr.ts'
import { Field } from '#web/ui/field.tsx'
import { Form, FormRefusal, missing, SubmitButton } from '#web/ui/form.tsx'
import { PasswordInput } from '#web/ui/input.tsx'
import { useAfterLogin } from './after-login.ts'
import { ClosedNotice } from './closed-notice.tsx'
import { CodeStep } from './code-step.tsx'
import { EmailField, focusEmail } from './email-field.tsx'
import { AccountHead } from './layout.tsx'
import { LoggedIn } from './logged-in-notice.tsx'
import { PasskeyButton } from './passkey-button.tsx'
import { useTypeLoggedIn } from './type-logged-in.ts'

export const meta = pageMeta(msg('Log in'), {
  path: paths.login,
  description: msg('Log in to see your balance, your investments and your statement.'),
})

const fields = ['email', 'password'] as const
type Credentials = Record<(typeof fields)[number], string>

/** Log in with the password and, with two-factor authentication, a code (F-09). */
export default function LoginPage() {
  const loggedIn = useTypeLoggedIn()
  const [isOther, setOther] = useState(false)
  // Accepted credentials, kept in memory to be sent again with the code.
  const [accepted, setAccepted] = useState<Credentials>()
  const sent = useRef<Credentials>(undefined)
  const { run, pending, error } = useMutation(login, {
    onSuccess: useAfterLogin(),
    refusal({ code }) {
      if (code !== 'second_factor_required') return undefined
      setAccepted(sent.current)
      return false
    },
  })
  function send(credentials: Credentials, code?: string) {
    sent.current = credentials
    return run({ body: { ...credentials, device: deviceId(), code } })
  }
  // An error of one step is not shown on the next.
  const [dismissed, setDismissed] = useState<ApiError>()
  const refusal = error?.code === 'second_factor_required' || error === dismissed ? undefined : error
  if (accepted) {
    return (
      <CodeStep
        onCode={code => send(accepted, code)}
        onChange={() => setDismissed(error)}
        onBack={() => {
          setDismissed(error)
          setAccepted(undefined)
        }}
        pending={pending}
        error={refusal}
      />
    )
  }
  function asOther() {
    focusEmail()
    setOther(true)
  }
  if (loggedIn && !isOther) return <LoggedIn type={loggedIn} onOther={asOther} />
  return <PasswordStep onSend={send} pending={pending} error={refusal} />
}

type PasswordStepProps = {
  onSend: (credentials: Credentials) => unknown
  pending: boolean
  error: ApiError | undefined
}

function PasswordStep({ onSend, pending, error }: PasswordStepProps) {
  // The answer does not reveal which of the two is wrong; most people have to retype the password.
  const refusal = useMemo(
    () =>
      error?.code === 'invalid_credentials'
        ? { message: error.message, fields: { password: error.message } }
        : error,
    [error],
  )
  return (
    <>
      <AccountHead title={t('Log in')}>
        {tr('No account yet? <link>Register</link>', {
          link: words => (
            <Link className="prose-link" to={paths.register}>
              {words}
            </Link>
          ),
        })}
      </AccountHead>
      <ClosedNotice />
      <Form
        fields={fields}
        check={values => missing(values, fields, t('Email and password are required'))}
        onSubmit={onSend}
        pending={pending}
        error={refusal}
      >
        <EmailField />
        <Field name="password" label={t('Password')}>
          <PasswordInput autoComplete="current-password" />
        </Field>
        <FormRefusal />
        <SubmitButton>{t('Log in')}</SubmitButton>
        <PasskeyButton />
        <p className="text-sm">
          <Link className="prose-link" to={paths.forgotPassword}>
            {t('Forgotten your password?')}
          </Link>
        </p>
      </Form>
    </>
  )
}
