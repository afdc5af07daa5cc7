import { Link } from 'react-router'
import type { CallData } from '#shared/contract/define.ts'
import { getMatch, type NameMatch } from '#shared/contract/screening.ts'
import { msg, t } from '#shared/i18n/t.ts'
import { Actions } from '#web/admin/actions/actions.tsx'
import { DetailPage } from '#web/admin/detail-page.tsx'
import { isOwn } from '#web/admin/rights.ts'
import { PersonLink } from '#web/admin/users/person.tsx'
import { When } from '#web/components/when.tsx'
import { consolePaths } from '#web/console-paths.ts'
import { pageMeta } from '#web/meta.ts'
import { tr } from '#web/tr.ts'
import { Badge } from '#web/ui/badge.tsx'
import { capital } from '#web/ui/capital.ts'
import { DescriptionList } from '#web/ui/description-list.tsx'
import { PageHead, Section } from '#web/ui/section.tsx'
import { type Column, Table } from '#web/ui/table.tsx'
import { matchPageActions } from './actions.tsx'
import { Births } from './births.tsx'
import { MatchStatus } from './status.tsx'

export const meta = pageMeta(msg('Match with a list'))

type Detail = CallData<typeof getMatch>

/** `/admin/match?id=`: a person and an entry whose names are alike, side by side. */
export default function MatchPage() {
  return (
    <DetailPage
      call={getMatch}
      title={t('Match with a list')}
      of="match"
      elsewhere="Pick a match from the console’s page Screening."
    >
      {match => <MatchDetail match={match} />}
    </DetailPage>
  )
}

function MatchDetail({ match }: { match: Detail }) {
  return (
    <>
      <PageHead
        title={
          <>
            {tr('{bdi} and {bdi2}', {
              bdi: <bdi>{match.userName}</bdi>,
              bdi2: <bdi>{match.listedName}</bdi>,
            })}
          </>
        }
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
                ['Decided by', match.decidedBy],
                ['Decided', <When key="decided" at={match.decidedAt} />],
                ['Reason', match.reason],
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
      ? 'This is your own account, so another person decides.'
      : 'Compare what you know of the person with the entry: where and when they were born, their citizenship, what they do. If you cannot tell, ask the person. Until you decide, no withdrawal of this account is approved; it can be declined.'
  }
  if (status === 'lapsed') return 'The entry has left the list. Nothing is left to decide.'
  if (status === 'different') return 'They are two people. This match stops nothing.'
  if (inForce) {
    return person.frozen || person.closed
      ? 'While the entry is on the list, the account cannot be unfrozen or reopened.'
      : 'The entry is on the list again, but the account is not frozen. Freeze it.'
  }
  return others.some(other => other.status === 'same' && other.inForce)
    ? 'The entry has left the list. Another match still keeps the account frozen.'
    : 'The entry has left the list, so this match stops nothing. If the account is frozen for nothing else, unfreeze it.'
}

/** The same of a politically exposed person, which stops no withdrawal. */
function exposedWords({ status, inForce, user }: Detail): string {
  if (status === 'open') {
    return isOwn(user)
      ? 'This is your own account, so another person decides.'
      : 'Compare what you know of the person with the entry: where and when they were born, their country, what they do. If you cannot tell, ask the person. Until you decide, this stops nothing.'
  }
  if (status === 'lapsed') return 'The entry has left the list. Nothing is left to decide.'
  if (status === 'different') return 'They are two people. This match stops nothing.'
  return inForce
    ? 'While the entry is on the list, new investments of this account wait until its owner’s identity and source of funds are verified. Withdrawals go on as before.'
    : 'The entry has left the list, so nothing more is asked for than of anyone else.'
}

function Person({ match: { person, userName } }: { match: Detail }) {
  return (
    <DescriptionList
      entries={[
        ['Name', <PersonLink key="name" id={person._id} name={person.name} />],
        ['Name when compared', person.name === userName ? null : <bdi key="then">{userName}</bdi>],
        ['Email', person.email],
        ['Country', person.country],
        ['Account', <AccountState key="state" of={person} />],
      ]}
    />
  )
}

function AccountState({ of: { frozen, closed } }: { of: Detail['person'] }) {
  if (closed) return 'Closed'
  return frozen ? <Badge tone="bad">{t('Frozen')}</Badge> : 'Not frozen'
}

const kinds: Record<NameMatch['kind'], string> = {
  person: 'Person',
  organisation: 'Organisation',
  vessel: 'Vessel',
  aircraft: 'Aircraft',
}

function Entry({ match }: { match: Detail }) {
  const { names, weak, births, countries, programmes } = match.details
  return (
    <DescriptionList
      entries={[
        ['List', capital(match.publisher)],
        ['Number', match.entry],
        ['Kind', kinds[match.kind]],
        ['Names', <Lines key="names" of={names} />],
        ['Names that the list calls weak', linesOf(weak)],
        ['Born', linesOf(births)],
        [match.list === 'pep' ? 'Countries' : 'Citizen of', linesOf(countries)],
        [match.list === 'pep' ? 'Sources' : 'Programmes', linesOf(programmes)],
        ['Likeness of the names', `${match.score} of 100`],
        ['Found', <When key="found" at={match.foundAt} />],
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
  { header: msg('List'), cell: ({ publisher, entry }) => `${capital(publisher)}, entry ${entry}` },
  { header: msg('Status'), cell: match => <MatchStatus of={match} /> },
  { header: msg('Found'), cell: ({ foundAt }) => <When at={foundAt} /> },
]
