import { useState } from 'react'
import { forgotPassword } from '#shared/contract/accounts.ts'
import { t } from '#shared/i18n/t.ts'
import { useMutation } from '#web/api/mutation.ts'
import { tr } from '#web/tr.ts'
import { Form, FormRefusal, missing, SubmitButton } from '#web/ui/form.tsx'
import { EmailField } from './email-field.tsx'
import { MailboxHint } from './mailbox-hint.tsx'

const fields = ['email'] as const

/** Requests the mailed link that sets a new password. The answer does not reveal whether the account exists. */
export function RequestLink() {
  const [sentTo, setSentTo] = useState<string>()
  const { run, pending, error } = useMutation(forgotPassword)
  return (
    <>
      <Form
        fields={fields}
        check={values => missing(values, fields, t('Email is required'), t('Email is required'))}
        onSubmit={async ({ email }) => (await run({ body: { email } })) && setSentTo(email)}
        pending={pending}
        error={error}
      >
        <EmailField />
        <FormRefusal />
        <SubmitButton>{t('Send the link')}</SubmitButton>
      </Form>
      <p role="status" className="text-ink-soft">
        {sentTo &&
          tr('If {address} belongs to an account, the link is on its way.', {
            address: <bdi>{sentTo}</bdi>,
          })}
      </p>
      {sentTo && <MailboxHint to={sentTo} />}
    </>
  )
}
