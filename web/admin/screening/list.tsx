import { Link } from 'react-router'
import { listMatches, matchesCsv, type NameMatch } from '#shared/contract/screening.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { matchStatuses, nameLists } from '#shared/sanctions.ts'
import { Actions } from '#web/admin/actions/actions.tsx'
import type { ListColumn } from '#web/admin/tables/columns.ts'
import { ListSection } from '#web/admin/tables/list-section.tsx'
import { RecordCell } from '#web/admin/tables/record-cell.tsx'
import { byAmount, byTime, byWords, type FilterSet } from '#web/admin/tables/sorts.ts'
import { OwnerLink } from '#web/admin/users/person.tsx'
import { When } from '#web/components/when.tsx'
import { consolePaths } from '#web/console-paths.ts'
import { pageMeta } from '#web/meta.ts'
import { PageHead } from '#web/ui/section.tsx'
import { matchActions } from './actions.tsx'
import { SanctionsLists } from './lists.tsx'
import { MatchStatus, statusWords } from './status.tsx'
import { entryWords, publisherWords, scoreWords } from './words.ts'

export const meta = pageMeta(msg('Screening'))

const statuses = () => matchStatuses.map(status => [status, translate(statusWords[status])] as const)

const filters = (): FilterSet => ({
  fields: [
    { kind: 'period', label: t('Found') },
    {
      kind: 'choice',
      part: 'list',
      label: t('List'),
      all: t('All lists'),
      options: nameLists.map(list => [list, publisherWords(list)]),
    },
  ],
  sorts: [byTime('found', t('Found')), byAmount('score', t('Likeness')), byWords('name', t('User'))],
})

const columns: readonly ListColumn<NameMatch>[] = [
  { key: 'user', header: msg('User'), sort: { key: 'name' }, cell: match => <OwnerLink row={match} /> },
  {
    key: 'listedName',
    header: msg('Listed name'),
    cell: match => (
      <RecordCell note={entryWords(match)}>
        <Link className="prose-link" to={consolePaths.nameMatch(match._id)}>
          <bdi>{match.listedName}</bdi>
        </Link>
      </RecordCell>
    ),
  },
  {
    key: 'likeness',
    header: msg('Likeness'),
    numeric: true,
    sort: { key: 'score', descendingFirst: true },
    cell: ({ score }) => scoreWords(score),
  },
  {
    key: 'found',
    header: msg('Found'),
    sort: { key: 'found', descendingFirst: true },
    cell: ({ foundAt }) => <When at={foundAt} />,
  },
  {
    key: 'status',
    header: msg('Status'),
    cell: match => (
      <div className="flex flex-wrap items-center gap-3">
        <MatchStatus of={match} />
        <Actions actions={matchActions(match)} none={null} />
      </div>
    ),
  },
]

/** The lists in force, and people whose names are like listed ones (decisions 178 and 181). */
export default function ScreeningPage() {
  return (
    <>
      <PageHead
        title={t('Screening')}
        lead={t(
          'We compare the names of investors and staff with the lists in force. A match is a question. Until one with a sanctions list is decided, no withdrawal of that person is approved; one with a politically exposed person stops nothing.',
        )}
      />
      <div className="grid grid-cols-1 gap-12">
        <SanctionsLists />
        <ListSection
          call={listMatches}
          file={matchesCsv}
          title={t('Matches')}
          name="matches"
          columns={columns}
          keyOf={match => match._id}
          statuses={statuses()}
          {...filters()}
          empty={t('No matches so far')}
        />
      </div>
    </>
  )
}
