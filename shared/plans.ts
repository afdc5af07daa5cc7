import { localUsdShort } from '#shared/i18n/amounts.ts'
import { languageNow } from '#shared/i18n/language.ts'
import { sourceLanguage } from '#shared/i18n/languages.ts'
import { msg, t } from '#shared/i18n/t.ts'
import { divideHalfEven } from '#shared/money.ts'

/** The terms for a plan's figures. Percentages in basis points (10.5 % is 1050), amounts in cents. */
export type PlanTerms = {
  name: string
  percentageBp: number
  minimumCents: bigint
  /** null: no maximum ('Unlimited'). */
  maximumCents: bigint | null
  durationDays: number
}

/** A plan's terms in one line, to show what has changed: 'Basic: 9% over 30 days, $100 to $999'. */
export function termsWords({
  name,
  percentageBp,
  minimumCents,
  maximumCents,
  durationDays,
}: PlanTerms): string {
  const percentage = percentageBp / 100
  const minimum = localUsdShort(minimumCents)
  return maximumCents === null
    ? t(
        '{name}: {percentage, number}% over {durationDays, plural, one {# day} other {# days}}, from {minimum}',
        {
          name,
          percentage,
          durationDays,
          minimum,
        },
      )
    : t(
        '{name}: {percentage, number}% over {durationDays, plural, one {# day} other {# days}}, {minimum} to {maximum}',
        {
          name,
          percentage,
          durationDays,
          minimum,
          maximum: localUsdShort(maximumCents),
        },
      )
}

/** Must be shown near every percentage; no setting removes it (D1.4). */
export const riskLine = msg('Capital at risk. Returns are targets and are not guaranteed.')

/** A plan's duration as the firm names it, which it does in English; in other languages its days. */
export function durationWords({
  duration,
  durationDays,
}: {
  duration: string
  durationDays: number
}): string {
  if (languageNow() === sourceLanguage) return duration
  return t('{days, plural, one {# day} other {# days}}', { days: durationDays })
}

/** Target return over the whole duration, in cents: simple, not compounded, rounded half to even (D4). */
export function targetReturn(terms: Pick<PlanTerms, 'percentageBp'>, amountCents: bigint): bigint {
  return divideHalfEven(amountCents * BigInt(terms.percentageBp), 10_000n)
}

/** Target accrued after whole days, in cents: amount × percentage × min(days, duration) / duration. */
export function accruedAfter(
  terms: Pick<PlanTerms, 'percentageBp' | 'durationDays'>,
  amountCents: bigint,
  days: number,
): bigint {
  const counted = BigInt(Math.max(0, Math.min(Math.floor(days), terms.durationDays)))
  return divideHalfEven(
    amountCents * BigInt(terms.percentageBp) * counted,
    10_000n * BigInt(terms.durationDays),
  )
}

/** The specification's `after30Days`, in cents (D4): one term at most. */
export function after30Days(
  terms: Pick<PlanTerms, 'percentageBp' | 'durationDays'>,
  amountCents: bigint,
): bigint {
  return accruedAfter(terms, amountCents, 30)
}

/** Message for an amount outside the plan's range, or undefined (D4, D-13). */
export function amountOutsidePlan(
  terms: Pick<PlanTerms, 'name' | 'minimumCents' | 'maximumCents'>,
  amountCents: bigint,
): string | undefined {
  const { name, minimumCents, maximumCents } = terms
  if (amountCents >= minimumCents && (maximumCents === null || amountCents <= maximumCents)) return undefined
  const minimum = localUsdShort(minimumCents)
  return maximumCents === null
    ? t('Amount must be at least {minimum} for the {name} plan', { minimum, name })
    : t('Amount must be between {minimum} and {maximum} for the {name} plan', {
        minimum,
        maximum: localUsdShort(maximumCents),
        name,
      })
}
