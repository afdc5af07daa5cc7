import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { type OwnIdentity, ownIdentity } from '#shared/contract/identity.ts'
import { t } from '#shared/i18n/t.ts'
import type { CheckKind } from '#shared/identity.ts'
import { useRead } from '#web/api/read.ts'
import { paths } from '#web/paths.ts'
import { tr } from '#web/tr.ts'
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
    <div className="grid max-w-prose gap-3 border-rule border-s-4 bg-surface px-4 py-3 text-sm">
      <p>
        {t(
          'The law counts you among politically exposed persons: people with an important public office, now or until recently. It accuses you of nothing, but asks us to verify where their money comes from.',
        )}
      </p>
      <p>
        {exposedKind(own) === null
          ? tr('Both are verified, so nothing is left to do. If this is not you, <link>write to us</link>.', {
              link: toMessages,
            })
          : tr(
              'Please prove your identity and the source of your money below. New investments wait for it. Your money, active investments and withdrawals go on as before. If this is not you, <link>write to us</link>.',
              { link: toMessages },
            )}
      </p>
    </div>
  )
}

const toMessages = (words: ReactNode) => (
  <Link className="underline underline-offset-2" to={paths.dashboard.messages}>
    {words}
  </Link>
)

/** Under the amount of a new investment: that it waits, or what of the limit is left. */
export function InvestmentLimit({ cents }: { cents: bigint | undefined }) {
  const { data: own } = useRead(ownIdentity, {}, { quiet: true })
  if (!own || exposedKind(own) === null) return <LimitLine of="investments" cents={cents} />
  return (
    <p role="status" className="text-sm text-wait">
      {tr(
        'This will wait until we have verified your identity and the source of your money. You can cancel it at any time. <link>View your identity</link>',
        {
          link: words => (
            <Link className="underline underline-offset-2" to={paths.dashboard.identity}>
              {words}
            </Link>
          ),
        },
      )}
    </p>
  )
}
