import { type ReactNode, useState } from 'react'
import { Link } from 'react-router'
import { cancelCheck, type OwnCheck, type OwnIdentity, ownIdentity } from '#shared/contract/identity.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import type { CheckKind } from '#shared/identity.ts'
import { identityValidYears, returnedDocumentDays } from '#shared/limits.ts'
import { useRead } from '#web/api/read.ts'
import { Usd } from '#web/components/amounts.tsx'
import { ConfirmCall } from '#web/components/confirm-call.tsx'
import { Day, When } from '#web/components/when.tsx'
import { pageMeta } from '#web/meta.ts'
import { paths } from '#web/paths.ts'
import { tr } from '#web/tr.ts'
import { Badge } from '#web/ui/badge.tsx'
import { Button } from '#web/ui/button.tsx'
import { DescriptionList } from '#web/ui/description-list.tsx'
import { focusHome } from '#web/ui/focus-home.ts'
import { PageHead, Section } from '#web/ui/section.tsx'
import { EmptyState, FailedState, Loading } from '#web/ui/states.tsx'
import { BeginForm } from './begun.tsx'
import { ByProvider } from './by-provider.tsx'
import { exposedKind, WhyExposed } from './exposed.tsx'
import { FundsForm } from './funds-form.tsx'
import { IdentityForm } from './identity-form.tsx'
import { Refused } from './refused.tsx'
import { WhatWaits } from './what-waits.tsx'
import { endingKinds, kindWords, latestOf, levelWords, limitOf, nextKind, statusWords } from './words.ts'

export const meta = pageMeta(msg('Identity'))

const sentAnchor = 'sent'

/** What the investor has proved, what that allows, and what they can prove next (decision 180). */
export default function IdentityPage() {
  const { data, isError, refetch } = useRead(ownIdentity, {})
  return (
    <>
      <PageHead title={t('Identity')} />
      {data ? (
        <Identity own={data} />
      ) : isError ? (
        <FailedState onRetry={() => void refetch()}>{t('We could not load your identity.')}</FailedState>
      ) : (
        <Loading label={t('Loading your identity')} lines={8} />
      )}
    </>
  )
}

function Identity({ own }: { own: OwnIdentity }) {
  const next = exposedKind(own) ?? nextKind(own)
  const waiting = own.checks.filter(({ status }) => status === 'waiting')
  const isFree = (kind: CheckKind) => !waiting.some(check => check.kind === kind)
  return (
    <div {...focusHome} className="grid max-w-3xl grid-cols-1 gap-12 outline-none">
      {own.refused ? <Refused refused={own.refused} /> : <Standing own={own} />}
      <WhyExposed own={own} />
      {waiting.map(check => (
        <Waiting key={check._id} check={check} />
      ))}
      {endingKinds(own)
        .filter(isFree)
        .map(kind => (
          <Proof key={kind} kind={kind} title={translate(renewals[kind])} own={own} />
        ))}
      {next !== null && isFree(next) && <Proof kind={next} title={translate(proofs[next])} own={own} />}
      {own.checks.length > 0 && <History checks={own.checks} />}
      <Kept />
    </div>
  )
}

const proofs: Record<CheckKind, string> = {
  identity: msg('Prove your identity'),
  funds: msg('Prove the source of your money'),
}
const renewals: Record<CheckKind, string> = {
  identity: msg('Renew your identity before it ends'),
  funds: msg('Renew the source of your money before it ends'),
}

/** The form of a proof, with what we returned before. */
function Proof({ kind, title, own }: { kind: CheckKind; title: string; own: OwnIdentity }) {
  const latest = latestOf(own, kind)
  const isReturned = latest?.status === 'returned'
  return (
    <Section title={title}>
      {isReturned && <Returned reason={latest.reason} />}
      <BeginForm key={latest?._id} kind={kind} isReturned={isReturned}>
        {begun =>
          kind === 'funds' ? (
            <FundsForm files={own.files} begun={begun} />
          ) : own.provider === null ? (
            <IdentityForm files={own.files} begun={begun} />
          ) : (
            <ByProvider provider={own.provider} files={own.files} begun={begun} />
          )
        }
      </BeginForm>
    </Section>
  )
}

function Standing({ own }: { own: OwnIdentity }) {
  const { level, expiresOn, limits, used } = own
  const limit = limitOf(own)
  if (limits.none === null && limits.identity === null && level === 'none' && !own.exposed) {
    return <EmptyState>{t('We do not ask for proof of identity at present.')}</EmptyState>
  }
  return (
    <Section title={translate(levelWords[level])}>
      <Waits own={own} />
      <DescriptionList
        entries={[
          [t('Counts until'), expiresOn && <Day key="until" on={expiresOn} />],
          [
            t('Withdrawals in {days} days', { days: used.days }),
            <Used key="withdrawals" value={used.withdrawals} limit={limit} />,
          ],
          [
            t('Invested or requested'),
            <Used key="investments" value={used.investments} limit={exposedKind(own) === null ? limit : 0} />,
          ],
        ]}
      />
      {limit !== null && (
        <p className="mt-4 max-w-prose text-ink-soft text-sm">
          {level === 'none'
            ? t(
                'You can request more. It then waits until we have verified who you are. Deposits never wait.',
              )
            : t(
                'You can request more. It then waits until we have verified where your money comes from. Deposits never wait.',
              )}
        </p>
      )}
    </Section>
  )
}

