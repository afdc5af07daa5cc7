import { Link } from 'react-router'
import type { CallData } from '#shared/contract/define.ts'
import { getMatch, type NameMatch } from '#shared/contract/screening.ts'
import { localCountry } from '#shared/countries.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { Actions } from '#web/admin/actions/actions.tsx'
import { DetailPage } from '#web/admin/detail-page.tsx'
import { isOwn } from '#web/admin/rights.ts'
import { PersonLink } from '#web/admin/users/person.tsx'
import { When } from '#web/components/when.tsx'
import { consolePaths } from '#web/console-paths.ts'
import { pageMeta } from '#web/meta.ts'
import { tr } from '#web/tr.ts'
import { Badge } from '#web/ui/badge.tsx'
import { DescriptionList } from '#web/ui/description-list.tsx'
import { PageHead, Section } from '#web/ui/section.tsx'
import { type Column, Table } from '#web/ui/table.tsx'
import { matchPageActions } from './actions.tsx'
import { Births } from './births.tsx'
import { MatchStatus } from './status.tsx'
import { entryWords, publisherWords, scoreWords } from './words.ts'

export const meta = pageMeta(msg('Match with a list'))

type Detail = CallData<typeof getMatch>

/** `/admin/match?id=`: a person and an entry whose names are alike, side by side. */
export default function MatchPage() {
  return (
    <DetailPage
      call={getMatch}
      title={t('Match with a list')}
      of={t('match', {}, 'with a list')}
      elsewhere={t('Pick a match from the console’s page Screening.')}
    >
      {match => <MatchDetail match={match} />}
    </DetailPage>
  )
}

function MatchDetail({ match }: { match: Detail }) {
  return (
    <>
      <PageHead
        title={tr('{name} and {listedName}', {
          name: <bdi>{match.userName}</bdi>,
          listedName: <bdi>{match.listedName}</bdi>,
        })}
        lead={<MatchStatus of={match} />}
        aside={<Actions actions={matchPageActions(match)} none={null} />}
      />
      <p className="mb-8 max-w-prose text-ink-soft">{wordsOf(match)}</p>
      <div className="grid grid-cols-1 gap-x-12 gap-y-10 lg:grid-cols-2">
        <Section title={t('The account')}>
          <Person match={match} />
        </Section>
        <Section title={t('The entry')}>
          <Entry match={match} />
        </Section>
        {match.kind === 'person' && !isOwn(match.user) && (
          <Section title={t('Dates of birth')}>
            {/* What was found of one match is not shown of another. */}
            <Births key={match._id} id={match._id} />
          </Section>
        )}
        {match.decidedAt !== null && (
          <Section title={t('The decision')}>
            <DescriptionList
              entries={[
                [t('Decided by'), match.decidedBy],
                [t('Decided', {}, 'when'), <When key="decided" at={match.decidedAt} />],
                [t('Reason'), match.reason],
              ]}
            />
          </Section>
        )}
        {match.others.length > 0 && (
          <Section title={t('Other matches of this person')} className="lg:col-span-2">
            <Table
              caption={t('Other matches of this person, the newest first')}
              columns={others}
              rows={match.others}
              keyOf={({ _id }) => _id}
            />
          </Section>
        )}
      </div>
    </>
  )
}

/** What the match means now, and what staff do. */
function wordsOf(match: Detail): string {
  const { status, inForce, user, person, others } = match
  if (match.list === 'pep') return exposedWords(match)
  if (status === 'open') {
    return isOwn(user)
      ? t('This is your own account, so another person decides.')
      : t(
          'Compare what you know of the person with the entry: where and when they were born, their citizenship, what they do. If you cannot tell, ask the person. Until you decide, no withdrawal of this account is approved; it can be declined.',
        )
  }
  if (status === 'lapsed') return t('The entry has left the list. Nothing is left to decide.')
  if (status === 'different') return t('They are two people. This match stops nothing.')
  if (inForce) {
    return person.frozen || person.closed
      ? t('While the entry is on the list, the account cannot be unfrozen or reopened.')
      : t('The entry is on the list again, but the account is not frozen. Freeze it.')
  }
  return others.some(other => other.status === 'same' && other.inForce)
    ? t('The entry has left the list. Another match still keeps the account frozen.')
    : t(
        'The entry has left the list, so this match stops nothing. If the account is frozen for nothing else, unfreeze it.',
      )
}

