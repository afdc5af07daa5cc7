import { type ReactNode, useState } from 'react'
import type { CallData } from '#shared/contract/define.ts'
import { creditOwnDeposit, type getDeposit } from '#shared/contract/deposits.ts'
import type { Deposit } from '#shared/contract/entities.ts'
import { withCommas } from '#shared/money.ts'
import { useMutation } from '#web/api/mutation.ts'
import { Usd } from '#web/components/amounts.tsx'
import { Confirmations } from '#web/components/confirmations.tsx'
import { shortDecimal } from '#web/components/crypto.tsx'
import { LinkButton } from '#web/components/link-button.tsx'
import { methodLabel } from '#web/components/methods.ts'
import { PaymentDetails, PayTheRest } from '#web/components/payment.tsx'
import { DepositStanding } from '#web/components/statuses.tsx'
import { Transfers } from '#web/components/transfers.tsx'
import { When } from '#web/components/when.tsx'
import { DemoWallet } from '#web/dashboard/deposits/demo-wallet.tsx'
import { PayUntil } from '#web/dashboard/deposits/pay-until.tsx'
import { paths } from '#web/paths.ts'
import { Button } from '#web/ui/button.tsx'
import { DescriptionList } from '#web/ui/description-list.tsx'
import { ConfirmDialog } from '#web/ui/dialog.tsx'
import { Section } from '#web/ui/section.tsx'
import { RecordLink } from './link.tsx'

type DepositBodyProps = { record: Deposit; detail?: CallData<typeof getDeposit> | undefined }

/** A deposit's state and, while unpaid, how to pay it. */
export function DepositBody({ record, detail }: DepositBodyProps) {
  return (
    <>
      <PaymentStanding deposit={record}>
        <DemoWallet deposit={record} />
      </PaymentStanding>
      {record.investment && (
        <p className="text-ink-soft">
          Pays for{' '}
          <RecordLink kind="investment" id={record.investment}>
            {detail?.investmentInvoiceId ?? 'an investment'}
          </RecordLink>
          .
        </p>
      )}
      {detail && detail.transfers.length > 0 && (
        <Section title="Seen on the network">
          <Transfers of={detail.invoiceId} transfers={detail.transfers} more={detail.moreTransfers} />
        </Section>
      )}
    </>
  )
}

type PaymentStandingProps = { deposit: Deposit; children?: ReactNode }

/** A payment's state, then `children`, then how to pay it or the rest, while that makes sense. */
export function PaymentStanding({ deposit, children }: PaymentStandingProps) {
  const { confirmations } = deposit
  return (
    <div className="grid gap-6">
      <div className="grid gap-3" role="status">
        <p className="flex flex-wrap items-center gap-3">
          <DepositStanding deposit={deposit} />
          {deposit.label}
        </p>
        {confirmations && confirmations.have < confirmations.needed && <Confirmations {...confirmations} />}
      </div>
      {children}
      {deposit.status === 'pending' ? <HowToPay deposit={deposit} /> : <Settled deposit={deposit} />}
    </div>
  )
}

/** In full while unpaid, the rest if underpaid, collapsed if there is nothing to pay. */
function HowToPay({ deposit }: { deposit: Deposit }) {
  const { method, amount, payment, seen, missing, stage } = deposit
  const details = (
    <PaymentDetails
      method={method}
      amount={amount}
      payment={payment}
      time={<PayUntil moment={payment.expiresAt} />}
    />
  )
  if (stage === 'waiting') return details
  if (missing !== null) {
    return (
      <>
        <PayTheRest method={method} payment={payment} missing={missing} />
        {deposit.canCredit && <CreditUnderpayment deposit={deposit} />}
      </>
    )
  }
  return (
    <>
      {stage === 'expired' && seen === null && <AskAnew deposit={deposit} />}
      <details>
        <summary className="w-fit cursor-pointer text-accent">Payment address and QR code</summary>
        <div className="mt-4">{details}</div>
      </details>
    </>
  )
}

/** After the deadline: a new request gets a current rate. */
function AskAnew({ deposit: { investment } }: { deposit: Deposit }) {
  return (
    <div>
      {investment === null ? (
        <LinkButton tone="quiet" to={paths.dashboard.deposit}>
          New deposit
        </LinkButton>
      ) : (
        <LinkButton tone="quiet" to={paths.dashboard.newInvestment}>
          New investment
        </LinkButton>
      )}
    </div>
  )
}

/** Credits an underpaid deposit as it is, without waiting for the rest. */
function CreditUnderpayment({ deposit: { _id, seen, payment, investment } }: { deposit: Deposit }) {
  const [asking, ask] = useState(false)
  const { run, pending, error } = useMutation(creditOwnDeposit, {
    success: ({ status }) =>
      status === 'paid' ? 'Your payment is credited' : 'Our team will review the payment before crediting it',
    onSuccess: () => ask(false),
  })
  const came = `${withCommas(shortDecimal(seen ?? '0'))} ${payment.asset}`
  return (
    <div>
      <Button tone="quiet" onClick={() => ask(true)}>
        Credit what arrived
      </Button>
      <ConfirmDialog
        open={asking}
        onClose={() => ask(false)}
        title="Credit what arrived?"
        confirm="Credit now"
        pending={pending}
        refusal={error?.message}
        onConfirm={() => run({ params: { id: _id } })}
      >
        We add {came} to your balance at the rate of this payment and stop waiting for the rest. Large
        payments are credited after our team has reviewed them.
        {investment !== null &&
          ' It does not cover the investment, so that is declined. You can invest again from your balance.'}
      </ConfirmDialog>
    </div>
  )
}

function Settled({ deposit }: { deposit: Deposit }) {
  const { method, amount, payment } = deposit
  return (
    <DescriptionList
      entries={[
        ['Amount', <Usd key="amount" value={amount} />],
        ...arrivalEntries(deposit),
        ['Paid by', methodLabel(method)],
        ['Requested', <When key="created" at={deposit.createdAt} />],
        ['Settled', deposit.settledAt && <When key="settled" at={deposit.settledAt} />],
        ['Reason for declining', deposit.declineReason],
        ['Payment address', payment.address],
        ['Transaction', deposit.transactionId],
      ]}
    />
  )
}

/** Figures of an underpaid, overpaid or late payment. */
function arrivalEntries({ deviation, credited, received, payment, ...late }: Deposit) {
  if (deviation === null || credited === null) return []
  return [
    ['Amount due', `${withCommas(shortDecimal(payment.amountCrypto))} ${payment.asset}`],
    ['Arrived', `${withCommas(shortDecimal(received!))} ${payment.asset}`],
    ['Arrived at', late.arrivedAt && <When key="arrived" at={late.arrivedAt} />],
    ['Rate on arrival', late.arrivalRate && payment.asset !== 'USDT' ? `$${late.arrivalRate}` : null],
    ['Rate source', payment.asset === 'USDT' ? null : late.arrivalRateSource],
    ['Credited', <Usd key="credited" value={credited} />],
  ] as const
}
