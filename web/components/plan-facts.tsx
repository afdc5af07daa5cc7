import type { ReactNode } from 'react'
import type { Plan } from '#shared/contract/entities.ts'
import { formatUsdShort, parseDecimal, usdFromJson } from '#shared/money.ts'
import type { PlanTerms } from '#shared/plans.ts'

/** A percentage of the wire ('10.5') in basis points, exactly. */
export function basisPoints(percentage: number): number {
  return Number(parseDecimal(String(percentage), 2))
}

/** A plan of the wire as what its figures are computed from. */
export function termsOf({ name, percentage, minimum, maximum, durationDays }: Plan): PlanTerms {
  return {
    name,
    percentageBp: basisPoints(percentage),
    minimumCents: usdFromJson(minimum)!,
    maximumCents: maximum === null ? null : usdFromJson(maximum)!,
    durationDays,
  }
}

/**
 * What every plan card says, in the specification's words (P-09, D-11). The risk line belongs near it (D1.4).
 * @param title in place of the heading, where the name is a label
 */
export function PlanFacts({ plan, title }: { plan: Plan; title?: ReactNode }) {
  const { minimumCents, maximumCents } = termsOf(plan)
  return (
    <div className="grid content-start gap-3">
      {title ?? <h2 className="display text-xl">{plan.name}</h2>}
      <p className="flex flex-wrap items-baseline gap-x-2 tabular-nums">
        <span className="display text-2xl">{plan.percentage}%</span>
        <span className="text-ink-soft text-sm">target over {plan.duration}</span>
      </p>
      <ul className="grid gap-0.5 text-sm tabular-nums">
        <li>Minimum: {formatUsdShort(minimumCents)}</li>
        <li>Maximum: {maximumCents === null ? 'Unlimited' : formatUsdShort(maximumCents)}</li>
        <li>Duration: {plan.duration}</li>
        {plan.note && <li className="text-ink-soft">{plan.note}</li>}
      </ul>
    </div>
  )
}
