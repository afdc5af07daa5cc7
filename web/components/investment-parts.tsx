import type { ReactNode } from 'react'
import type { Earning, Investment, Reinvestment } from '#shared/contract/entities.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { DescriptionList } from '#web/ui/description-list.tsx'
import { type Column, Table } from '#web/ui/table.tsx'
import { Usd } from './amounts.tsx'
import { EarnedOn } from './earned-on.tsx'
import { methodLabel } from './methods.ts'
import { ApprovalBadge, EarningStatus, InvestmentStatus } from './statuses.tsx'
import { RiskLine, Target } from './target.tsx'
import { When } from './when.tsx'

export function InvestmentBadges({ investment }: { investment: Investment }) {
  return (
    <span className="flex flex-wrap gap-2">
      <InvestmentStatus investment={investment} />
      <ApprovalBadge status={investment.status} />
    </span>
  )
}

const reinvestmentLabels: Record<Reinvestment, string> = {
  requested: msg('Requested for the end'),
  done: msg('Done'),
  early: msg('Not done: closed early'),
  debt: msg('Not done: a debt was repaid'),
  plan_changed: msg('Not done: the plan is no longer offered on these terms'),
  identity_refused: msg('Not done: we do not keep the investor as a customer'),
  terms_not_accepted: msg('Not done: terms not accepted'),
  email_not_verified: msg('Not done: email address not verified'),
}

/** Terms and state of an investment (D1.4, D4). */
export function InvestmentTerms({ investment }: { investment: Investment }) {
  const { status, accrued, declineReason, closeReason, approvedAt, endingDate, closedAt, reinvestment } =
    investment
  return (
    <>
      <DescriptionList
        entries={[
          [t('Amount'), <Usd key="amount" value={investment.amount} />],
          [t('Target return'), <Target key="target" investment={investment} />],
          [t('After 30 days (target)'), <Usd key="after" value={investment.after30Days} />],
          [t('Earned so far'), <Usd key="earned" value={investment.earned} />],
          [t('Accrued, not yet paid'), status === 'active' ? <Usd key="accrued" value={accrued} /> : null],
          [t('Paid by'), methodLabel(investment.method)],
          [t('Invoice'), investment.invoiceId],
          [t('Created'), <When key="created" at={investment.createdAt} />],
          [t('Approved'), approvedAt && <When key="approved" at={approvedAt} />],
          [
            t('Ends'),
            endingDate ? (
              <When key="ends" at={endingDate} />
            ) : status === 'pending' ? (
              t('After approval')
            ) : null,
          ],
          [t('Closed'), closedAt && <When key="closed" at={closedAt} />],
          [t('Reinvestment'), reinvestment && translate(reinvestmentLabels[reinvestment])],
          [t('Reason for closing'), closeReason],
          [t('Reason for declining'), declineReason],
          [t('Cancelled by'), investment.cancelled ? investment.userName : null],
        ]}
      />
      <RiskLine />
    </>
  )
}

type InvestmentEarningsProps = {
  earnings: readonly Earning[]
  /** Renders the source as a link, for example. */
  source?: (earning: Earning) => ReactNode
}

/** Earnings of one investment with their sources (D1.2). */
export function InvestmentEarnings({ earnings, source = ({ source }) => source }: InvestmentEarningsProps) {
  const earningColumns: readonly Column<Earning>[] = [
    { header: t('Date'), cell: earning => <When at={earning.createdAt} /> },
    { header: t('Earned on'), cell: earning => <EarnedOn earning={earning}>{source(earning)}</EarnedOn> },
    { header: t('Status'), cell: earning => <EarningStatus earning={earning} /> },
    { header: t('Amount'), cell: earning => <Usd value={earning.amount} />, numeric: true },
  ]
  if (earnings.length === 0)
    return <p className="text-ink-soft">{t('No earnings have been paid on this investment yet.')}</p>
  return (
    <Table
      caption={t('Earnings on this investment')}
      columns={earningColumns}
      rows={earnings}
      keyOf={row => row._id}
    />
  )
}
