import { acceptInvitation } from '#shared/contract/staff.ts'
import { msg, t } from '#shared/i18n/t.ts'
import { staffPasswordLength } from '#shared/limits.ts'
import { useMutation } from '#web/api/mutation.ts'
import { go } from '#web/go.ts'
import { pageMeta } from '#web/meta.ts'
import type { PageHandle } from '#web/page.ts'
import { paths } from '#web/paths.ts'
import { useFragment } from './fragment.ts'
import { AccountHead } from './layout.tsx'
import { FormReplacement, NewPasswordForm } from './new-password-form.tsx'

export const handle: PageHandle = { hidden: true }
export const meta = pageMeta(msg('Invitation'))

/** The mailed invitation: the invited person sets a password and becomes staff. */
export default function InvitationPage() {
  const title = t('Your invitation')
  const token = useFragment('token')
  const mutation = useMutation(acceptInvitation, { onSuccess: () => go(paths.login) })
  if (token === '') {
    return (
      <FormReplacement
        title={title}
        words={t('This link is not complete. Copy the whole link from the email.')}
      />
    )
  }
  if (mutation.error?.code === 'invalid_reset_token' || mutation.error?.code === 'email_taken') {
    return <FormReplacement title={title} words={mutation.error.message} />
  }
  return (
    <>
      <AccountHead title={title}>
        {t(
          "You are invited to join the team. Choose a password. You'll log in with it and the email address that we sent the invitation to.",
        )}
      </AccountHead>
      <NewPasswordForm
        label={t('Password')}
        mutation={mutation}
        token={token}
        minimum={staffPasswordLength}
      />
    </>
  )
}
