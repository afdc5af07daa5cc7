import type { ReactNode } from 'react'
import { Link, useLocation } from 'react-router'
import { type OwnIdentity, ownIdentity } from '#shared/contract/identity.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import type { CheckKind } from '#shared/identity.ts'
import { identityPeriodDays } from '#shared/limits.ts'
import { usdFromJson } from '#shared/money.ts'
import { useRead } from '#web/api/read.ts'
import { Cents } from '#web/components/amounts.tsx'
import { paths } from '#web/paths.ts'
import { tr } from '#web/tr.ts'
import { cx } from '#web/ui/cx.ts'
import { WhatWaits } from './what-waits.tsx'
import { endingKinds, latestOf, limitOf, nextKind } from './words.ts'

const look = 'mb-8 border-wait border-s-4 bg-wait-soft px-4 py-3 text-sm text-wait'

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

function noticeOf(own: OwnIdentity): ReactNode {
  if (own.refused)
    return t(
      'We cannot keep you as a customer. You can withdraw all of your money without a limit, but no longer deposit or invest.',
    )
  const kind = own.waiting.for ?? nextKind(own)
  if (kind && latestOf(own, kind)?.status === 'returned') return t('What you sent us needs a correction.')
  if (own.waiting.for !== null) return <WhatWaits own={own} />
  const [ending] = endingKinds(own)
  return ending && latestOf(own, ending)?.status !== 'waiting' ? translate(endingWords[ending]) : undefined
}

const endingWords: Record<CheckKind, string> = {
  identity: msg('Your proof of identity ends soon. Please renew it.'),
  funds: msg('Your proof of the source of funds ends soon. Please renew it.'),
}

/** What of the limit is left for a request, and that one beyond it waits. */
export function LimitLine({ of, cents }: { of: 'withdrawals' | 'investments'; cents: bigint | undefined }) {
  const { data: own } = useRead(ownIdentity, {}, { quiet: true })
  const limit = own && limitOf(own)
  if (limit === undefined || limit === null) return null
  const used = usdFromJson(own!.used[of])!
  const limitCents = usdFromJson(limit)!
  const leftCents = used < limitCents ? limitCents - used : 0n
  const proof = own!.level === 'none' ? 'identity' : 'funds'
  const isBeyond = cents !== undefined && cents > leftCents
  const amounts = { limit: <Cents cents={limitCents} />, left: <Cents cents={leftCents} /> }
  return (
    <p role="status" className={cx('text-sm', isBeyond ? 'text-wait' : 'text-ink-soft')}>
      {isBeyond ? (
        <>
          {tr(
            '{proof, select, identity {This will wait for proof of your identity: without it, {left} is left.} other {This will wait for proof of the source of your money: without it, {left} is left.}} You can cancel it at any time.',
            { proof, left: amounts.left },
          )}{' '}
          <ToIdentity />
        </>
      ) : of === 'withdrawals' ? (
        tr(
          '{proof, select, identity {Without proof of your identity, you can withdraw up to {limit} in {days} days; {left} is left.} other {Without proof of the source of your money, you can withdraw up to {limit} in {days} days; {left} is left.}}',
          { ...amounts, proof, days: identityPeriodDays },
        )
      ) : (
        tr(
          '{proof, select, identity {Without proof of your identity, you can invest up to {limit}; {left} is left.} other {Without proof of the source of your money, you can invest up to {limit}; {left} is left.}}',
          { ...amounts, proof },
        )
      )}
    </p>
  )
}

/** Why a pending request is not approved yet. */
export function WaitsFor({ kind }: { kind: CheckKind | null | undefined }) {
  if (!kind) return null
  return (
    <p className="border-wait border-s-4 bg-wait-soft px-4 py-3 text-sm text-wait">
      {kind === 'identity'
        ? t('It waits for proof of your identity. You can cancel it at any time.')
        : t('It waits for proof of the source of your money. You can cancel it at any time.')}{' '}
      <ToIdentity />
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
