import type { Withdrawal } from '#shared/contract/entities.ts'
import { listWithdrawals } from '#shared/contract/withdrawals.ts'
import { Actions } from '#web/admin/acts/actions.tsx'
import { approvalsWords, withdrawalActions } from '#web/admin/acts/withdrawal.tsx'
import { ListSection } from '#web/admin/list-section.tsx'
import { OwnerLink } from '#web/admin/person.tsx'
import { AmountCell, RecordCell } from '#web/admin/record-cell.tsx'
import { WithdrawalStatus } from '#web/components/statuses.tsx'
import { paths } from '#web/paths.ts'
import type { Column } from '#web/ui/table.tsx'

const statuses = [
  ['pending', 'Pending'],
  ['approved', 'Approved'],
  ['paid', 'Paid'],
  ['declined', 'Declined'],
] as const

const columns: readonly Column<Withdrawal>[] = [
  {
    header: 'Amount',
    cell: withdrawal => <AmountCell record={withdrawal} to={paths.admin.withdrawal(withdrawal._id)} />,
  },
  { header: 'User', cell: withdrawal => <OwnerLink row={withdrawal} /> },
  { header: 'Status', cell: withdrawal => <StatusCell withdrawal={withdrawal} /> },
  { header: 'Wallet', cell: withdrawal => <span className="whitespace-nowrap">{withdrawal.wallet}</span> },
  {
    header: 'Wallet address',
    cell: withdrawal => <span className="text-sm">{withdrawal.walletAddress}</span>,
  },
  { header: 'Action', cell: withdrawal => <Actions actions={withdrawalActions(withdrawal)} /> },
]

function StatusCell({ withdrawal }: { withdrawal: Withdrawal }) {
  return (
    <RecordCell note={approvalsWords(withdrawal)}>
      <WithdrawalStatus status={withdrawal.status} />
    </RecordCell>
  )
}

/** Withdrawals (N-03). */
export function WithdrawalsSection() {
  return (
    <ListSection
      call={listWithdrawals}
      title="Withdrawals"
      name="withdrawals"
      columns={columns}
      keyOf={withdrawal => withdrawal._id}
      statuses={statuses}
      empty="No withdrawals made yet"
      wide
    />
  )
}
