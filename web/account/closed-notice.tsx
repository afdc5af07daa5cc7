import { t } from '#shared/i18n/t.ts'
import { useFragment } from './fragment.ts'

/** Says once more that the account is closed, after its owner has closed it. */
export function ClosedNotice() {
  if (!useFragment('closed')) return null
  return (
    <p role="status" className="border-accent border-s-4 bg-accent-soft px-4 py-3 text-sm">
      {t('Your account is closed. We have emailed you a confirmation.')}
    </p>
  )
}
