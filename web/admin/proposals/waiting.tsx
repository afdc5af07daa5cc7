import { Link } from 'react-router'
import { type ProposalGroup, waitingProposals } from '#shared/contract/proposals.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { proposalsAnchor } from '#web/admin/anchor.ts'
import { mayCall } from '#web/admin/rights.ts'
import { useRead } from '#web/api/read.ts'
import { consolePaths } from '#web/console-paths.ts'
import { tr } from '#web/tr.ts'

/** Links to proposals that need this admin. */
export function ProposalsWaiting() {
  return mayCall(waitingProposals) ? <Waiting /> : null
}

/** Where proposals of each kind are decided. */
const places = [
  ['settings', consolePaths.settings, msg('Settings')],
  ['brand', consolePaths.brand, msg('Brand')],
  ['policies', consolePaths.policies, msg('Policies')],
  ['staff', consolePaths.staff, msg('Staff')],
  ['integrations', consolePaths.integrations, msg('Integrations')],
] as const satisfies readonly (readonly [ProposalGroup, string, string])[]

function Waiting() {
  const { data } = useRead(waitingProposals, {})
  const waiting = places.flatMap(([group, place, name]) => {
    const total = data?.[group] ?? 0
    return total > 0 ? [[total, place, name] as const] : []
  })
  if (waiting.length === 0) return null
  return (
    <section aria-label={t('Proposals')} className="rounded-md border border-rule bg-wait-soft px-5 py-4">
      <p>
        {tr('Proposals awaiting a second admin: {pages}', {
          pages: waiting.map(([total, place, name], at) => (
            <span key={name}>
              {at > 0 && t(', ', {}, 'between names of pages')}
              <Link className="prose-link" to={`${place}#${proposalsAnchor}`}>
                {t('{page} ({count, number})', { page: translate(name), count: total })}
              </Link>
            </span>
          )),
        })}
      </p>
    </section>
  )
}
