import { Link } from 'react-router'
import { listChecks } from '#shared/contract/identity.ts'
import { type CheckKind, checkWords } from '#shared/identity.ts'
import { mayCall } from '#web/admin/rights.ts'
import { consolePaths } from '#web/console-paths.ts'
import { tr } from '#web/tr.ts'

/** Why a pending withdrawal or investment cannot be approved yet: its owner lacks a proof. */
export function WaitsFor({ kind, user }: { kind: CheckKind; user: string }) {
  return (
    <span className="text-bad text-sm">
      {tr('It waits for {value}, which its owner lacks. It can be declined. {value2}', {
        value: checkWords[kind],
        value2: mayCall(listChecks) && (
          <Link className="prose-link" to={consolePaths.checksOf(user)}>
            View checks
          </Link>
        ),
      })}
    </span>
  )
}
