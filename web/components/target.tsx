import type { Investment, Plan } from '#shared/contract/entities.ts'
import { localUsd } from '#shared/i18n/amounts.ts'
import { t, translate } from '#shared/i18n/t.ts'
import { usdFromJson } from '#shared/money.ts'
import { after30Days, riskLine, targetReturn } from '#shared/plans.ts'
import { tr } from '#web/tr.ts'
import { Cents, Usd } from './amounts.tsx'
import { basisPoints, termsOf } from './plan-facts.tsx'

/** Must accompany every target (D1.4). */
export function RiskLine() {
  return <p className="text-ink-faint text-sm">{translate(riskLine)}</p>
}

/** Days of a projection (D4). */
const projectedDays = 30

/** Formula of the after-30-days figure (D4): 'a × 10.5% × 30 of 30 days'. */
export function projectionFormula(plan: Plan, amountCents: bigint): string {
  const counted = Math.min(projectedDays, plan.durationDays)
  return t('{amount} × {percentage, number}% × {counted} of {durationDays} days', {
    amount: localUsd(amountCents),
    percentage: plan.percentage,
    counted,
    durationDays: plan.durationDays,
  })
}

/** A plan's target after 30 days and its formula (D-11). */
export function Projection({ plan, amountCents }: { plan: Plan; amountCents: bigint }) {
  return (
    <span className="tabular-nums">
      {localUsd(after30Days(termsOf(plan), amountCents))}
      <span className="block text-ink-faint text-sm">{projectionFormula(plan, amountCents)}</span>
    </span>
  )
}

/** An investment's target for the whole term and its formula. */
export function Target({ investment }: { investment: Investment }) {
  const { amount, percentage, duration } = investment
  const target = targetReturn({ percentageBp: basisPoints(percentage) }, usdFromJson(amount)!)
  return (
    <span className="tabular-nums">
      <Cents cents={target} />
      <span className="block text-ink-faint text-sm">
        {tr('{amount} × {percentage, number}% over {duration}', {
          amount: <Usd value={amount} />,
          percentage,
          duration,
        })}
      </span>
    </span>
  )
}
