import type { CallData } from '#shared/contract/define.ts'
import type { Withdrawal } from '#shared/contract/entities.ts'
import type { getWithdrawal } from '#shared/contract/withdrawals.ts'
import { Usd } from '#web/components/amounts.tsx'
import { payoutEntries } from '#web/components/payout.tsx'
import { WholeId } from '#web/components/short-id.tsx'
import { WithdrawalStatus } from '#web/components/statuses.tsx'
import { When } from '#web/components/when.tsx'
import { Cancellable } from '#web/dashboard/cancel/action.tsx'
import { WaitsFor } from '#web/dashboard/identity/notice.tsx'
import { DescriptionList } from '#web/ui/description-list.tsx'

/** A withdrawal's status in one sentence. */
function statusWords(withdrawal: Withdrawal): string {
  const { status, cancelled, amount, approvals, approvalsNeeded, batch, recovered } = withdrawal
  if (status === 'paid') return 'Paid to your wallet.'
  if (status === 'declined') {
    const ended = cancelled ? 'You cancelled it.' : 'Declined.'
    if (recovered === 0) return `${ended} The money is available again.`
    const repaid = `${ended} The released amount repaid a reversed deposit`
    return recovered === amount ? `${repaid}.` : `${repaid}; the rest is available again.`
  }
  if (status === 'approved' && batch?.status === 'broadcast') {
    return batch.shown
      ? 'Your payment is on the network and waiting for confirmations.'
      : 'We have sent your payment, but the network does not show it at present. We keep sending it.'
  }
  if (status === 'approved') return 'Approved. We’ll send it shortly; the money is on hold until then.'
  const waiting = 'Awaiting approval. The money is on hold.'
  return approvalsNeeded > 1 ? `${waiting} ${approvals} of ${approvalsNeeded} approvals given.` : waiting
}

type WithdrawalBodyProps = { record: Withdrawal; detail?: CallData<typeof getWithdrawal> | undefined }

export function WithdrawalBody({ record, detail }: WithdrawalBodyProps) {
  const { approvedAt, paidAt, transactionId } = record
  return (
    <>
      <p className="flex flex-wrap items-center gap-3">
        <WithdrawalStatus withdrawal={record} />
        {statusWords(record)}
      </p>
      <WaitsFor kind={detail?.waitsFor} />
      <Cancellable of={{ kind: 'withdrawal', record }} />
      <DescriptionList
        entries={[
          ['Amount', <Usd key="amount" value={record.amount} />],
          ...payoutEntries(record),
          ['Wallet', record.wallet],
          ['Wallet address', <WholeId key="address" id={record.walletAddress} name="address" />],
          ['Requested', <When key="created" at={record.createdAt} />],
          ['Approved', approvedAt && <When key="approved" at={approvedAt} />],
          ['Paid', paidAt && <When key="paid" at={paidAt} />],
          [
            'Transaction',
            transactionId && <WholeId key="transaction" id={transactionId} name="transaction id" />,
          ],
          ['Reason for declining', record.declineReason],
        ]}
      />
    </>
  )
}
