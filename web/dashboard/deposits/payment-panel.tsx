import { lazy, Suspense, useEffect, useState } from 'react'
import { isStablecoin, paymentMethods, type RailName } from '#shared/coins.ts'
import type { Deposit } from '#shared/contract/entities.ts'
import { localRate } from '#shared/i18n/amounts.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { withCommas } from '#shared/money.ts'
import { sourceWords } from '#shared/price-sources.ts'
import { readAgain } from '#web/api/live-reads.ts'
import { Usd } from '#web/components/amounts.tsx'
import { useSecondsUntil } from '#web/components/countdown.tsx'
import { shortDecimal } from '#web/components/crypto.tsx'
import { LinkButton } from '#web/components/link-button.tsx'
import { methodLabel } from '#web/components/methods.ts'
import { PaymentDetails, PayTheRest } from '#web/components/payment.tsx'
import { WholeId } from '#web/components/short-id.tsx'
import { When } from '#web/components/when.tsx'
import { useSite } from '#web/frame.ts'
import { inLocalTime } from '#web/local-time.ts'
import { paths } from '#web/paths.ts'
import { usePreload } from '#web/preload.ts'
import { Button } from '#web/ui/button.tsx'
import { DescriptionList } from '#web/ui/description-list.tsx'
import { PayUntil } from './pay-until.tsx'
import { PaymentSteps } from './payment-steps.tsx'

/** Brings the dialogs' library along. */
const loadCreditDialog = () => import('./credit-dialog.tsx')
const CreditDialog = lazy(loadCreditDialog)
const DemoWallet = lazy(() => import('./demo-wallet.tsx'))

type PaymentPanelProps = {
  deposit: Deposit
  /** Of a settled payment, show only how it deviates from its request. */
  brief?: boolean
}

/** A payment's stage, what to do now, and how to pay it or the rest while that makes sense. */
export function PaymentPanel({ deposit, brief = false }: PaymentPanelProps) {
  useExpiry(deposit)
  const { demoWallet } = useSite()
  return (
    <div className="grid gap-6">
      <Stage deposit={deposit} />
      <Suspense>{demoWallet && <DemoWallet deposit={deposit} />}</Suspense>
      {deposit.status === 'pending' ? (
        <HowToPay deposit={deposit} />
      ) : (
        <>
          <Rest deposit={deposit} />
          <Settled deposit={deposit} brief={brief} />
        </>
      )}
    </div>
  )
}

/** Pause between reads of a payment whose time is over by this device's clock, but not by the server's. */
const rereadMs = 5_000

/** No event tells that the time is over, so read the payment again then: its words depend on it. */
function useExpiry({ stage, payment: { expiresAt } }: Deposit): void {
  const [wasOver] = useState(() => Date.parse(expiresAt) <= Date.now())
  const isOver = useSecondsUntil(expiresAt) === 0
  const isWaiting = stage === 'waiting'
  useEffect(() => {
    if (!isOver || (wasOver && !isWaiting)) return
    readAgain(['deposits'])
    if (!isWaiting) return
    const timer = setInterval(() => readAgain(['deposits']), rereadMs)
    return () => clearInterval(timer)
  }, [isOver, wasOver, isWaiting])
}

/** Announced instead of a sentence with a number that changes with every block. */
const announced: Partial<Record<Deposit['stage'], string>> = {
  seen: msg('We see your payment on the network.'),
  confirming: msg('The network is confirming your payment.'),
}

/** How often each network finds a block. */
const blockWords: Record<RailName, string> = {
  bitcoin: msg('On Bitcoin, that usually takes about 10 minutes each.'),
  ethereum: msg('On Ethereum, that usually takes about 12 seconds each.'),
  usdt: msg('On TRON, that usually takes about 3 seconds each.'),
}

function Stage({ deposit }: { deposit: Deposit }) {
  const { stage, method } = deposit
  const label = inLocalTime(deposit.label)
  const short = announced[stage]
  return (
    <div className="grid gap-4">
      <PaymentSteps deposit={deposit} />
      <p className="max-w-2xl">{label}</p>
      {stage in announced && (
        <p className="max-w-2xl text-ink-soft text-sm">
          {t('Each new block of the network is one confirmation.')}{' '}
          {translate(blockWords[paymentMethods[method].rail])} {t('You can close this page.')}
        </p>
      )}
      <p role="status" className="sr-only">
        {short ? translate(short) : label}
      </p>
    </div>
  )
}

