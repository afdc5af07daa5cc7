import { Link } from 'react-router'
import { getSettings } from '#shared/contract/settings.ts'
import { useRead } from '#web/api/read.ts'
import { Usd } from '#web/components/amounts.tsx'
import { consolePaths } from '#web/console-paths.ts'

/** Explains that a change needs a second admin. */
export function TooFew() {
  const { data } = useRead(getSettings, {})
  if (!data || (data.admins > 1 && data.deciders > 1)) return null
  const { largeWithdrawal, largeReturn, earningsSecondApproval } = data.values
  return (
    <section aria-label="Too few admins" className="rounded-md border border-rule bg-wait-soft p-5">
      <p className="font-medium">You are the only admin.</p>
      <p className="mt-1">Until there is a second one:</p>
      <ul className="mt-2 list-disc pl-5">
        <li>
          settings and the look cannot be changed, lost two-factor access cannot be reset, and programs cannot
          be connected
        </li>
        {data.deciders < 2 && (
          <li>
            withdrawals above <Usd value={largeWithdrawal} /> in 24 hours cannot be approved
            {earningsSecondApproval && ', nor can earnings'}
          </li>
        )}
        {data.deciders < 2 && (
          <li>
            returns above <Usd value={largeReturn} /> in 24 hours cannot be recorded, and no return can be
            voided
          </li>
        )}
        {data.deciders < 2 && (
          <li>withdrawals that you approved can be paid in payout batches only, not marked as paid</li>
        )}
        {data.deciders < 2 && <li>no one else reviews your actions. They are kept in the audit log.</li>}
      </ul>
      <p className="mt-3">
        <Link className="prose-link" to={consolePaths.staff}>
          Invite a second admin
        </Link>
        . If there was one before, only the operator can create another.
      </p>
    </section>
  )
}
