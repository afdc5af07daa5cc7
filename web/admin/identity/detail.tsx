import { Link } from 'react-router'
import { getCheck, type IdentityCheck } from '#shared/contract/identity.ts'
import { localCountry } from '#shared/countries.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { identityFileLabels } from '#shared/identity.ts'
import { Actions } from '#web/admin/actions/actions.tsx'
import { DetailPage } from '#web/admin/detail-page.tsx'
import { PersonLink } from '#web/admin/users/person.tsx'
import { Day, When } from '#web/components/when.tsx'
import { consolePaths } from '#web/console-paths.ts'
import { pageMeta } from '#web/meta.ts'
import { tr } from '#web/tr.ts'
import { Badge } from '#web/ui/badge.tsx'
import { DescriptionList } from '#web/ui/description-list.tsx'
import { PageHead, Section } from '#web/ui/section.tsx'
import { type Column, Table } from '#web/ui/table.tsx'
import { type Check, checkActions, isOwnRefusal } from './actions.tsx'
import { Sent } from './sent.tsx'
import { CheckBadge, kindWords, levelWords } from './status.tsx'
import { waitingWords } from './words.ts'

export const meta = pageMeta(msg('Identity check'))

/** `/admin/check?id=`: what a person sent to prove who they are, or where their money comes from. */
export default function CheckPage() {
  return (
    <DetailPage
      call={getCheck}
      title={t('Identity check')}
      of={t('check', {}, 'of an identity')}
      elsewhere={t('Pick a check from Identity.')}
    >
      {of => <CheckDetail of={of} />}
    </DetailPage>
  )
}

function CheckDetail({ of }: { of: Check }) {
  const waits = of.status === 'waiting' ? waitingWords(of.waiting) : null
  return (
    <>
      <PageHead
        title={translate(kindWords[of.kind])}
        lead={<CheckBadge status={of.status} />}
        aside={<Actions actions={checkActions(of)} none={null} />}
      />
      {waits && <p className="mb-8 border-wait border-s-4 bg-wait-soft px-4 py-3 text-sm">{waits}</p>}
      <div className="grid grid-cols-1 gap-x-12 gap-y-10 lg:grid-cols-2">
        <Section title={t('The person')}>
          <Person of={of} />
        </Section>
        <Section title={t('The check')}>
          <Decision of={of} />
          {isOwnRefusal(of) && (
            <p className="mt-4 text-ink-soft text-sm">
              {t('You refused this yourself. Another person can correct it.')}
            </p>
          )}
        </Section>
        <Sent key={of._id} of={of} />
        <Section title={t('Who opened it')}>
          <Views of={of} />
        </Section>
        {of.others.length > 0 && (
          <Section title={t('Other checks of this person')}>
            <Table
              caption={t('Other checks of this person, the newest first')}
              columns={others}
              rows={of.others}
              keyOf={({ _id }) => _id}
            />
          </Section>
        )}
      </div>
    </>
  )
}

function Person({ of: { user, userName, person } }: { of: Check }) {
  return (
    <DescriptionList
      entries={[
        [t('Name'), <PersonLink key="name" id={user} name={userName} />],
        [t('Email'), person.email],
        [t('Phone'), person.phone],
        [t('Country'), localCountry(person.country)],
        [t('Account since'), <When key="since" at={person.since} />],
        [t('Proved so far'), translate(levelWords[person.level])],
        [
          t('Politically exposed'),
          person.exposed ? (
            <span key="exposed">
              {tr('Yes: review the source of their money with special care. <link>View matches</link>', {
                link: words => (
                  <Link className="prose-link" to={consolePaths.matchesOf(user)}>
                    {words}
                  </Link>
                ),
              })}
            </span>
          ) : null,
        ],
        [
          t('Account'),
          person.frozen ? (
            <Badge key="frozen" tone="bad">
              {t('Frozen', {}, 'an account')}
            </Badge>
          ) : (
            t('Not frozen')
          ),
        ],
      ]}
    />
  )
}

function Decision({ of }: { of: Check }) {
  return (
    <DescriptionList
      entries={[
        [t('Sent', {}, 'when'), <When key="sent" at={of.submittedAt} />],
        [
          of.status === 'cancelled' ? t('Cancelled', {}, 'when') : t('Decided', {}, 'when'),
          of.decidedAt && <When key="at" at={of.decidedAt} />,
        ],
        [t('Decided by'), of.status === 'cancelled' ? null : of.decidedBy],
        [t('Reason for the person'), of.reason],
        [t('Counts until'), of.expiresOn && <Day key="until" on={of.expiresOn} />],
      ]}
    />
  )
}

function Views({ of: { views } }: { of: Check }) {
  if (views.length === 0) return <p className="text-ink-soft">{t('Nobody so far.')}</p>
  return (
    <Table
      caption={t('Who opened what, the newest first')}
      columns={opened}
      rows={views}
      keyOf={({ by, at, what }) => `${by} ${at} ${what}`}
    />
  )
}

const opened: readonly Column<Check['views'][number]>[] = [
  {
    header: msg('Opened'),
    cell: ({ what }) => (what === 'answers' ? t('Answers') : translate(identityFileLabels[what])),
  },
  { header: msg('By'), cell: ({ by }) => <bdi>{by}</bdi> },
  { header: msg('When'), cell: ({ at }) => <When at={at} /> },
]

const others: readonly Column<IdentityCheck>[] = [
  {
    header: msg('Kind'),
    cell: of => (
      <Link className="prose-link" to={consolePaths.identityCheck(of._id)}>
        {translate(kindWords[of.kind])}
        <span className="sr-only">{t(', sent {day}', { day: of.submittedAt.slice(0, 10) })}</span>
      </Link>
    ),
  },
  { header: msg('Sent'), cell: ({ submittedAt }) => <When at={submittedAt} /> },
  { header: msg('Status'), cell: ({ status }) => <CheckBadge status={status} /> },
]
