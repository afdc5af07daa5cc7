import { Link, useLocation } from 'react-router'
import { type OwnIdentity, ownIdentity } from '#shared/contract/identity.ts'
import { t } from '#shared/i18n/t.ts'
import { type CheckKind, checkWords } from '#shared/identity.ts'
import { identityPeriodDays } from '#shared/limits.ts'
import { usdFromJson } from '#shared/money.ts'
import { useRead } from '#web/api/read.ts'
import { Cents } from '#web/components/amounts.tsx'
import { paths } from '#web/paths.ts'
import { tr } from '#web/tr.ts'
import { cx } from '#web/ui/cx.ts'
import { endingKinds, latestOf, limitOf, nextKind, proofWords, waitingFor, waitingParts } from './words.ts'

const look = 'mb-8 border-wait border-l-4 bg-wait-soft px-4 py-3 text-sm text-wait'

/** What the investor should do about their identity, if anything: on the pages about money. */
export function IdentityNotice() {
  const { data: own } = useRead(ownIdentity, {}, { quiet: true })
  const { pathname } = useLocation()
  const words = own && noticeOf(own)
  // That page itself says more.
  if (!words || pathname === paths.dashboard.identity) return null
  return (
    <p className={look}>
      {words} <ToIdentity />
    </p>
  )
}

function noticeOf(own: OwnIdentity): string | undefined {
  if (own.refused)
    return 'We cannot keep you as a customer. You can withdraw all of your money without a limit, but no longer deposit or invest.'
  const kind = own.waiting.for ?? nextKind(own)
  if (kind && latestOf(own, kind)?.status === 'returned') return 'What you sent us needs a correction.'
  const waits = waitingFor(own)
  if (waits) {
    const what = waitingParts(own).map(({ words }) => words)
    return `${what.join(' and ')} ${waits}.`
  }
  const [ending] = endingKinds(own)
  return ending && latestOf(own, ending)?.status !== 'waiting'
    ? `Your ${checkWords[ending]} ends soon. Please renew it.`
    : undefined
}

const uses = {
  withdrawals: { verb: 'withdraw', within: ` in ${identityPeriodDays} days` },
  investments: { verb: 'invest', within: '' },
} as const

/** What of the limit is left for a request, and that one beyond it waits. */
export function LimitLine({ of, cents }: { of: keyof typeof uses; cents: bigint | undefined }) {
  const { data: own } = useRead(ownIdentity, {}, { quiet: true })
  const limit = own && limitOf(own)
  if (limit === undefined || limit === null) return null
  const used = usdFromJson(own!.used[of])!
  const limitCents = usdFromJson(limit)!
  const leftCents = used < limitCents ? limitCents - used : 0n
  const left = <Cents cents={leftCents} />
  const proof = proofWords[own!.level === 'none' ? 'identity' : 'funds']
  const isBeyond = cents !== undefined && cents > leftCents
  return (
    <p role="status" className={cx('text-sm', isBeyond ? 'text-wait' : 'text-ink-soft')}>
      {isBeyond ? (
        <>
          {tr(
            'This will wait for {proof}: without it, {left} is left. You can cancel it at any time. {toIdentity}',
            { proof, left, toIdentity: <ToIdentity /> },
          )}
        </>
      ) : (
        <>
          {tr('Without {proof}, you can {verb} up to {cents}{within}; {left} is left.', {
            proof,
            verb: uses[of].verb,
            cents: <Cents cents={limitCents} />,
            within: uses[of].within,
            left,
          })}
        </>
      )}
    </p>
  )
}

/** Why a pending request is not approved yet. */
export function WaitsFor({ kind }: { kind: CheckKind | null | undefined }) {
  if (!kind) return null
  return (
    <p className="border-wait border-l-4 bg-wait-soft px-4 py-3 text-sm text-wait">
      {tr('It waits for {value}. You can cancel it at any time. {toIdentity}', {
        value: proofWords[kind],
        toIdentity: <ToIdentity />,
      })}
    </p>
  )
}

function ToIdentity() {
  return (
    <Link className="underline underline-offset-2" to={paths.dashboard.identity}>
      {t('View your identity')}
    </Link>
  )
}
