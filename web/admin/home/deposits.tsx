import { listDeposits } from '#shared/contract/deposits.ts'
import type { Deposit } from '#shared/contract/entities.ts'
import { Actions } from '#web/admin/acts/actions.tsx'
import { depositActions } from '#web/admin/acts/deposit.tsx'
import { ListSection } from '#web/admin/list-section.tsx'
import { OwnerLink } from '#web/admin/person.tsx'
import { AmountCell, RecordCell } from '#web/admin/record-cell.tsx'
import { Usd } from '#web/components/amounts.tsx'
import { methodLabel } from '#web/components/methods.ts'
import { arrivalWords, DepositStatus } from '#web/components/statuses.tsx'
import { paths } from '#web/paths.ts'
import type { Column } from '#web/ui/table.tsx'

const statuses = [
  ['pending', 'Pending'],
  ['paid', 'Paid'],
  ['unpaid', 'Unpaid'],
  ['declined', 'Declined'],
  ['differing', 'Short, over or late'],
] as const

const columns: readonly Column<Deposit>[] = [
  {
    header: 'Amount',
    cell: deposit => <AmountCell record={deposit} to={paths.admin.deposit(deposit._id)} />,
  },
  { header: 'Payment method', cell: deposit => methodLabel(deposit.method) },
  { header: 'Status', cell: deposit => <StatusCell deposit={deposit} /> },
  { header: 'User', cell: deposit => <OwnerLink row={deposit} /> },
  { header: 'Action', cell: deposit => <Actions actions={depositActions(deposit)} /> },
]

/** Of a payment that did not come as asked for, what was credited stands below its status. */
function StatusCell({ deposit: { status, arrival, credited } }: { deposit: Deposit }) {
  if (arrival === null || credited === null) return <DepositStatus status={status} />
  return (
    <RecordCell
      note={
        <>
          {arrivalWords[arrival]}: <Usd value={credited} /> credited
        </>
      }
    >
      <DepositStatus status={status} />
    </RecordCell>
  )
}

/** Deposits (N-06). */
export function DepositsSection() {
  return (
    <ListSection
      call={listDeposits}
      title="Deposits"
      name="deposits"
      columns={columns}
      keyOf={deposit => deposit._id}
      statuses={statuses}
      empty="No deposits made yet"
    />
  )
}
