import { useSearchParams } from 'react-router'
import { acceptInvitation } from '#shared/contract/staff.ts'
import { useAct } from '#web/api/act.ts'
import { go } from '#web/go.ts'
import { pageMeta } from '#web/meta.ts'
import type { PageHandle } from '#web/page.ts'
import { paths } from '#web/paths.ts'
import { AccountHead } from './layout.tsx'
import { InPlaceOfForm, NewPasswordForm } from './new-password-form.tsx'

export const handle: PageHandle = { hidden: true }
export const meta = pageMeta('Invitation')

const title = 'Your invitation'

/** By the mailed link somebody becomes staff: he sets his password, and logs in with it. */
export default function InvitationPage() {
  const token = useSearchParams()[0].get('token') ?? ''
  const act = useAct(acceptInvitation, { onSuccess: () => go(paths.login) })
  if (token === '') {
    return (
      <InPlaceOfForm
        title={title}
        words="This link is not complete. Copy the whole link out of the e-mail."
      />
    )
  }
  if (act.error?.code === 'invalid_reset_token' || act.error?.code === 'email_taken') {
    return <InPlaceOfForm title={title} words={act.error.message} />
  }
  return (
    <>
      <AccountHead title={title}>
        You are invited to work here. Choose a password; with it and the e-mail address that the invitation
        came to, you log in.
      </AccountHead>
      <NewPasswordForm label="Password" act={act} token={token} />
    </>
  )
}
