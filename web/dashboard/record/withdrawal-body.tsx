import type { CallData } from '#shared/contract/define.ts'
import type { Withdrawal } from '#shared/contract/entities.ts'
import type { getWithdrawal } from '#shared/contract/withdrawals.ts'
import { t } from '#shared/i18n/t.ts'
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
  if (status === 'paid') return t('Paid to your wallet.')
  if (status === 'declined') {
    const ended = cancelled ? t('You cancelled it.') : t('Declined.')
    if (recovered === 0) return `${ended} ${t('The money is available again.')}`
    const repaid =
      recovered === amount
        ? t('The released amount repaid a reversed deposit.')
        : t('The released amount repaid a reversed deposit; the rest is available again.')
    return `${ended} ${repaid}`
  }
  if (status === 'approved' && batch?.status === 'broadcast') {
    return batch.shown
      ? t('Your payment is on the network and waiting for confirmations.')
      : t('We have sent your payment, but the network does not show it at present. We keep sending it.')
  }
  if (status === 'approved') return t('Approved. We’ll send it shortly; the money is on hold until then.')
  const waiting = t('Awaiting approval. The money is on hold.')
  if (approvalsNeeded <= 1) return waiting
  return `${waiting} ${t('{approvals} of {needed} approvals given.', { approvals, needed: approvalsNeeded })}`
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
          [t('Amount'), <Usd key="amount" value={record.amount} />],
          ...payoutEntries(record),
          [t('Wallet'), record.wallet],
          [t('Wallet address'), <WholeId key="address" id={record.walletAddress} name="address" />],
          [t('Requested'), <When key="created" at={record.createdAt} />],
          [t('Approved'), approvedAt && <When key="approved" at={approvedAt} />],
          [t('Paid'), paidAt && <When key="paid" at={paidAt} />],
          [
            t('Transaction'),
            transactionId && <WholeId key="transaction" id={transactionId} name="transaction id" />,
          ],
          [t('Reason for declining'), record.declineReason],
        ]}
      />
    </>
  )
}
