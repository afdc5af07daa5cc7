import { Link } from 'react-router'
import {
  addPlanEarnings,
  approveEarnings,
  declineEarnings,
  earningsCsv,
  listEarnings,
} from '#shared/contract/earnings.ts'
import type { Earning } from '#shared/contract/entities.ts'
import { msg, t } from '#shared/i18n/t.ts'
import { Actions } from '#web/admin/actions/actions.tsx'
import type { Bulk } from '#web/admin/bulk/bulk.tsx'
import { mayCall } from '#web/admin/rights.ts'
import type { ListColumn } from '#web/admin/tables/columns.ts'
import { ListPage, ListSection, type PagedList } from '#web/admin/tables/list-section.tsx'
import { RecordCell } from '#web/admin/tables/record-cell.tsx'
import { byAmount, byTime, byWords, type FilterSet } from '#web/admin/tables/sorts.ts'
import { OwnerLink } from '#web/admin/users/person.tsx'
import { Usd } from '#web/components/amounts.tsx'
import { EarningStatus } from '#web/components/statuses.tsx'
import { When } from '#web/components/when.tsx'
import { consolePaths } from '#web/console-paths.ts'
import { pageMeta } from '#web/meta.ts'
import { tr } from '#web/tr.ts'
import { earningActions } from './actions.tsx'

export const meta = pageMeta(msg('Earnings'))

const statuses = () =>
  [
    ['pending', t('Pending')],
    ['paid', t('Paid')],
    ['declined', t('Declined')],
  ] as const

const filters = (): FilterSet => ({
  fields: [
    { kind: 'period', label: t('Added') },
    { kind: 'amount', label: t('Amount') },
  ],
  sorts: [byTime('created', t('Added')), byAmount('amount', t('Amount')), byWords('status', t('Status'))],
})

const columns: readonly ListColumn<Earning>[] = [
  {
    key: 'amount',
    header: msg('Amount'),
    sort: { key: 'amount', descendingFirst: true },
    cell: earning => (
      <RecordCell note={<When at={earning.createdAt} />}>
        <span className="font-medium">
          <Usd value={earning.amount} />
        </span>
      </RecordCell>
    ),
  },
  { key: 'investment', header: msg('Investment'), cell: earning => <InvestmentCell earning={earning} /> },
  {
    key: 'status',
    header: msg('Status'),
    sort: { key: 'status' },
    cell: earning => <StatusCell earning={earning} />,
  },
  { key: 'user', header: msg('User'), cell: earning => <OwnerLink row={earning} /> },
  {
    key: 'added',
    header: msg('Added'),
    extra: true,
    sort: { key: 'created', descendingFirst: true },
    cell: earning => <When at={earning.createdAt} />,
  },
  { key: 'source', header: msg('Source'), extra: true, cell: ({ source }) => <bdi>{source}</bdi> },
  {
    key: 'note',
    header: msg('Note'),
    extra: true,
    cell: ({ note }) => (note === null ? '—' : <bdi>{note}</bdi>),
  },
]

function InvestmentCell({ earning }: { earning: Earning }) {
  if (earning.investment === null) return '—'
  return (
    <RecordCell note={<EarningNote earning={earning} />}>
      <Link className="prose-link" to={consolePaths.investment(earning.investment)}>
        {earning.investmentLabel ?? earning.investment}
      </Link>
    </RecordCell>
  )
}

/** The earning's source and note. */
function EarningNote({ earning: { status, source, note } }: { earning: Earning }) {
  return (
    <span className="grid gap-0.5">
      {status !== 'declined' && <span>{tr('Source: {source}', { source: <bdi>{source}</bdi> })}</span>}
      {note && <span>{tr('Note: {note}', { note: <bdi>{note}</bdi> })}</span>}
    </span>
  )
}

/** Shows the second admin's actions beside the status, since the specification fixes the columns. */
function StatusCell({ earning }: { earning: Earning }) {
  return (
    <div className="flex flex-wrap items-center gap-3">
      <EarningStatus earning={earning} />
      <Actions actions={earningActions(earning)} none={null} />
    </div>
  )
}

const pending = { isOpen: ({ status }: Earning) => status === 'pending', allWith: ['pending'] as const }

const bulk: Bulk<Earning> = {
  nameOf: ({ investmentLabel, source, userName }) =>
    userName === null
      ? t('{earning}, no name', { earning: investmentLabel ?? source })
      : t('{earning}, {name}', { earning: investmentLabel ?? source, name: userName }),
  actions: [
    {
      verb: 'Approve',
      call: approveEarnings,
      note: msg('They are paid from recorded returns. The person who added one cannot approve it.'),
      moves: () => t('From recorded returns to the investor'),
      detail: ({ source, beyondAccrued }) =>
        beyondAccrued > 0 ? (
          tr('{source}. {amount} more than has accrued', {
            source: <bdi>{source}</bdi>,
            amount: <Usd value={beyondAccrued} />,
          })
        ) : (
          <bdi>{source}</bdi>
        ),
      ...pending,
    },
    {
      verb: 'Decline',
      call: declineEarnings,
      needsReason: true,
      note: msg('No money moves, and the accruals can be added again.'),
      moves: () => t('Not paid'),
      ...pending,
    },
  ],
}

/** Earnings (N-05). */
const earnings = (): PagedList<typeof listEarnings> => ({
  call: listEarnings,
  file: earningsCsv,
  title: t('Earnings'),
  name: 'earnings',
  columns,
  keyOf: earning => earning._id,
  statuses: statuses(),
  ...filters(),
  bulk,
  empty: t('No earnings made yet'),
})

function wholePlan() {
  return (
    mayCall(addPlanEarnings) && (
      <Link className="prose-link" to={consolePaths.planEarnings()}>
        {t('Add earnings for a whole plan')}
      </Link>
    )
  )
}

export function EarningsSection() {
  return <ListSection {...earnings()} lead={wholePlan()} path={consolePaths.earnings} />
}

export default function EarningsPage() {
  return (
    <ListPage
      {...earnings()}
      lead={wholePlan()}
      purpose={t('What investors have earned, paid from recorded returns.')}
    />
  )
}