/** In full while unpaid, the rest if underpaid, collapsed if there is nothing to pay. */
function HowToPay({ deposit }: { deposit: Deposit }) {
  const { method, amount, payment, seen, stage } = deposit
  const isOver = useSecondsUntil(payment.expiresAt) === 0
  const time = <PayUntil method={method} moment={payment.expiresAt} />
  const details = <PaymentDetails method={method} amount={amount} payment={payment} time={time} isConfirmed />
  if (stage === 'waiting' || (stage === 'dropped' && !isOver)) return details
  if (deposit.missing !== null) {
    return (
      <>
        <Rest deposit={deposit} />
        {deposit.canCredit && <CreditUnderpayment deposit={deposit} />}
      </>
    )
  }
  return (
    <>
      {(stage === 'expired' || stage === 'dropped') && seen === null && <AskAnew deposit={deposit} />}
      <details>
        <summary className="w-fit cursor-pointer text-accent">{t('Payment address and QR code')}</summary>
        <div className="mt-4">{details}</div>
      </details>
    </>
  )
}

/** How to pay what is missing, if anything. */
function Rest({ deposit: { method, payment, missing, missingUri } }: { deposit: Deposit }) {
  if (missing === null) return null
  const time = <PayUntil method={method} moment={payment.expiresAt} />
  return <PayTheRest method={method} payment={payment} time={time} missing={missing} uri={missingUri!} />
}

/** After the deadline: a new request gets a current rate. */
function AskAnew({ deposit: { investment } }: { deposit: Deposit }) {
  return (
    <div>
      {investment === null ? (
        <LinkButton tone="quiet" to={paths.dashboard.deposit}>
          {t('New deposit')}
        </LinkButton>
      ) : (
        <LinkButton tone="quiet" to={paths.dashboard.newInvestment}>
          {t('New investment')}
        </LinkButton>
      )}
    </div>
  )
}

/** Credits the underpaid payment of an investment as it is, without waiting for the rest. */
function CreditUnderpayment({ deposit }: { deposit: Deposit }) {
  const [asking, ask] = useState(false)
  usePreload(loadCreditDialog)
  return (
    <div>
      <Button tone="quiet" onClick={() => ask(true)}>
        {t('Credit what arrived')}
      </Button>
      <Suspense>{asking && <CreditDialog deposit={deposit} onClose={() => ask(false)} />}</Suspense>
    </div>
  )
}

function Settled({ deposit, brief }: Required<PaymentPanelProps>) {
  const { method, amount, payment } = deposit
  if (brief) return <DescriptionList entries={arrivalEntries(deposit)} />
  return (
    <DescriptionList
      entries={[
        [t('Amount'), <Usd key="amount" value={amount} />],
        ...arrivalEntries(deposit),
        [t('Paid by'), methodLabel(method)],
        [t('Requested'), <When key="created" at={deposit.createdAt} />],
        [t('Settled'), deposit.settledAt && <When key="settled" at={deposit.settledAt} />],
        [t('Reason for declining'), deposit.declineReason],
        [t('Payment address'), payment.address],
        [
          t('Transaction'),
          deposit.transactionId && (
            <WholeId key="transaction" id={deposit.transactionId} name="transaction id" />
          ),
        ],
      ]}
    />
  )
}

/** Figures of an underpaid, overpaid or late payment. */
function arrivalEntries({ deviation, credited, received, payment, ...late }: Deposit) {
  if (deviation === null || credited === null) return []
  return [
    [t('Amount due'), `${withCommas(shortDecimal(payment.amountCrypto))} ${payment.asset}`],
    [t('Arrived'), `${withCommas(shortDecimal(received!))} ${payment.asset}`],
    [t('Arrived at'), late.arrivedAt && <When key="arrived" at={late.arrivedAt} />],
    [
      t('Rate on arrival'),
      late.arrivalRate && !isStablecoin(payment.asset) ? localRate(late.arrivalRate) : null,
    ],
    [
      t('Rate source'),
      isStablecoin(payment.asset) ? null : late.arrivalRateSource && sourceWords(late.arrivalRateSource),
    ],
    [t('Credited'), <Usd key="credited" value={credited} />],
  ] as const
}
