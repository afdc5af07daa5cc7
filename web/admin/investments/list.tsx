import { Link } from 'react-router'
import { type DepositMethod, investmentMethodsOf } from '#shared/coins.ts'
import type { Investment } from '#shared/contract/entities.ts'
import {
  approveInvestments,
  closeInvestments,
  declineInvestments,
  investmentsCsv,
  listInvestments,
} from '#shared/contract/investments.ts'
import { listCatalogue, type ManagedPlan } from '#shared/contract/plans.ts'
import { msg, t } from '#shared/i18n/t.ts'
import { Actions } from '#web/admin/actions/actions.tsx'
import type { Bulk } from '#web/admin/bulk/bulk.tsx'
import type { ListColumn } from '#web/admin/tables/columns.ts'
import type { FilterField, StatusOption } from '#web/admin/tables/list-filter.ts'
import { ListPage, ListSection, type PagedList } from '#web/admin/tables/list-section.tsx'
import { NumberAndDate, RecordCell } from '#web/admin/tables/record-cell.tsx'
import { byAmount, byTime } from '#web/admin/tables/sorts.ts'
import { OwnerLink } from '#web/admin/users/person.tsx'
import { useRead } from '#web/api/read.ts'
import { Usd } from '#web/components/amounts.tsx'
import { methodLabel } from '#web/components/methods.ts'
import { InvestmentStatus } from '#web/components/statuses.tsx'
import { When } from '#web/components/when.tsx'
import { consolePaths } from '#web/console-paths.ts'
import { useSite } from '#web/frame.ts'
import { pageMeta } from '#web/meta.ts'
import { tr } from '#web/tr.ts'
import { investmentActions } from './actions.tsx'

export const meta = pageMeta(msg('Investments'))

const statuses = () =>
  [
    ['pending', t('Pending')],
    ['active', t('Running')],
    ['matured', t('Matured')],
    ['inactive', t('Closed')],
    ['declined', t('Declined')],
    ['cancelled', t('Cancelled by the investor')],
  ] as const

const fieldsOf = (offered: readonly DepositMethod[]): readonly FilterField[] => [
  { kind: 'period', label: t('Requested') },
  { kind: 'amount', label: t('Amount') },
  {
    kind: 'choice',
    part: 'method',
    label: t('Payment method'),
    all: t('All methods'),
    options: investmentMethodsOf(offered).map(method => [method, methodLabel(method)]),
  },
]

const sorts = () => [
  byTime('created', t('Requested')),
  byAmount('amount', t('Amount')),
  { key: 'status', ascending: t('Status, running first'), descending: t('Status, pending first') },
  byTime('ending', t('Ending date')),
]

const columns: readonly ListColumn<Investment>[] = [
  { key: 'plan', header: msg('Plan'), cell: investment => <PlanCell investment={investment} /> },
  { key: 'user', header: msg('User'), cell: investment => <OwnerLink row={investment} /> },
  {
    key: 'status',
    header: msg('Status'),
    sort: { key: 'status' },
    cell: investment => <InvestmentStatus investment={investment} />,
  },
  {
    key: 'amount',
    header: msg('Amount'),
    numeric: true,
    sort: { key: 'amount', descendingFirst: true },
    cell: investment => <Usd value={investment.amount} />,
  },
  {
    key: 'endingDate',
    header: msg('Ending date'),
    sort: { key: 'ending' },
    cell: ({ endingDate }) => (endingDate === null ? '—' : <When at={endingDate} date />),
  },
  {
    key: 'requested',
    header: msg('Requested'),
    extra: true,
    sort: { key: 'created', descendingFirst: true },
    cell: investment => <When at={investment.createdAt} />,
  },
  {
    key: 'paymentMethod',
    header: msg('Payment method'),
    extra: true,
    cell: ({ method }) => methodLabel(method),
  },
  {
    key: 'earned',
    header: msg('Earned'),
    extra: true,
    numeric: true,
    cell: ({ earned }) => <Usd value={earned} />,
  },
  {
    key: 'accruedAndUnpaid',
    header: msg('Accrued and unpaid'),
    extra: true,
    numeric: true,
    cell: ({ accrued }) => <Usd value={accrued} />,
  },
  {
    key: 'approved',
    header: msg('Approved'),
    extra: true,
    cell: ({ approvedAt }) => (approvedAt === null ? '—' : <When at={approvedAt} />),
  },
  {
    key: 'action',
    header: msg('Action'),
    cell: investment => <Actions actions={investmentActions(investment)} />,
  },
]

