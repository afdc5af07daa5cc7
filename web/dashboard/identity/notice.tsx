import { Link, useLocation } from 'react-router'
import { ownIdentity } from '#shared/contract/identity.ts'
import { checkWords } from '#shared/identity.ts'
import { formatUsd, usdFromJson } from '#shared/money.ts'
import { useRead } from '#web/api/read.ts'
import { Cents } from '#web/components/amounts.tsx'
import { paths } from '#web/paths.ts'
import { endingKinds, latestOf, limitOf, nextKind, waitingWords } from './words.ts'

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
      {words}{' '}
      <Link className="underline underline-offset-2" to={paths.dashboard.identity}>
        View your identity
      </Link>
    </p>
  )
}

type Own = Parameters<typeof limitOf>[0]

function noticeOf(own: Own): string | undefined {
  if (own.refused)
    return 'We cannot keep you as a customer. You can withdraw all of your money without a limit.'
  const kind = nextKind(own) ?? own.waiting.for
  if (kind && latestOf(own, kind)?.status === 'returned') return 'What you sent us needs a correction.'
  const waits = waitingWords(own)
  if (waits) {
    const isOne = own.waiting.withdrawals + own.waiting.investments === 1
    const proof = own.waiting.for === 'funds' ? 'of the source of your money' : 'of your identity'
    return `${waits} ${isOne ? 'waits' : 'wait'} for proof ${proof}.`
  }
  const [ending] = endingKinds(own)
  return ending && latestOf(own, ending)?.status !== 'waiting'
    ? `Your ${checkWords[ending]} ends soon. Please renew it.`
    : undefined
}

/** What of the limit is left for a request, and that one beyond it waits. */
export function LimitLine({ of, cents }: { of: 'withdrawals' | 'investments'; cents: bigint | undefined }) {
  const { data: own } = useRead(ownIdentity, {}, { quiet: true })
  const limit = own && limitOf(own)
  if (limit === undefined || limit === null) return null
  const used = usdFromJson(own!.used[of])!
  const limitCents = usdFromJson(limit)!
  const leftCents = used < limitCents ? limitCents - used : 0n
  const proof = own!.level === 'none' ? 'proof of your identity' : 'proof of the source of your money'
  if (cents !== undefined && cents > leftCents) {
    return (
      <p role="status" className="text-sm text-wait">
        This will wait for {proof}: without it, {formatUsd(leftCents)} is left. You can cancel it at any time.{' '}
        <Link className="underline underline-offset-2" to={paths.dashboard.identity}>
          View your identity
        </Link>
      </p>
    )
  }
  return (
    <p className="text-ink-soft text-sm">
      Without {proof}, <Cents cents={leftCents} /> of <Cents cents={limitCents} /> is left
      {of === 'withdrawals' ? ` for ${own!.used.days} days` : ''}.
    </p>
  )
}

/** Why a pending request is not approved yet. */
export function WaitsFor({ kind }: { kind: 'identity' | 'funds' | null | undefined }) {
  if (!kind) return null
  return (
    <p className="border-wait border-l-4 bg-wait-soft px-4 py-3 text-sm text-wait">
      It waits for proof {kind === 'identity' ? 'of your identity' : 'of the source of your money'}. You can
      cancel it at any time.{' '}
      <Link className="underline underline-offset-2" to={paths.dashboard.identity}>
        View your identity
      </Link>
    </p>
  )
}
