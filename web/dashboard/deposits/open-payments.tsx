import { ChevronDown } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-router'
import type { Deposit } from '#shared/contract/entities.ts'
import { t } from '#shared/i18n/t.ts'
import { Usd } from '#web/components/amounts.tsx'
import { Coin } from '#web/components/crypto.tsx'
import { DepositStanding } from '#web/components/statuses.tsx'
import { RecordLink } from '#web/dashboard/record/link.tsx'
import { paths } from '#web/paths.ts'
import { tr } from '#web/tr.ts'
import { Section } from '#web/ui/section.tsx'
import { takeFocus } from '#web/ui/take-focus.ts'
import { PaymentPanel } from './payment-panel.tsx'

export type OpenPaymentsProps = { newest: Deposit; others: readonly Deposit[]; confirmed: string | undefined }

/**
 * Confirmed payments, first on the home page, where the user lands after confirming (D-21): the newest is open until
 * it is credited, the others open on demand.
 * @param props.confirmed the id of the payment that takes the focus
 */
export function OpenPayments({ newest, others, confirmed }: OpenPaymentsProps) {
  return (
    <Section
      title={others.length === 0 ? t('Your payment') : t('Your payments')}
      className="mb-10"
      aside={
        <Link className="prose-link text-sm" to={paths.dashboard.deposit}>
          {t('All deposits')}
        </Link>
      }
    >
      <div key={newest._id} className="grid gap-5">
        <div className="grid gap-0.5">
          <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
            <h3
              ref={newest._id === confirmed ? takeFocus : undefined}
              tabIndex={-1}
              className="numeral text-lg outline-none"
            >
              <Amounts deposit={newest} />
            </h3>
            <DepositStanding deposit={newest} />
          </div>
          <Reference deposit={newest} />
        </div>
        <PaymentPanel deposit={newest} brief />
      </div>
      {others.length > 0 && (
        <ul className="mt-6 grid border-rule border-t">
          {others.map(deposit => (
            <li key={deposit._id} className="border-rule border-b">
              <OtherPayment deposit={deposit} />
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}

function Amounts({ deposit: { amount, method, payment } }: { deposit: Deposit }) {
  return (
    <>
      {tr('{amount} as {coin}', {
        amount: <Usd value={amount} />,
        coin: <Coin method={method} payment={payment} />,
      })}
    </>
  )
}

/** A link high enough to be pressed apart from its neighbours (WCAG 2.5.8). */
const reachable = 'prose-link inline-block leading-6'

/** Number, investment and the full record of a payment. */
function Reference({ deposit: { _id, invoiceId, investment } }: { deposit: Deposit }) {
  const deposit = (
    <RecordLink
      kind="deposit"
      id={_id}
      label={t('Details: {number}', { number: invoiceId })}
      className={reachable}
    >
      {invoiceId}
    </RecordLink>
  )
  return (
    <p className="text-ink-faint text-sm">
      {investment === null
        ? deposit
        : tr('{deposit}, pays for <link>an investment</link>', {
            deposit,
            link: words => (
              <RecordLink kind="investment" id={investment} className={reachable}>
                {words}
              </RecordLink>
            ),
          })}
    </p>
  )
}

function OtherPayment({ deposit }: { deposit: Deposit }) {
  const [isOpen, open] = useState(false)
  return (
    <details open={isOpen} onToggle={event => open(event.currentTarget.open)} className="group">
      <summary className="flex cursor-pointer list-none flex-wrap items-center gap-x-4 gap-y-1 py-3 [&::-webkit-details-marker]:hidden">
        <span className="flex-1 tabular-nums">
          <Amounts deposit={deposit} />
        </span>
        <DepositStanding deposit={deposit} />
        <ChevronDown
          aria-hidden="true"
          className="size-4 text-ink-faint group-open:rotate-180 motion-safe:transition-transform"
        />
      </summary>
      {isOpen && (
        <div className="grid gap-5 pb-6">
          <Reference deposit={deposit} />
          <PaymentPanel deposit={deposit} brief />
        </div>
      )}
    </details>
  )
}
