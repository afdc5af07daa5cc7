import { useParams } from 'react-router'
import { requestVerification, verifyEmail } from '#shared/contract/accounts.ts'
import { msg, t } from '#shared/i18n/t.ts'
import { useMutation } from '#web/api/mutation.ts'
import { go } from '#web/go.ts'
import { pageMeta } from '#web/meta.ts'
import type { PageHandle } from '#web/page.ts'
import { paths } from '#web/paths.ts'
import { useRuns } from '#web/runs.ts'
import { tr } from '#web/tr.ts'
import { Field } from '#web/ui/field.tsx'
import { Form, FormRefusal, missing, SubmitButton } from '#web/ui/form.tsx'
import { Input } from '#web/ui/input.tsx'
import { carryEmail } from './email-field.tsx'
import { AccountHead } from './layout.tsx'
import { afterVerification } from './logged-in-notice.tsx'
import { MailboxHint } from './mailbox-hint.tsx'

export const handle: PageHandle = { hidden: true }
export const meta = pageMeta(msg('Verify email'))

const fields = ['otp'] as const
const none: readonly never[] = []

/** People paste codes with spaces or words around them. */
function digitsOf(text: string): string {
  return text.replace(/\D/g, '')
}

/** Verify email, for the address in the path. */
export default function VerifyPage() {
  const { email = '' } = useParams()
  const runs = useRuns()
  const verify = useMutation(verifyEmail, {
    onSuccess() {
      carryEmail(email)
      return go(paths.login, { state: afterVerification })
    },
  })
  const resend = useMutation(requestVerification)
  return (
    <>
      <AccountHead title={t('VERIFY EMAIL')}>
        {t('Enter the six digit verification code sent to your email')}
      </AccountHead>
      <Form
        fields={fields}
        check={values => {
          const required = t('Email verification code is required')
          return missing(values, fields, required, required)
        }}
        onSubmit={({ otp }) => verify.run({ body: { otp: digitsOf(otp), email } })}
        pending={verify.pending}
        error={verify.error}
      >
        <Field
          name="otp"
          label={t('Verification code')}
          hint={tr('Sent to {address}', { address: <bdi>{runs ? email : '…'}</bdi> })}
        >
          <Input
            inputMode="numeric"
            autoComplete="one-time-code"
            spellCheck={false}
            autoFocus
            dir="ltr"
            className="text-xl tabular-nums tracking-[0.4em] rtl:text-end"
          />
        </Field>
        <FormRefusal />
        <SubmitButton>{t('Verify email')}</SubmitButton>
      </Form>
      <Form
        fields={none}
        onSubmit={() => resend.run({ query: { email }, body: { email } })}
        pending={resend.pending}
        className="grid-cols-[auto_1fr] items-center justify-items-start gap-x-2 text-ink-soft text-sm"
      >
        <p>{t("Didn't receive code?")}</p>
        <SubmitButton tone="plain" size="sm">
          {t('Resend')}
        </SubmitButton>
      </Form>
      <MailboxHint {...(runs ? { to: email } : {})} />
    </>
  )
}
