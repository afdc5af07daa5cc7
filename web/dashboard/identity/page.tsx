import { Fragment, useState } from 'react'
import { Link } from 'react-router'
import { cancelCheck, type OwnCheck, type OwnIdentity, ownIdentity } from '#shared/contract/identity.ts'
import type { CheckKind } from '#shared/identity.ts'
import { identityValidYears, returnedDocumentDays } from '#shared/limits.ts'
import { useRead } from '#web/api/read.ts'
import { Usd } from '#web/components/amounts.tsx'
import { ConfirmCall } from '#web/components/confirm-call.tsx'
import { Day, When } from '#web/components/when.tsx'
import { pageMeta } from '#web/meta.ts'
import { paths } from '#web/paths.ts'
import { Badge } from '#web/ui/badge.tsx'
import { Button } from '#web/ui/button.tsx'
import { DescriptionList } from '#web/ui/description-list.tsx'
import { focusHome } from '#web/ui/focus-home.ts'
import { PageHead, Section } from '#web/ui/section.tsx'
import { EmptyState, FailedState, Loading } from '#web/ui/states.tsx'
import { ByProvider } from './by-provider.tsx'
import { exposedKind, WhyExposed } from './exposed.tsx'
import { FundsForm } from './funds-form.tsx'
import { IdentityForm } from './identity-form.tsx'
import {
  endingKinds,
  kindWords,
  latestOf,
  levelWords,
  limitOf,
  nextKind,
  statusWords,
  waitingFor,
  waitingParts,
} from './words.ts'

export const meta = pageMeta('Identity')

const sentAnchor = 'sent'

/** What the investor has proved, what that allows, and what they can prove next (decision 180). */
export default function IdentityPage() {
  const { data, isError, refetch } = useRead(ownIdentity, {})
  return (
    <>
      <PageHead title="Identity" />
      {data ? (
        <Identity own={data} />
      ) : isError ? (
        <FailedState onRetry={() => void refetch()}>We could not load your identity.</FailedState>
      ) : (
        <Loading label="Loading your identity" lines={8} />
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
          <Proof key={kind} kind={kind} title={renewals[kind]} own={own} />
        ))}
      {next !== null && isFree(next) && <Proof kind={next} title={proofs[next]} own={own} />}
      {own.checks.length > 0 && <History checks={own.checks} />}
      <Kept />
    </div>
  )
}

const proofs: Record<CheckKind, string> = {
  identity: 'Prove your identity',
  funds: 'Prove the source of your money',
}
const renewals: Record<CheckKind, string> = {
  identity: 'Renew your identity before it ends',
  funds: 'Renew the source of your money before it ends',
}

/** The form of a proof, with what we returned before. */
function Proof({ kind, title, own }: { kind: CheckKind; title: string; own: OwnIdentity }) {
  const latest = latestOf(own, kind)
  return (
    <Section title={title}>
      {latest?.status === 'returned' && <Returned reason={latest.reason} />}
      {kind === 'funds' ? (
        <FundsForm files={own.files} />
      ) : own.provider === null ? (
        <IdentityForm files={own.files} />
      ) : (
        <ByProvider provider={own.provider} files={own.files} />
      )}
    </Section>
  )
}

function Standing({ own }: { own: OwnIdentity }) {
  const { level, expiresOn, limits, used } = own
  const limit = limitOf(own)
  if (limits.none === null && limits.identity === null && level === 'none' && !own.exposed) {
    return <EmptyState>We do not ask for proof of identity at present.</EmptyState>
  }
  return (
    <Section title={levelWords[level]}>
      <WhatWaits own={own} />
      <DescriptionList
        entries={[
          ['Counts until', expiresOn && <Day key="until" on={expiresOn} />],
          [
            `Withdrawals in ${used.days} days`,
            <Used key="withdrawals" value={used.withdrawals} limit={limit} />,
          ],
          [
            'Invested or requested',
            <Used key="investments" value={used.investments} limit={exposedKind(own) === null ? limit : 0} />,
          ],
        ]}
      />
      {limit !== null && (
        <p className="mt-4 max-w-prose text-ink-soft text-sm">
          You can request more. It then waits until we have verified{' '}
          {level === 'none' ? 'who you are' : 'where your money comes from'}. Deposits never wait.
        </p>
      )}
    </Section>
  )
}

