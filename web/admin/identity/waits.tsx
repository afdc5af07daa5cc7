import { Link } from 'react-router'
import { listChecks } from '#shared/contract/identity.ts'
import { t } from '#shared/i18n/t.ts'
import type { CheckKind } from '#shared/identity.ts'
import { mayCall } from '#web/admin/rights.ts'
import { consolePaths } from '#web/console-paths.ts'

/** Why a pending withdrawal or investment cannot be approved yet: its owner lacks a proof. */
export function WaitsFor({ kind, user }: { kind: CheckKind; user: string }) {
  return (
    <span className="text-bad text-sm">
      {kind === 'identity'
        ? t('It waits for proof of identity, which its owner lacks. It can be declined.')
        : t('It waits for proof of the source of funds, which its owner lacks. It can be declined.')}{' '}
      {mayCall(listChecks) && (
        <Link className="prose-link" to={consolePaths.checksOf(user)}>
          {t('View checks')}
        </Link>
      )}
    </span>
  )
}
