import type { ReactNode } from 'react'
import type { Investment } from '#shared/contract/entities.ts'
import { t } from '#shared/i18n/t.ts'
import { Usd } from '#web/components/amounts.tsx'
import { InvestmentBadges } from '#web/components/investment-parts.tsx'
import { RiskLine } from '#web/components/target.tsx'
import { When } from '#web/components/when.tsx'
import { RecordLink } from '#web/dashboard/record/link.tsx'
import { tr } from '#web/tr.ts'
import { Card } from '#web/ui/section.tsx'

/** An investment in short, with a link to its details (D-03, D-07). */
export function InvestmentCard({ investment, actions }: { investment: Investment; actions?: ReactNode }) {
  const { plan, amount, percentage, duration, earned, endingDate, status, declineReason, closeReason } =
    investment
  return (
    <Card className="flex flex-col gap-4">
      <div className="grid gap-2">
        <h3 className="display text-lg">{plan}</h3>
        <InvestmentBadges investment={investment} />
      </div>
      <p className="numeral text-2xl">
        <Usd value={amount} />
      </p>
      <dl className="grid gap-1 text-sm">
        <Line name={t('Target')}>{t('{percentage, number}% over {duration}', { percentage, duration })}</Line>
        <Line name={t('After 30 days (target)')}>
          <Usd value={investment.after30Days} />
        </Line>
        <Line name={t('Earned so far')}>
          <Usd value={earned} />
        </Line>
        <Line name={t('Ends')}>
          {endingDate ? <When at={endingDate} date /> : status === 'pending' ? t('After approval') : '—'}
        </Line>
      </dl>
      <RiskLine />
      {declineReason && (
        <p className="text-bad text-sm">{tr('Declined: {reason}', { reason: <bdi>{declineReason}</bdi> })}</p>
      )}
      {closeReason && (
        <p className="text-ink-soft text-sm">
          {tr('Closed: {reason}', { reason: <bdi>{closeReason}</bdi> })}
        </p>
      )}
      <div className="mt-auto">{actions ?? <InvestmentLink investment={investment} />}</div>
    </Card>
  )
}

/** Opens an investment's record. */
export function InvestmentLink({ investment: { _id, plan, invoiceId } }: { investment: Investment }) {
  return (
    <RecordLink
      kind="investment"
      id={_id}
      label={t('Details of {plan}, {number}', { plan, number: invoiceId })}
      look={{ tone: 'quiet', size: 'sm' }}
    >
      {t('Details')}
    </RecordLink>
  )
}

function Line({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex justify-between gap-4">
      <dt className="text-ink-faint">{name}</dt>
      <dd className="text-end tabular-nums">{children}</dd>
    </div>
  )
}