const bulk: Bulk<Investment> = {
  nameOf: ({ invoiceId }) => invoiceId,
  actions: [
    {
      verb: 'Approve',
      call: approveInvestments,
      isOpen: ({ status, method }) => status === 'pending' && method === 'balance',
      allWith: ['pending'],
      note: msg('Approve crypto payments one by one, entering the amount received.'),
      moves: ({ plan }) => t('From hold into {plan}', { plan }),
    },
    {
      verb: 'Decline',
      call: declineInvestments,
      isOpen: ({ status }) => status === 'pending',
      allWith: ['pending'],
      needsReason: true,
      note: msg(
        'Held or received money becomes available to the investor, after repaying any debt from reversed deposits.',
      ),
      moves: ({ method }) =>
        method === 'balance'
          ? t('Back to the available balance')
          : t('To the available balance, if it arrived'),
    },
    {
      verb: 'Close',
      call: closeInvestments,
      isOpen: ({ status, matured }) => status === 'active' && matured,
      allWith: ['matured'],
      note: msg(
        'They have reached their ending dates. Each principal first repays any debt from reversed deposits.',
      ),
      moves: () => t('To the available balance'),
      detail: ({ plan, endingDate, accrued }) =>
        endingDate === null
          ? tr('{plan}. Accrued, not yet paid: {amount}', { plan, amount: <Usd value={accrued} /> })
          : tr('{plan}, ended {day}. Accrued, not yet paid: {amount}', {
              plan,
              day: <When at={endingDate} date />,
              amount: <Usd value={accrued} />,
            }),
    },
  ],
}

function PlanCell({ investment }: { investment: Investment }) {
  return (
    <RecordCell note={<NumberAndDate record={investment} />}>
      <Link
        className="prose-link"
        to={consolePaths.investment(investment._id)}
        aria-label={t('{plan}, {number}', { plan: investment.plan, number: investment.invoiceId })}
      >
        {investment.plan}
      </Link>
    </RecordCell>
  )
}

/** Plans by name; a retired one only if no current plan has its name. */
function planOptions(plans: readonly ManagedPlan[]): StatusOption[] {
  const inForce = plans.filter(({ retired }) => !retired).map(({ name }) => name)
  const others = new Set(plans.map(({ name }) => name).filter(name => !inForce.includes(name)))
  return [
    ...inForce.map((name): StatusOption => [name, name]),
    ...[...others].map((name): StatusOption => [name, t('{plan} (retired)', { plan: name })]),
  ]
}

/** Investments (N-04). */
function useInvestments(): PagedList<typeof listInvestments> {
  const { depositMethods } = useSite()
  const { data: plans } = useRead(listCatalogue, {})
  const named: FilterField = {
    kind: 'choice',
    part: 'plan',
    label: t('Plan'),
    all: t('All plans'),
    options: planOptions(plans ?? []),
  }
  return {
    call: listInvestments,
    file: investmentsCsv,
    title: t('Investments'),
    name: 'investments',
    columns,
    keyOf: investment => investment._id,
    statuses: statuses(),
    fields: [...fieldsOf(depositMethods), named],
    sorts: sorts(),
    bulk,
    empty: t('No investments made yet'),
  }
}

export function InvestmentsSection() {
  return <ListSection {...useInvestments()} path={consolePaths.investments} />
}

export default function InvestmentsPage() {
  return <ListPage {...useInvestments()} purpose={t('Money in plans, and requests to invest.')} />
}
