import type { Plan } from '#shared/contract/entities.ts'
import { localUsdShort } from '#shared/i18n/amounts.ts'
import { t } from '#shared/i18n/t.ts'
import { parseDecimal, usdFromJson } from '#shared/money.ts'
import { durationWords, type PlanTerms } from '#shared/plans.ts'
import { tr } from '#web/tr.ts'

/** A wire percentage ('10.5') in basis points, exactly. */
export function basisPoints(percentage: number): number {
  return Number(parseDecimal(String(percentage), 2))
}

/** A wire plan as the terms that figures are computed from. */
export function termsOf({ name, percentage, minimum, maximum, durationDays }: Plan): PlanTerms {
  return {
    name,
    percentageBp: basisPoints(percentage),
    minimumCents: usdFromJson(minimum)!,
    maximumCents: maximum === null ? null : usdFromJson(maximum)!,
    durationDays,
  }
}

/** The three specified lines of a plan card (P-09, D-11). Show the risk line near them (D1.4). */
export function PlanFacts({ plan }: { plan: Plan }) {
  const { minimumCents, maximumCents } = termsOf(plan)
  return (
    <ul className="grid gap-0.5 text-sm tabular-nums">
      <li>{tr('Minimum: {amount}', { amount: <bdi dir="ltr">{localUsdShort(minimumCents)}</bdi> })}</li>
      <li>
        {maximumCents === null
          ? t('Maximum: Unlimited')
          : tr('Maximum: {amount}', { amount: <bdi dir="ltr">{localUsdShort(maximumCents)}</bdi> })}
      </li>
      <li>{t('Duration: {duration}', { duration: durationWords(plan) })}</li>
    </ul>
  )
}
