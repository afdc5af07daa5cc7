import { useState } from 'react'
import { Link } from 'react-router'
import { forgotPassword } from '#shared/contract/accounts.ts'
import { useAct } from '#web/api/act.ts'
import { pageMeta } from '#web/meta.ts'
import { paths } from '#web/paths.ts'
import { Form, FormRefusal, missing, SubmitButton } from '#web/ui/form.tsx'
import { EmailField } from './email-field.tsx'
import { AccountHead } from './layout.tsx'
import { MailboxHint } from './mailbox-hint.tsx'

export const meta = pageMeta('Forgotten password', {
  path: paths.forgotPassword,
  description: 'Enter the email address of your account and get a link that sets a new password, once.',
})

const fields = ['email'] as const

/** Asks for the mailed link. The answer is the same whether or not the account exists. */
export default function ForgotPasswordPage() {
  const [sentTo, setSentTo] = useState<string>()
  const { run, pending, error } = useAct(forgotPassword)
  return (
    <>
      <AccountHead title="Forgotten password">
        Enter the email address of your account. We send a link that sets a new password, once.
      </AccountHead>
      <Form
        fields={fields}
        check={values => missing(values, fields, 'Email is required', 'Email is required')}
        onSubmit={async ({ email }) => (await run({ body: { email } })) && setSentTo(email)}
        pending={pending}
        error={error}
      >
        <EmailField />
        <FormRefusal />
        <SubmitButton>Send the link</SubmitButton>
      </Form>
      <p role="status" className="text-ink-soft">
        {sentTo && `If ${sentTo} belongs to an account, the link is on its way.`}
      </p>
      {sentTo && <MailboxHint to={sentTo} />}
      <p className="text-sm">
        <Link className="prose-link" to={paths.login}>
          Back to log in
        </Link>
      </p>
    </>
  )
}
