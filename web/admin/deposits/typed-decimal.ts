import { parseTypedDecimal, twoMeanings, typedUsd } from '#shared/i18n/amounts.ts'
import { t } from '#shared/i18n/t.ts'
import { formatDecimal, rateDecimals } from '#shared/money.ts'
import { shortDecimal } from '#web/components/crypto.tsx'
import { fieldError, type ValidationError } from '#web/ui/form.tsx'

/** A coin amount as people type it, as requests have it: '0.0125'. Undefined for what is none, or is not above 0. */
export function typedAmount(text: string, decimals: number): string | undefined {
  const units = parseTypedDecimal(text, decimals)
  return units !== undefined && units > 0n ? shortDecimal(formatDecimal(units, decimals)) : undefined
}

/** A rate as people type it, '97,123.45' or '97.123,45', as requests have it: '97123.45'. */
export function typedRate(text: string): string | undefined {
  return typedAmount(text, rateDecimals)
}

export function rateError(rate: string): ValidationError | undefined {
  if (typedRate(rate) !== undefined) return undefined
  const example = typedUsd(9_650_025n)
  return fieldError(
    'rate',
    twoMeanings(rate) ?? t('Enter the rate in dollars for one coin, such as {example}', { example }),
  )
}
