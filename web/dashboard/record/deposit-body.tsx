import type { CallData } from '#shared/contract/define.ts'
import type { getDeposit } from '#shared/contract/deposits.ts'
import type { Deposit } from '#shared/contract/entities.ts'
import { withCommas } from '#shared/money.ts'
import { Usd } from '#web/components/amounts.tsx'
import { shortDecimal } from '#web/components/crypto.tsx'
import { methodLabel } from '#web/components/methods.ts'
import { PaymentDetails } from '#web/components/payment.tsx'
import { DepositStatus } from '#web/components/statuses.tsx'
import { When } from '#web/components/when.tsx'
import { DemoWallet } from '#web/dashboard/demo-wallet.tsx'
import { PayUntil } from '#web/dashboard/pay-until.tsx'
import { DescriptionList } from '#web/ui/description-list.tsx'
import { RecordLink } from './link.tsx'

type DepositBodyProps = { record: Deposit; detail?: CallData<typeof getDeposit> | undefined }

/** One deposit: where it stands in one sentence and, while it is waited for, how to pay it. */
export function DepositBody({ record, detail }: DepositBodyProps) {
  return (
    <>
      <PaymentStanding deposit={record} />
      <DemoWallet deposit={record} />
      {record.investment && (
        <p className="text-ink-soft">
          It pays for{' '}
          <RecordLink kind="investment" id={record.investment}>
            {detail?.investmentInvoiceId ?? 'an investment'}
          </RecordLink>
          .
        </p>
      )}
    </>
  )
}

export function PaymentStanding({ deposit }: { deposit: Deposit }) {
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
            ...arrivalEntries(deposit),
            ['Paid by', methodLabel(method)],
            ['Requested', <When key="created" at={deposit.createdAt} />],
            ['Settled', deposit.settledAt && <When key="settled" at={deposit.settledAt} />],
            ['Why it was declined', deposit.declineReason],
            ['Payment address', payment.address],
            ['Transaction', deposit.transactionId],
          ]}
        />
      )}
    </div>
  )
}

/** Of a payment that did not come as asked for: what came, when, and what it counted as. */
function arrivalEntries({ arrival, credited, received, payment, ...late }: Deposit) {
  if (arrival === null || credited === null) return []
  return [
    ['Asked for', `${withCommas(shortDecimal(payment.amountCrypto))} ${payment.asset}`],
    ['Arrived', `${withCommas(shortDecimal(received!))} ${payment.asset}`],
    ['Arrived at', late.arrivedAt && <When key="arrived" at={late.arrivedAt} />],
    ['Rate of that moment', late.arrivalRate && payment.asset !== 'USDT' ? `$${late.arrivalRate}` : null],
    ['Source of that rate', payment.asset === 'USDT' ? null : late.arrivalRateSource],
    ['Credited', <Usd key="credited" value={credited} />],
  ] as const
}
