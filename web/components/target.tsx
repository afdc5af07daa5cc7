import type { Investment, Plan } from '#shared/contract/entities.ts'
import { formatUsd, usdFromJson } from '#shared/money.ts'
import { after30Days, riskLine, targetReturn } from '#shared/plans.ts'
import { Cents, Usd } from './amounts.tsx'
import { basisPoints, termsOf } from './plan-facts.tsx'

/** Stands with every target, where it is shown (D1.4). */
export function RiskLine() {
  return <p className="text-ink-faint text-sm">{riskLine}</p>
}

/** Days that a projection looks ahead (D4). */
const projectedDays = 30

/** 'a × 10.5% × 30 of 30 days': how the after-30-days figure is made (D4). */
export function projectionFormula(plan: Plan, amountCents: bigint): string {
  const counted = Math.min(projectedDays, plan.durationDays)
  return `${formatUsd(amountCents)} × ${plan.percentage}% × ${counted} of ${plan.durationDays} days`
}

/** What the target of a plan comes to after 30 days, money first, and its formula (D-11). */
export function Projection({ plan, amountCents }: { plan: Plan; amountCents: bigint }) {
  return (
    <span className="tabular-nums">
      {formatUsd(after30Days(termsOf(plan), amountCents))}
      <span className="block text-ink-faint text-sm">{projectionFormula(plan, amountCents)}</span>
    </span>
  )
}

/** The target of an investment over its whole duration, money first, and its formula. */
export function Target({ investment }: { investment: Investment }) {
  const { amount, percentage, duration } = investment
  const target = targetReturn({ percentageBp: basisPoints(percentage) }, usdFromJson(amount)!)
  return (
    <span className="tabular-nums">
      <Cents cents={target} />
      <span className="block text-ink-faint text-sm">
        <Usd value={amount} /> × {percentage}% over {duration}
      </span>
    </span>
  )
}
