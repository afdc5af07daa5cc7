import { t } from '#shared/i18n/t.ts'
import { mustSetUp } from '#web/api/tokens.ts'

/** Explains why an admin of a live firm can open only this page (F-08). */
export function SetUpFirst() {
  if (!mustSetUp()) return null
  return (
    <p className="max-w-2xl border-wait border-s-4 bg-wait-soft px-4 py-3 text-sm text-wait">
      {t(
        'Admins need two-factor authentication to open the console. Set it up here or add a passkey. If you already have a passkey, log out and log in with it.',
      )}
    </p>
  )
}
