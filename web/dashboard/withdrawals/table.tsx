import type { Withdrawal } from '#shared/contract/entities.ts'
import { msg, t } from '#shared/i18n/t.ts'
import { Usd } from '#web/components/amounts.tsx'
import { ShortId } from '#web/components/short-id.tsx'
import { WithdrawalStatus } from '#web/components/statuses.tsx'
import { RecordLink } from '#web/dashboard/record/link.tsx'
import { RequestedCell } from '#web/dashboard/requested-cell.tsx'
import { tr } from '#web/tr.ts'
import { type Column, Table } from '#web/ui/table.tsx'

const facts: readonly Column<Withdrawal>[] = [
  {
    header: msg('Date'),
    cell: withdrawal => <RequestedCell at={withdrawal.createdAt} invoiceId={withdrawal.invoiceId} />,
  },
  { header: msg('Wallet'), cell: withdrawal => <Destination withdrawal={withdrawal} /> },
  { header: msg('Status'), cell: withdrawal => <Standing withdrawal={withdrawal} /> },
  { header: msg('Amount'), cell: withdrawal => <Usd value={withdrawal.amount} />, numeric: true },
]

/** Opens a withdrawal's record. */
export function WithdrawalLink({ withdrawal: { _id, invoiceId } }: { withdrawal: Withdrawal }) {
  return (
    <RecordLink
      kind="withdrawal"
      id={_id}
      label={t('Details: {number}', { number: invoiceId })}
      look={{ tone: 'quiet', size: 'sm' }}
    >
      {t('Details')}
    </RecordLink>
  )
}

function Destination({ withdrawal }: { withdrawal: Withdrawal }) {
  return (
    <span className="block max-w-72">
      {withdrawal.wallet}
      <span className="block text-ink-faint text-sm">
        <ShortId id={withdrawal.walletAddress} name="address" />
      </span>
    </span>
  )
}

/** The status badge, with the decline reason, the transaction or the missing approvals. */
function Standing({ withdrawal }: { withdrawal: Withdrawal }) {
  const { status, declineReason, transactionId, approvals, approvalsNeeded } = withdrawal
  const waits = status === 'pending' && approvalsNeeded > 1
  return (
    <span className="grid max-w-72 justify-items-end gap-1 sm:justify-items-start">
      <WithdrawalStatus withdrawal={withdrawal} />
      {declineReason && (
        <span dir="auto" className="text-bad text-sm">
          {declineReason}
        </span>
      )}
      {transactionId && (
        <span className="text-ink-faint text-sm">
          {tr('Transaction {id}', { id: <ShortId id={transactionId} name="transaction id" /> })}
        </span>
      )}
      {waits && (
        <span className="text-ink-faint text-sm">
          {t('{approvals} of {needed} approvals', { approvals, needed: approvalsNeeded })}
        </span>
      )}
    </span>
  )
}

type WithdrawalsTableProps = {
  caption: string
  rows: readonly Withdrawal[]
  /** With what a row offers. */
  columns?: readonly Column<Withdrawal>[]
}

/** The columns, ending with what a row offers. */
export const withActions = (cell: Column<Withdrawal>['cell']): readonly Column<Withdrawal>[] => [
  ...facts,
  { header: msg('Actions'), bare: true, numeric: true, cell },
]
const withDetails = withActions(withdrawal => <WithdrawalLink withdrawal={withdrawal} />)

/** Withdrawals, the newest first (D-03, D-08). */
export function WithdrawalsTable({ caption, rows, columns = withDetails }: WithdrawalsTableProps) {
  return <Table caption={caption} columns={columns} rows={rows} keyOf={row => row._id} />
}
