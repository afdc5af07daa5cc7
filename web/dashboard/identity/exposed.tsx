import { Link } from 'react-router'
import { type OwnIdentity, ownIdentity } from '#shared/contract/identity.ts'
import type { CheckKind } from '#shared/identity.ts'
import { useRead } from '#web/api/read.ts'
import { paths } from '#web/paths.ts'
import { LimitLine } from './notice.tsx'

/** What a politically exposed person proves next, if anything (decision 181). */
export function exposedKind({ exposed, refused, level }: OwnIdentity): CheckKind | null {
  if (!exposed || refused || level === 'funds') return null
  return level === 'none' ? 'identity' : 'funds'
}

/** Why they are asked, and what to do. */
export function WhyExposed({ own }: { own: OwnIdentity }) {
  if (!own.exposed || own.refused) return null
  return (
    <div className="grid max-w-prose gap-3 border-rule border-l-4 bg-surface px-4 py-3 text-sm">
      <p>
        The law counts you among politically exposed persons: people with an important public office, now or
        until recently. It accuses you of nothing, but asks us to verify where their money comes from.
      </p>
      <p>
        {exposedKind(own) === null
          ? 'Both are verified, so nothing is left to do until then.'
          : 'Please prove your identity and the source of your money below. New investments wait for it. Your money, active investments and withdrawals go on as before.'}{' '}
        If this is not you,{' '}
        <Link className="underline underline-offset-2" to={paths.dashboard.messages}>
          write to us
        </Link>
        .
      </p>
    </div>
  )
}

/** Under the amount of a new investment: that it waits, or what of the limit is left. */
export function InvestmentLimit({ cents }: { cents: bigint | undefined }) {
  const { data: own } = useRead(ownIdentity, {}, { quiet: true })
  if (!own || exposedKind(own) === null) return <LimitLine of="investments" cents={cents} />
  return (
    <p role="status" className="text-sm text-wait">
      This will wait until we have verified your identity and the source of your money. You can cancel it at
      any time.{' '}
      <Link className="underline underline-offset-2" to={paths.dashboard.identity}>
        View your identity
      </Link>
    </p>
  )
}
