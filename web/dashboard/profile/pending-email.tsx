import { useEffect, useRef } from 'react'
import { dropEmailChange, requestVerification, verifyEmail } from '#shared/contract/accounts.ts'
import { t } from '#shared/i18n/t.ts'
import { useMutation } from '#web/api/mutation.ts'
import { tr } from '#web/tr.ts'
import { Button } from '#web/ui/button.tsx'
import { Field } from '#web/ui/field.tsx'
import { Form, FormRefusal, missing, SubmitButton } from '#web/ui/form.tsx'
import { Input } from '#web/ui/input.tsx'

const fields = ['otp'] as const

const required = () => t('Email verification code is required')

type PendingEmailProps = { email: string; pending: string }

/** The requested address until it is verified or dropped; the current one stays active. */
export function PendingEmail({ email, pending }: PendingEmailProps) {
  const head = useRef<HTMLHeadingElement>(null)
  const confirm = useMutation(verifyEmail, { success: t('Your email address has been changed') })
  const resend = useMutation(requestVerification, { success: t('We sent a new code') })
  const drop = useMutation(dropEmailChange)
  // The form that had the focus was replaced.
  useEffect(() => {
    if (document.activeElement === document.body) head.current?.focus()
  }, [])
  return (
    <div className="grid gap-5 border-wait border-s-4 bg-wait-soft p-5">
      <div className="grid gap-1.5">
        <h3 ref={head} tabIndex={-1} className="font-medium text-wait outline-none">
          {t('Confirm your new email address')}
        </h3>
        <p className="text-sm">
          {tr(
            'We have sent a code to {newEmail}. Until you enter it, {email} stays the address of your account: for logging in and for our emails.',
            {
              newEmail: (
                <strong className="font-medium">
                  <bdi>{pending}</bdi>
                </strong>
              ),
              email: <bdi>{email}</bdi>,
            },
          )}
        </p>
      </div>
      <Form
        fields={fields}
        check={values => missing(values, fields, required(), required())}
        onSubmit={({ otp }) => confirm.run({ body: { otp: otp.replace(/\D/g, ''), email: pending } })}
        pending={confirm.pending}
        error={confirm.error}
      >
        <Field name="otp" label={t('Verification code')} className="max-w-60">
          <Input dir="ltr" inputMode="numeric" autoComplete="one-time-code" spellCheck={false} />
        </Field>
        <FormRefusal />
        <div className="flex flex-wrap gap-3">
          <SubmitButton>{t('Confirm new email')}</SubmitButton>
          <Button
            tone="quiet"
            busy={resend.pending}
            onClick={() => resend.run({ query: { email: pending }, body: { email: pending } })}
          >
            {t('Resend code')}
          </Button>
          <Button tone="quiet" busy={drop.pending} onClick={() => drop.run({})}>
            {t('Keep current address')}
          </Button>
        </div>
      </Form>
    </div>
  )
}
