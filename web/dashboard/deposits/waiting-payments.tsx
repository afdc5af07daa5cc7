import { Link } from 'react-router'
import { listOwnDeposits } from '#shared/contract/deposits.ts'
import type { Deposit } from '#shared/contract/entities.ts'
import { useList } from '#web/api/read.ts'
import { Usd } from '#web/components/amounts.tsx'
import { Confirmations } from '#web/components/confirmations.tsx'
import { Coin } from '#web/components/crypto.tsx'
import { RecordLink } from '#web/dashboard/record/link.tsx'
import { paths } from '#web/paths.ts'
import { Section } from '#web/ui/section.tsx'
import { PayUntil } from './pay-until.tsx'

/** Label of the link to a deposit: pay, pay the rest, or details. */
export function payWords({ status, stage, missing }: Deposit): string {
  if (stage === 'waiting') return 'Pay now'
  return status === 'pending' && missing !== null ? 'Pay the rest' : 'Details'
}

/** Stages after the payment was seen: nothing left to do for the user. */
const underWay: readonly Deposit['stage'][] = ['seen', 'confirming', 'confirmed']

/** Number shown; the rest is under Manage deposits. */
const shown = 3

/** Confirmed but unpaid deposits. The user lands here after confirming (D-21) and needs the locked figures to pay. */
export function WaitingPayments() {
  const { rows } = useList(listOwnDeposits, { status: 'pending', limit: shown })
  if (!rows || rows.length === 0) return null
  const isAllSeen = rows.slice(0, shown).every(({ stage }) => underWay.includes(stage))
  return (
    <Section
      title={isAllSeen ? 'Payments on their way' : 'Waiting for your payment'}
      className="mb-10"
      aside={
        <Link className="prose-link text-sm" to={paths.dashboard.deposit}>
          All deposits
        </Link>
      }
    >
      <ul className="grid">
        {rows.slice(0, shown).map(deposit => (
          <li
            key={deposit._id}
            className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 border-rule border-b py-3 first:pt-0 sm:flex-nowrap"
          >
            <div className="grid gap-0.5">
              <p className="tabular-nums">
                <Usd value={deposit.amount} /> as <Coin method={deposit.method} payment={deposit.payment} />
              </p>
              <p className="text-ink-faint text-sm">
                {deposit.invoiceId} ·{' '}
                {deposit.stage === 'waiting' ? (
                  <PayUntil moment={deposit.payment.expiresAt} after=" left to pay" />
                ) : (
                  deposit.label
                )}
              </p>
              {deposit.stage === 'confirming' && deposit.confirmations && (
                <Confirmations {...deposit.confirmations} />
              )}
            </div>
            <RecordLink
              kind="deposit"
              id={deposit._id}
              label={`${payWords(deposit)}: ${deposit.invoiceId}`}
              look={{ tone: 'quiet', size: 'sm' }}
            >
              {payWords(deposit)}
            </RecordLink>
          </li>
        ))}
      </ul>
    </Section>
  )
}
