import { Link } from 'react-router'
import type { RealisedReturn } from '#shared/contract/entities.ts'
import { listReturns, newReturn, returnsCsv } from '#shared/contract/returns.ts'
import { msg, t } from '#shared/i18n/t.ts'
import { Actions } from '#web/admin/actions/actions.tsx'
import { mayCall } from '#web/admin/rights.ts'
import type { ListColumn } from '#web/admin/tables/columns.ts'
import { ListSection } from '#web/admin/tables/list-section.tsx'
import { RecordCell } from '#web/admin/tables/record-cell.tsx'
import { byAmount, byTime, type FilterSet } from '#web/admin/tables/sorts.ts'
import { Usd } from '#web/components/amounts.tsx'
import { Evidence } from '#web/components/evidence.tsx'
import { Day } from '#web/components/when.tsx'
import { consolePaths } from '#web/console-paths.ts'
import { pageMeta } from '#web/meta.ts'
import { tr } from '#web/tr.ts'
import { PageHead, Section } from '#web/ui/section.tsx'
import { decisionsOf } from './actions.tsx'
import { RecordReturn } from './record-return.tsx'
import { ReturnStatus } from './status.tsx'
import { ReturnsSummary } from './summary.tsx'

export const meta = pageMeta(msg('Recorded returns'))

const statuses = () =>
  [
    ['undecided', t('To decide')],
    ['pending', t('Pending')],
    ['recorded', t('Recorded')],
    ['declined', t('Declined')],
    ['void_proposed', t('Void proposed')],
    ['voided', t('Voided')],
  ] as const

const filters = (): FilterSet => ({
  fields: [
    { kind: 'period', label: t('Realised') },
    { kind: 'amount', label: t('Amount') },
  ],
  sorts: [byTime('realised', t('Realised')), byAmount('amount', t('Amount'))],
})

const columns: readonly ListColumn<RealisedReturn>[] = [
  {
    key: 'source',
    header: msg('Source'),
    cell: entry => (
      <RecordCell note={tr('Recorded by {name}', { name: <bdi>{entry.recordedBy ?? '—'}</bdi> })}>
        <Link className="prose-link" to={consolePaths.recordedReturn(entry._id)}>
          <bdi>{entry.source}</bdi>
        </Link>
      </RecordCell>
    ),
  },
  {
    key: 'realised',
    header: msg('Realised'),
    sort: { key: 'realised', descendingFirst: true },
    cell: entry => <Day on={entry.realisedAt} />,
  },
  { key: 'evidence', header: msg('Evidence'), cell: entry => <Evidence of={entry} /> },
  { key: 'status', header: msg('Status'), cell: entry => <StatusCell entry={entry} /> },
  {
    key: 'amount',
    header: msg('Amount'),
    numeric: true,
    sort: { key: 'amount', descendingFirst: true },
    cell: entry => <Usd value={entry.amount} />,
  },
  { key: 'paidOut', header: msg('Paid out'), cell: entry => <Usd value={entry.paidOut} />, numeric: true },
  {
    key: 'leftToPayOut',
    header: msg('Left to pay out'),
    cell: entry => <Usd value={entry.left} />,
    numeric: true,
  },
]

function StatusCell({ entry }: { entry: RealisedReturn }) {
  return (
    <div className="flex flex-wrap items-center gap-3">
      <ReturnStatus of={entry} />
      <Actions actions={decisionsOf(entry)} none={null} />
    </div>
  )
}

/** Recorded returns (N-11, D1.2). */
export default function ReturnsPage() {
  return (
    <>
      <PageHead
        title={t('Recorded returns')}
        lead={t(
          'Returns that the firm has realised, with their evidence. Earnings are paid from these only. A second person approves large ones, and two people can void a wrong one.',
        )}
      />
      <div className="grid grid-cols-1 gap-12">
        <ReturnsSummary title={t('Summary')} />
        {mayCall(newReturn) && (
          <Section title={t('Record a realised return')}>
            <RecordReturn />
          </Section>
        )}
        <ListSection
          call={listReturns}
          file={returnsCsv}
          title={t('Returns')}
          name="returns"
          columns={columns}
          keyOf={entry => entry._id}
          statuses={statuses()}
          {...filters()}
          empty={t('No returns recorded yet')}
        />
      </div>
    </>
  )
}
