import { resetPassword } from '#shared/contract/accounts.ts'
import { msg, t } from '#shared/i18n/t.ts'
import { minimumPasswordLength } from '#shared/limits.ts'
import { useMutation } from '#web/api/mutation.ts'
import { go } from '#web/go.ts'
import { pageMeta } from '#web/meta.ts'
import type { PageHandle } from '#web/page.ts'
import { paths } from '#web/paths.ts'
import { useFragment } from './fragment.ts'
import { AccountHead } from './layout.tsx'
import { FormReplacement, NewPasswordForm } from './new-password-form.tsx'
import { RequestLink } from './request-link.tsx'

export const handle: PageHandle = { hidden: true }
export const meta = pageMeta(msg('New password'))

/** Sets a new password by the mailed link. */
export default function ResetPasswordPage() {
  const title = t('New password')
  const token = useFragment('token')
  const mutation = useMutation(resetPassword, { onSuccess: () => go(paths.login) })
  if (token === '') {
    return (
      <AnotherLink
        words={t('This link is not complete. Copy the whole link from the email, or request a new one.')}
      />
    )
  }
  if (mutation.error?.code === 'invalid_reset_token') return <AnotherLink words={mutation.error.message} />
  return (
    <>
      <AccountHead title={title}>{t("Choose a new password. You'll be logged out everywhere.")}</AccountHead>
      <NewPasswordForm label={title} mutation={mutation} token={token} minimum={minimumPasswordLength} />
    </>
  )
}

function AnotherLink({ words }: { words: string }) {
  return (
    <FormReplacement title={t('New password')} words={words}>
      <RequestLink />
    </FormReplacement>
  )
}