function Waits({ own }: { own: OwnIdentity }) {
  if (own.waiting.for === null) return null
  return (
    <p className="mb-4 border-wait border-s-4 bg-wait-soft px-4 py-3 text-sm text-wait">
      <WhatWaits
        own={own}
        links={{ withdrawals: linkTo('withdrawals'), investments: linkTo('investments') }}
      />{' '}
      {t('The money stays yours: you can cancel at any time.')}
    </p>
  )
}

function linkTo(list: 'withdrawals' | 'investments') {
  return (words: ReactNode) => (
    <Link className="underline underline-offset-2" to={paths.dashboard[list]}>
      {words}
    </Link>
  )
}

function Used({ value, limit }: { value: number; limit: number | null }) {
  const used = <Usd value={value} />
  return limit === null
    ? tr('{used}, no limit', { used })
    : tr('{used} of {limit}', { used, limit: <Usd value={limit} /> })
}

function Waiting({ check }: { check: OwnCheck }) {
  const [asks, setAsks] = useState(false)
  return (
    <Section
      title={
        check.kind === 'identity'
          ? t('Identity: we are checking it')
          : t('Source of your money: we are checking it')
      }
      aside={
        <Button tone="quiet" size="sm" onClick={() => setAsks(true)}>
          {t('Cancel', {}, 'a request')}
        </Button>
      }
    >
      <p>
        {tr(
          'You sent it on {moment}. We will tell you here and by email once we have decided. You need not do anything.',
          { moment: <When at={check.submittedAt} /> },
        )}
      </p>
      {asks && (
        <ConfirmCall
          call={cancelCheck}
          input={{ params: { id: check._id } }}
          title={t('Cancel this check?')}
          confirm={t('Cancel the check')}
          dismiss={t('Keep it')}
          tone="danger"
          onClose={() => setAsks(false)}
          focusTo={() => document.getElementById(sentAnchor)}
        >
          {t('We delete your answers and files at once. You can send new ones at any time.')}
        </ConfirmCall>
      )}
    </Section>
  )
}

function Returned({ reason }: { reason: string | null }) {
  return (
    <div className="mb-6 border-wait border-s-4 bg-wait-soft px-4 py-3 text-sm text-wait">
      <p className="font-medium">{t('What you sent needs a correction')}</p>
      <p className="wrap-anywhere">{reason}</p>
    </div>
  )
}

function History({ checks }: { checks: readonly OwnCheck[] }) {
  return (
    <Section title={t('What you have sent')} anchor={sentAnchor} className="outline-none">
      <ul className="grid">
        {checks.map(({ _id, kind, status, submittedAt, reason, expiresOn }) => (
          <li key={_id} className="grid gap-1 border-rule border-b py-2.5">
            <span className="flex flex-wrap items-center justify-between gap-x-6 gap-y-1">
              <span>
                {translate(kindWords[kind])}, <When at={submittedAt} />
              </span>
              <Badge tone={statusWords[status][1]}>{translate(statusWords[status][0])}</Badge>
            </span>
            {reason && (
              <span className="wrap-anywhere text-ink-soft text-sm">
                {tr('Reason: {reason}', { reason: <bdi>{reason}</bdi> })}
              </span>
            )}
            {expiresOn && (
              <span className="text-ink-soft text-sm">
                {tr('Counts until {day}', { day: <Day on={expiresOn} /> })}
              </span>
            )}
          </li>
        ))}
      </ul>
    </Section>
  )
}

/** How documents are kept. */
function Kept() {
  return (
    <Section title={t('How we keep your documents')}>
      <ul className="grid max-w-prose list-disc gap-2 ps-5 text-ink-soft">
        <li>
          {t(
            'They are stored encrypted. Only staff who check identities can open them, and each opening is logged.',
          )}
        </li>
        <li>
          {t('What you cancel is deleted at once; what we return to you, after {days} days.', {
            days: returnedDocumentDays,
          })}
        </li>
        <li>
          {t(
            'What we have verified counts until your document ends, at most {years} years. The law asks us to keep what we have verified or refused for some years after you stop being a customer; then we delete it.',
            { years: identityValidYears },
          )}
        </li>
        <li>
          {tr('All of it is in the archive of <link>your data</link>.', {
            link: words => (
              <Link className="prose-link" to={paths.dashboard.profile}>
                {words}
              </Link>
            ),
          })}
        </li>
      </ul>
    </Section>
  )
}
