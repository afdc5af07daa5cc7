import type { Deposit } from '#shared/contract/entities.ts'
import { Usd } from '#web/components/amounts.tsx'
import { methodLabel } from '#web/components/methods.ts'
import { PaymentDetails } from '#web/components/payment.tsx'
import { DepositStatus } from '#web/components/statuses.tsx'
import { When } from '#web/components/when.tsx'
import { DescriptionList } from '#web/ui/description-list.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import { PayUntil } from './pay-until.tsx'

type DepositDialogProps = { deposit: Deposit; onClose: () => void }

/** One deposit: where it stands in one sentence and, while it is waited for, how to pay it. */
export default function DepositDialog({ deposit, onClose }: DepositDialogProps) {
  return (
    <Dialog
      wide
      open
      onClose={onClose}
      title={`Payment by ${methodLabel(deposit.method)}`}
      description={deposit.invoiceId}
    >
      <DepositDetail deposit={deposit} />
    </Dialog>
  )
}

export function DepositDetail({ deposit }: { deposit: Deposit }) {
  const { method, amount, payment, status } = deposit
  return (
    <div className="grid gap-6">
      <p className="flex flex-wrap items-center gap-3">
        <DepositStatus status={status} />
        {deposit.label}
      </p>
      {status === 'pending' ? (
        <PaymentDetails
          method={method}
          amount={amount}
          payment={payment}
          time={<PayUntil moment={payment.expiresAt} />}
        />
      ) : (
        <DescriptionList
          entries={[
            ['Amount', <Usd key="amount" value={amount} />],
            ['Asked for', <When key="created" at={deposit.createdAt} />],
            ['Settled', deposit.settledAt && <When key="settled" at={deposit.settledAt} />],
            ['Why it was declined', deposit.declineReason],
            ['Payment address', payment.address],
          ]}
        />
      )}
    </div>
  )
}
