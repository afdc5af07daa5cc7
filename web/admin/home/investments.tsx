import { Link } from 'react-router'
import type { Investment } from '#shared/contract/entities.ts'
import { listInvestments } from '#shared/contract/investments.ts'
import { Actions } from '#web/admin/acts/actions.tsx'
import { investmentActions } from '#web/admin/acts/investment.tsx'
import { ListSection } from '#web/admin/list-section.tsx'
import { OwnerLink } from '#web/admin/person.tsx'
import { NumberAndDate, RecordCell } from '#web/admin/record-cell.tsx'
import { Usd } from '#web/components/amounts.tsx'
import { InvestmentStatus } from '#web/components/statuses.tsx'
import { When } from '#web/components/when.tsx'
import { paths } from '#web/paths.ts'
import type { Column } from '#web/ui/table.tsx'

const statuses = [
  ['pending', 'Pending'],
  ['active', 'Running'],
  ['matured', 'Matured'],
  ['inactive', 'Closed'],
  ['declined', 'Declined'],
] as const

const columns: readonly Column<Investment>[] = [
  { header: 'Plan', cell: investment => <PlanCell investment={investment} /> },
  { header: 'User', cell: investment => <OwnerLink row={investment} /> },
  { header: 'Status', cell: investment => <InvestmentStatus investment={investment} /> },
  { header: 'Amount', cell: investment => <Usd value={investment.amount} />, numeric: true },
  {
    header: 'Ending date',
    cell: ({ endingDate }) => (endingDate === null ? '—' : <When at={endingDate} date />),
  },
  { header: 'Action', cell: investment => <Actions actions={investmentActions(investment)} /> },
]

function PlanCell({ investment }: { investment: Investment }) {
  return (
    <RecordCell note={<NumberAndDate record={investment} />}>
      <Link
        className="prose-link"
        to={paths.admin.investment(investment._id)}
        aria-label={`${investment.plan}, ${investment.invoiceId}`}
      >
        {investment.plan}
      </Link>
    </RecordCell>
  )
}

/** Investments (N-04). */
export function InvestmentsSection() {
  return (
    <ListSection
      call={listInvestments}
      title="Investments"
      name="investments"
      columns={columns}
      keyOf={investment => investment._id}
      statuses={statuses}
      empty="No investments made yet"
    />
  )
}
