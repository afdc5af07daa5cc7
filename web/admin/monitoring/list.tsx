import { Link } from 'react-router'
import { casesCsv, listCases, type MonitoringCase } from '#shared/contract/monitoring.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { caseStatuses, monitoringRules, ruleLabels } from '#shared/monitoring.ts'
import type { ListColumn } from '#web/admin/tables/columns.ts'
import { ListSection } from '#web/admin/tables/list-section.tsx'
import { RecordCell } from '#web/admin/tables/record-cell.tsx'
import { byAmount, byTime, byWords, type FilterSet } from '#web/admin/tables/sorts.ts'
import { OwnerLink } from '#web/admin/users/person.tsx'
import { Usd } from '#web/components/amounts.tsx'
import { When } from '#web/components/when.tsx'
import { consolePaths } from '#web/console-paths.ts'
import { pageMeta } from '#web/meta.ts'
import { PageHead } from '#web/ui/section.tsx'
import { CaseBadge, statusWords } from './status.tsx'
import { movedWords } from './words.ts'

export const meta = pageMeta(msg('Monitoring'))

const statuses = () => caseStatuses.map(status => [status, translate(statusWords[status])] as const)

const filters = (): FilterSet => ({
  fields: [
    { kind: 'period', label: t('Found') },
    {
      kind: 'choice',
      part: 'rule',
      label: t('Rule'),
      all: t('All rules'),
      options: monitoringRules.map(rule => [rule, translate(ruleLabels[rule])]),
    },
  ],
  sorts: [byTime('found', t('Found')), byAmount('amount', t('Amount')), byWords('name', t('User'))],
})

const columns: readonly ListColumn<MonitoringCase>[] = [
  { key: 'user', header: msg('User'), sort: { key: 'name' }, cell: of => <OwnerLink row={of} /> },
  {
    key: 'rule',
    header: msg('Rule'),
    cell: of => (
      <RecordCell note={movedWords(of)}>
        <Link className="prose-link" to={consolePaths.monitoringCase(of._id)}>
          {translate(ruleLabels[of.rule])}
        </Link>
      </RecordCell>
    ),
  },
  {
    key: 'amount',
    header: msg('Amount'),
    numeric: true,
    sort: { key: 'amount', descendingFirst: true },
    cell: ({ amount }) => <Usd value={amount} />,
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
    cell: ({ status }) => <CaseBadge status={status} />,
  },
]

/** Movements that rules found and staff look into (decision 179). */
export default function MonitoringPage() {
  return (
    <>
      <PageHead
        title={t('Monitoring')}
        lead={t(
          'Deposits and withdrawals that staff must review. A case holds no money, and the investor is not told of it. Two admins set the limits in Settings.',
        )}
      />
      <ListSection
        call={listCases}
        file={casesCsv}
        title={t('Cases')}
        name="cases"
        columns={columns}
        keyOf={of => of._id}
        statuses={statuses()}
        {...filters()}
        empty={t('No cases so far')}
      />
    </>
  )
}
