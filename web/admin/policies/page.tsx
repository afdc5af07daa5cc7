import { type ReactNode, useState } from 'react'
import { listPolicies, type WrittenPolicy } from '#shared/contract/policies.ts'
import { translatedLanguages } from '#shared/i18n/languages.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { type PolicyKind, policyKinds, policyPaths, policyTitles } from '#shared/policies.ts'
import { languageName } from '#web/admin/language-name.ts'
import { ProposalsSection } from '#web/admin/proposals/list.tsx'
import { TooFew } from '#web/admin/staff/too-few.tsx'
import { ListBody, pageSize } from '#web/admin/tables/list-body.tsx'
import { useListFilter } from '#web/admin/tables/list-filter.ts'
import { ListTools } from '#web/admin/tables/list-tools.tsx'
import { useList } from '#web/api/list.ts'
import { Markdown } from '#web/components/markdown.tsx'
import { Day, When } from '#web/components/when.tsx'
import { WrittenText } from '#web/components/written-text.tsx'
import { publicPath } from '#web/language.ts'
import { pageMeta } from '#web/meta.ts'
import { tr } from '#web/tr.ts'
import { Badge, type Tone } from '#web/ui/badge.tsx'
import { Button } from '#web/ui/button.tsx'
import { PageHead, Section } from '#web/ui/section.tsx'
import { ProposeVersion } from './propose.tsx'
import { TranslateVersion } from './translate.tsx'
import { TextNow } from './translations.tsx'

export const meta = pageMeta(msg('Policies'))

const statuses = () =>
  [
    ['current', t('In force')],
    ['upcoming', t('Upcoming')],
    ['past', t('Replaced')],
  ] as const

const badges: Record<WrittenPolicy['status'], readonly [Tone, string]> = {
  current: ['good', msg('In force')],
  upcoming: ['wait', msg('Upcoming')],
  past: ['plain', msg('Replaced')],
}

/** The firm's terms and other policies, whose versions two admins publish. */
export default function PoliciesPage() {
  return (
    <>
      <PageHead
        title={t('Policies')}
        lead={t(
          'Your terms, privacy notice and the like, each on a public page. Two admins publish a version, and no version ever changes.',
        )}
      />
      <div className="grid grid-cols-1 gap-12">
        <TooFew />
        <Section title={t('Pages')}>
          <ul className="grid">
            {policyKinds.map(kind => (
              <Page key={kind} kind={kind} />
            ))}
          </ul>
        </Section>
        <ProposalsSection kind="policies" />
        <Versions />
      </div>
    </>
  )
}

function Page({ kind }: { kind: PolicyKind }) {
  const [isOpen, setOpen] = useState(false)
  const { rows } = useList(listPolicies, { kind, limit: 1 })
  const newest = rows?.[0]
  const policy = translate(policyTitles[kind])
  const hidden = (words: ReactNode) => <span className="sr-only">{words}</span>
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 border-rule border-b py-3">
      <span className="grid gap-0.5">
        <span className="font-medium">{policy}</span>
        <span className="text-ink-soft text-sm">
          {newest
            ? tr('Version {version}, from {day}. <a>Public page</a>', {
                version: newest.version,
                day: <Day on={newest.from} />,
                a: words => (
                  <a className="prose-link" href={publicPath(policyPaths[kind])}>
                    {words}
                  </a>
                ),
              })
            : rows && t('Not published')}
        </span>
      </span>
      <Button tone="quiet" size="sm" disabled={!rows} onClick={() => setOpen(true)}>
        {newest
          ? tr('Propose a version<hidden> of {policy}</hidden>', { policy, hidden })
          : tr('Propose the first version<hidden> of {policy}</hidden>', { policy, hidden })}
      </Button>
      {isOpen && rows && <ProposeVersion kind={kind} newest={newest} onClose={() => setOpen(false)} />}
    </li>
  )
}

function Versions() {
  const filter = useListFilter({ statuses: statuses() })
  const list = useList(listPolicies, { ...filter.query, limit: pageSize })
  return (
    <Section title={t('All versions')}>
      <div className="mb-4 flex flex-wrap gap-3">
        <ListTools of={t('versions')} filter={filter} all={t('All versions')} statuses={statuses()} />
      </div>
      <ListBody of={t('versions')} list={list} filter={filter} empty={t('No versions yet')}>
        {rows => (
          <ul>
            {rows.map(row => (
              <Version key={row._id} policy={row} />
            ))}
          </ul>
        )}
      </ListBody>
    </Section>
  )
}

function Version({ policy }: { policy: WrittenPolicy }) {
  const { kind, version, from, changes, text, status, publishedAt, proposedBy, approvedBy, acceptances } =
    policy
  const { translations } = policy
  const [isTranslating, setTranslating] = useState(false)
  const [tone, words] = badges[status]
  return (
    <li className="grid gap-2 border-rule border-t py-5">
      <div className="flex flex-wrap items-baseline justify-between gap-x-6 gap-y-1">
        <h3 className="font-medium">
          {t('{policy}, version {version}', { policy: translate(policyTitles[kind]), version })}
        </h3>
        <span className="text-ink-soft text-sm">
          {tr('In force from {day} (UTC)', { day: <Day on={from} /> })}
        </span>
      </div>
      {changes && <WrittenText>{changes}</WrittenText>}
      <details>
        <summary className="prose-link mb-3 w-fit cursor-pointer">{t('Read the text')}</summary>
        <Markdown text={text} />
      </details>
      {translatedLanguages
        .filter(language => translations.includes(language))
        .map(language => (
          <TextNow
            key={language}
            policy={policy}
            language={language}
            label={t('Read it in {language}', { language: languageName(language) })}
          />
        ))}
      <span className="flex flex-wrap items-center gap-x-3 gap-y-1 text-ink-soft text-sm">
        <Badge tone={tone}>{translate(words)}</Badge>
        <span>
          {tr('{when}, proposed by {proposer}, approved by {approver}', {
            when: <When at={publishedAt} />,
            proposer: <bdi>{proposedBy}</bdi>,
            approver: <bdi>{approvedBy}</bdi>,
          })}
        </span>
        {acceptances !== null && (
          <span>
            {t('Accepted by {acceptances, plural, one {# person} other {# people}}', { acceptances })}
          </span>
        )}
      </span>
      {status !== 'past' && (
        <Button tone="quiet" size="sm" className="justify-self-start" onClick={() => setTranslating(true)}>
          {tr('Translate<hidden> {policy}, version {version}</hidden>', {
            policy: translate(policyTitles[kind]),
            version,
            hidden: words => <span className="sr-only">{words}</span>,
          })}
        </Button>
      )}
      {isTranslating && <TranslateVersion policy={policy} onClose={() => setTranslating(false)} />}
    </li>
  )
}
