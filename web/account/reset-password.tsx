import { useSearchParams } from 'react-router'
import { resetPassword } from '#shared/contract/accounts.ts'
import { useAct } from '#web/api/act.ts'
import { go } from '#web/go.ts'
import { pageMeta } from '#web/meta.ts'
import type { PageHandle } from '#web/page.ts'
import { paths } from '#web/paths.ts'
import { AskForLink } from './ask-for-link.tsx'
import { AccountHead } from './layout.tsx'
import { InPlaceOfForm, NewPasswordForm } from './new-password-form.tsx'

export const handle: PageHandle = { hidden: true }
export const meta = pageMeta('New password')

const title = 'New password'

/** Sets a new password by the mailed link. */
export default function ResetPasswordPage() {
  const token = useSearchParams()[0].get('token') ?? ''
  const act = useAct(resetPassword, { onSuccess: () => go(paths.login) })
  if (token === '') {
    return (
      <AnotherLink words="This link is not complete. Copy the whole link out of the e-mail, or get another one." />
    )
  }
  if (act.error?.code === 'invalid_reset_token') return <AnotherLink words={act.error.message} />
  return (
    <>
      <AccountHead title={title}>
        Choose a new password. Everywhere you are logged in now, you are logged out.
      </AccountHead>
      <NewPasswordForm label={title} act={act} token={token} />
    </>
  )
}

function AnotherLink({ words }: { words: string }) {
  return (
    <InPlaceOfForm title={title} words={words}>
      <AskForLink />
    </InPlaceOfForm>
  )
}
