import { Link } from 'react-router'
import { pageMeta } from '#web/meta.ts'
import { paths } from '#web/paths.ts'
import { AskForLink } from './ask-for-link.tsx'
import { AccountHead } from './layout.tsx'

export const meta = pageMeta('Forgotten password', {
  path: paths.forgotPassword,
  description: 'Enter the email address of your account and get a link that sets a new password, once.',
})

/** The way back in without the password. */
export default function ForgotPasswordPage() {
  return (
    <>
      <AccountHead title="Forgotten password">
        Enter the email address of your account. We send a link that sets a new password, once.
      </AccountHead>
      <AskForLink />
      <p className="text-sm">
        <Link className="prose-link" to={paths.login}>
          Back to log in
        </Link>
      </p>
    </>
  )
}
