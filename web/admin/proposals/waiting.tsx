import { Link } from 'react-router'
import { listProposals } from '#shared/contract/proposals.ts'
import { proposalsAnchor } from '#web/admin/anchor.ts'
import { mayCall } from '#web/admin/rights.ts'
import { useList } from '#web/api/read.ts'
import { consolePaths } from '#web/console-paths.ts'

/** Links to proposals that need this admin. */
export function ProposalsWaiting() {
  return mayCall(listProposals) ? <Waiting /> : null
}

function Waiting() {
  const settings = useList(listProposals, { kind: 'settings', status: 'pending', limit: 1 })
  const brand = useList(listProposals, { kind: 'brand', status: 'pending', limit: 1 })
  const policy = useList(listProposals, { kind: 'policies', status: 'pending', limit: 1 })
  const staff = useList(listProposals, { kind: 'staff', status: 'pending', limit: 1 })
  const integrations = useList(listProposals, { kind: 'integrations', status: 'pending', limit: 1 })
  const places = [
    [settings.total, consolePaths.settings, 'Settings'],
    [brand.total, consolePaths.brand, 'Brand'],
    [policy.total, consolePaths.policies, 'Policies'],
    [staff.total, consolePaths.staff, 'Staff'],
    [integrations.total, consolePaths.integrations, 'Integrations'],
  ] as const
  const waiting = places.filter(([total]) => total)
  if (waiting.length === 0) return null
  return (
    <section aria-label="Proposals" className="rounded-md border border-rule bg-wait-soft px-5 py-4">
      <p>
        Proposals awaiting a second admin:{' '}
        {waiting.map(([total, place, name], at) => (
          <span key={name}>
            {at > 0 && ', '}
            <Link className="prose-link" to={`${place}#${proposalsAnchor}`}>
              {name} ({total})
            </Link>
          </span>
        ))}
      </p>
    </section>
  )
}