/** The same of a politically exposed person, which stops no withdrawal. */
function exposedWords({ status, inForce, user }: Detail): string {
  if (status === 'open') {
    return isOwn(user)
      ? t('This is your own account, so another person decides.')
      : t(
          'Compare what you know of the person with the entry: where and when they were born, their country, what they do. If you cannot tell, ask the person. Until you decide, this stops nothing.',
        )
  }
  if (status === 'lapsed') return t('The entry has left the list. Nothing is left to decide.')
  if (status === 'different') return t('They are two people. This match stops nothing.')
  return inForce
    ? t(
        'While the entry is on the list, new investments of this account wait until its owner’s identity and source of funds are verified. Withdrawals go on as before.',
      )
    : t('The entry has left the list, so nothing more is asked for than of anyone else.')
}

function Person({ match: { person, userName } }: { match: Detail }) {
  return (
    <DescriptionList
      entries={[
        [t('Name'), <PersonLink key="name" id={person._id} name={person.name} />],
        [t('Name when compared'), person.name === userName ? null : <bdi key="then">{userName}</bdi>],
        [t('Email'), person.email],
        [t('Country'), localCountry(person.country)],
        [t('Account'), <AccountState key="state" of={person} />],
      ]}
    />
  )
}

function AccountState({ of: { frozen, closed } }: { of: Detail['person'] }) {
  if (closed) return t('Closed', {}, 'an account')
  return frozen ? <Badge tone="bad">{t('Frozen', {}, 'an account')}</Badge> : t('Not frozen')
}

const kinds: Record<NameMatch['kind'], string> = {
  person: msg('Person'),
  organisation: msg('Organisation'),
  vessel: msg('Vessel'),
  aircraft: msg('Aircraft'),
}

function Entry({ match }: { match: Detail }) {
  const { names, weak, births, countries, programmes } = match.details
  return (
    <DescriptionList
      entries={[
        [t('List'), publisherWords(match.list)],
        [t('Number'), match.entry],
        [t('Kind'), translate(kinds[match.kind])],
        [t('Names'), <Lines key="names" of={names} />],
        [t('Names that the list calls weak'), linesOf(weak)],
        [t('Born'), linesOf(births)],
        [match.list === 'pep' ? t('Countries') : t('Citizen of'), linesOf(countries.map(localCountry))],
        [match.list === 'pep' ? t('Sources') : t('Programmes'), linesOf(programmes)],
        [t('Likeness of the names'), scoreWords(match.score)],
        [t('Found', {}, 'when'), <When key="found" at={match.foundAt} />],
      ]}
    />
  )
}

function linesOf(texts: readonly string[]) {
  return texts.length === 0 ? null : <Lines of={texts} />
}

function Lines({ of }: { of: readonly string[] }) {
  return (
    <ul>
      {of.map(text => (
        <li key={text}>
          <bdi>{text}</bdi>
        </li>
      ))}
    </ul>
  )
}

const others: readonly Column<NameMatch>[] = [
  {
    header: msg('Listed name'),
    cell: match => (
      <Link className="prose-link" to={consolePaths.nameMatch(match._id)}>
        <bdi>{match.listedName}</bdi>
      </Link>
    ),
  },
  { header: msg('List'), cell: entryWords },
  { header: msg('Status'), cell: match => <MatchStatus of={match} /> },
  { header: msg('Found'), cell: ({ foundAt }) => <When at={foundAt} /> },
]
