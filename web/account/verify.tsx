import { useNavigate, useParams } from 'react-router'
import { requestVerification, verifyEmail } from '#shared/contract/accounts.ts'
import { verificationCodeLength } from '#shared/limits.ts'
import { useAct } from '#web/api/act.ts'
import { pageMeta } from '#web/meta.ts'
import { paths } from '#web/paths.ts'
import type { RouteHandle } from '#web/root.tsx'
import { Button } from '#web/ui/button.tsx'
import { Field } from '#web/ui/field.tsx'
import { Form, missing, SubmitButton } from '#web/ui/form.tsx'
import { Input } from '#web/ui/input.tsx'
import { AccountHead } from './layout.tsx'
import { MailboxHint } from './mailbox-hint.tsx'

export const handle: RouteHandle = { hidden: true }
export const meta = pageMeta('Verify email')

const fields = ['otp'] as const
const required = 'Email verification code is required'

/** Verify e-mail (A-08 to A-10): whose address it is, says the path. */
export default function VerifyPage() {
  const { email = '' } = useParams()
  const navigate = useNavigate()
  const verify = useAct(verifyEmail, { onSuccess: () => void navigate(paths.login) })
  const resend = useAct(requestVerification)
  return (
    <>
      <AccountHead title="VERIFY EMAIL">Enter the six digit verification code sent to your email</AccountHead>
      <Form
        fields={fields}
        check={values => missing(values, fields, required, required)}
        onSubmit={({ otp }) => verify.run({ body: { otp, email } })}
        pending={verify.pending}
        error={verify.error}
      >
        <Field name="otp" label="Verification code" hint={`Sent to ${email}`}>
          <Input
            inputMode="numeric"
            autoComplete="one-time-code"
            maxLength={verificationCodeLength}
            className="text-xl tabular-nums tracking-[0.4em]"
          />
        </Field>
        <SubmitButton>Verify email</SubmitButton>
      </Form>
      <p className="flex flex-wrap items-center gap-x-2 text-ink-soft text-sm">
        Didn't receive code?
        <Button
          tone="plain"
          size="sm"
          busy={resend.pending}
          onClick={() => resend.run({ query: { email }, body: {} })}
        >
          Resend
        </Button>
      </p>
      <MailboxHint to={email} />
    </>
  )
}
