import { Link } from 'react-router'
import { msg, t } from '#shared/i18n/t.ts'
import { pageMeta } from '#web/meta.ts'
import { paths } from '#web/paths.ts'
import { AccountHead } from './layout.tsx'
import { RequestLink } from './request-link.tsx'

export const meta = pageMeta(msg('Forgotten password'), {
  path: paths.forgotPassword,
  description: msg(
    'Enter the email address of your account and we will send you a link to set a new password.',
  ),
})

/** Forgotten password. */
export default function ForgotPasswordPage() {
  return (
    <>
      <AccountHead title={t('Forgotten password')}>
        {t("Enter the email address of your account. We'll send you a one-time link to set a new password.")}
      </AccountHead>
      <RequestLink />
      <p className="text-sm">
        <Link className="prose-link" to={paths.login}>
          {t('Back to log in')}
        </Link>
      </p>
    </>
  )
}