function WhatWaits({ own }: { own: OwnIdentity }) {
  const what = waitingFor(own)
  if (what === null) return null
  return (
    <p className="mb-4 border-wait border-l-4 bg-wait-soft px-4 py-3 text-sm text-wait">
      {waitingParts(own).map(({ list, words }, at) => (
        <Fragment key={list}>
          {at > 0 && ' and '}
          <Link className="underline underline-offset-2" to={paths.dashboard[list]}>
            {words}
          </Link>
        </Fragment>
      ))}{' '}
      {what}. The money stays yours: you can cancel at any time.
    </p>
  )
}

function Used({ value, limit }: { value: number; limit: number | null }) {
  return (
    <>
      <Usd value={value} />
      {limit === null ? (
        ', no limit'
      ) : (
        <>
          {' '}
          of <Usd value={limit} />
        </>
      )}
    </>
  )
}

function Waiting({ check }: { check: OwnCheck }) {
  const [asks, setAsks] = useState(false)
  return (
    <Section
      title={`${kindWords[check.kind]}: we are checking it`}
      aside={
        <Button tone="quiet" size="sm" onClick={() => setAsks(true)}>
          Cancel
        </Button>
      }
    >
      <p>
        You sent it on <When at={check.submittedAt} />. We will tell you here and by email once we have
        decided. You need not do anything.
      </p>
      {asks && (
        <ConfirmCall
          call={cancelCheck}
          input={{ params: { id: check._id } }}
          title="Cancel this check?"
          confirm="Cancel the check"
          dismiss="Keep it"
          tone="danger"
          onClose={() => setAsks(false)}
          focusTo={() => document.getElementById(sentAnchor)}
        >
          We delete your answers and files at once. You can send new ones at any time.
        </ConfirmCall>
      )}
    </Section>
  )
}

function Returned({ reason }: { reason: string | null }) {
  return (
    <div className="mb-6 border-wait border-l-4 bg-wait-soft px-4 py-3 text-sm text-wait">
      <p className="font-medium">What you sent needs a correction</p>
      <p className="wrap-anywhere">{reason}</p>
    </div>
  )
}

function Refused({ refused: { reason, at } }: { refused: NonNullable<OwnIdentity['refused']> }) {
  return (
    <Section title="We cannot keep you as a customer">
      <div className="grid max-w-prose gap-4">
        <p>
          We decided this on <When at={at} date />. Reason: <span className="wrap-anywhere">{reason}</span>
        </p>
        <p>
          All of your money is yours. You can{' '}
          <Link className="prose-link" to={paths.dashboard.withdrawals}>
            withdraw it
          </Link>{' '}
          without a limit. Pending investments were declined. Active ones go on to their ending date, and then
          you can withdraw their principal. You can no longer deposit or invest.
        </p>
        <p>
          If you do not agree,{' '}
          <Link className="prose-link" to={paths.dashboard.ask()}>
            write to us
          </Link>
          . Another person will review it.
        </p>
      </div>
    </Section>
  )
}

function History({ checks }: { checks: readonly OwnCheck[] }) {
  return (
    <Section title="What you have sent" anchor={sentAnchor} className="outline-none">
      <ul className="grid">
        {checks.map(({ _id, kind, status, submittedAt, reason, expiresOn }) => (
          <li key={_id} className="grid gap-1 border-rule border-b py-2.5">
            <span className="flex flex-wrap items-center justify-between gap-x-6 gap-y-1">
              <span>
                {kindWords[kind]}, <When at={submittedAt} />
              </span>
              <Badge tone={statusWords[status][1]}>{statusWords[status][0]}</Badge>
            </span>
            {reason && <span className="wrap-anywhere text-ink-soft text-sm">Reason: {reason}</span>}
            {expiresOn && (
              <span className="text-ink-soft text-sm">
                Counts until <Day on={expiresOn} />
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
    <Section title="How we keep your documents">
      <ul className="grid max-w-prose list-disc gap-2 pl-5 text-ink-soft">
        <li>
          They are stored encrypted. Only staff who check identities can open them, and each opening is
          logged.
        </li>
        <li>What you cancel is deleted at once; what we return to you, after {returnedDocumentDays} days.</li>
        <li>
          What we have verified counts until your document ends, at most {identityValidYears} years. The law
          asks us to keep what we have verified or refused for some years after you stop being a customer;
          then we delete it.
        </li>
        <li>
          All of it is in the archive of{' '}
          <Link className="prose-link" to={paths.dashboard.profile}>
            your data
          </Link>
          .
        </li>
      </ul>
    </Section>
  )
}
