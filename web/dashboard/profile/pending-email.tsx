import { useEffect, useRef } from 'react'
import { dropEmailChange, requestVerification, verifyEmail } from '#shared/contract/accounts.ts'
import { useMutation } from '#web/api/mutation.ts'
import { Button } from '#web/ui/button.tsx'
import { Field } from '#web/ui/field.tsx'
import { Form, FormRefusal, missing, SubmitButton } from '#web/ui/form.tsx'
import { Input } from '#web/ui/input.tsx'

const fields = ['otp'] as const
const required = 'Email verification code is required'

type PendingEmailProps = { email: string; pending: string }

/** The requested address until it is verified or dropped; the current one stays active. */
export function PendingEmail({ email, pending }: PendingEmailProps) {
  const head = useRef<HTMLHeadingElement>(null)
  const confirm = useMutation(verifyEmail, { success: 'Your email address has been changed' })
  const resend = useMutation(requestVerification, { success: 'We sent a new code' })
  const drop = useMutation(dropEmailChange)
  // The form that had the focus was replaced.
  useEffect(() => {
    if (document.activeElement === document.body) head.current?.focus()
  }, [])
  return (
    <div className="grid gap-5 border-wait border-l-4 bg-wait-soft p-5">
      <div className="grid gap-1.5">
        <h3 ref={head} tabIndex={-1} className="font-medium text-wait outline-none">
          Confirm your new email address
        </h3>
        <p className="text-sm">
          We have sent a code to <strong className="font-medium">{pending}</strong>. Until you enter it,{' '}
          {email} stays the address of your account: for logging in and for our emails.
        </p>
      </div>
      <Form
        fields={fields}
        check={values => missing(values, fields, required, required)}
        onSubmit={({ otp }) => confirm.run({ body: { otp: otp.replace(/\D/g, ''), email: pending } })}
        pending={confirm.pending}
        error={confirm.error}
      >
        <Field name="otp" label="Verification code" className="max-w-60">
          <Input inputMode="numeric" autoComplete="one-time-code" spellCheck={false} />
        </Field>
        <FormRefusal />
        <div className="flex flex-wrap gap-3">
          <SubmitButton>Confirm new email</SubmitButton>
          <Button
            tone="quiet"
            busy={resend.pending}
            onClick={() => resend.run({ query: { email: pending }, body: { email: pending } })}
          >
            Resend code
          </Button>
          <Button tone="quiet" busy={drop.pending} onClick={() => drop.run({})}>
            Keep current address
          </Button>
        </div>
      </Form>
    </div>
  )
}
