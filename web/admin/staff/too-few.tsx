import { Link } from 'react-router'
import { getSettings } from '#shared/contract/settings.ts'
import { useRead } from '#web/api/read.ts'
import { Usd } from '#web/components/amounts.tsx'
import { paths } from '#web/paths.ts'

/** Says what cannot be done while there are too few people for what needs two. */
export function TooFew() {
  const { data } = useRead(getSettings, {})
  if (!data || (data.admins > 1 && data.deciders > 1)) return null
  const { largeWithdrawal, earningsSecondApproval } = data.values
  return (
    <section aria-label="Too few people" className="rounded-md border border-rule bg-wait-soft p-5">
      <p className="font-medium">You are the only admin.</p>
      <p className="mt-1">Until there is another one:</p>
      <ul className="mt-2 list-disc pl-5">
        <li>settings cannot be changed, and lost second factors cannot be reset</li>
        {data.deciders < 2 && (
          <li>
            withdrawals above <Usd value={largeWithdrawal} /> cannot be approved
            {earningsSecondApproval && ', nor can earnings'}
          </li>
        )}
        {data.deciders < 2 && <li>nobody checks what you do. The audit log keeps it.</li>}
      </ul>
      <p className="mt-3">
        <Link className="prose-link" to={paths.admin.staff}>
          Invite a second admin
        </Link>
        . Where there was one before, only the operator can make another.
      </p>
    </section>
  )
}
