import { t } from '#shared/i18n/t.ts'
import type { DepositFlag } from './contract/entities.ts'
import { localUsdShort } from './i18n/amounts.ts'
import { minimumDepositCents } from './limits.ts'

/**
 * Message for a coin payment below the minimum (D5, K-04), or undefined. Investments can also be paid from the
 * balance (D6).
 */
export function belowMinimum(amountCents: bigint, { forInvestment = false } = {}): string | undefined {
  if (amountCents >= minimumDepositCents) return undefined
  const minimum = localUsdShort(minimumDepositCents)
  return forInvestment
    ? t('Minimum deposit is {minimum}. Pay less than that from your balance', { minimum })
    : t('Minimum deposit is {minimum}', { minimum })
}

/** With one of these, a confirmed payment waits until staff have reviewed its amount, or where it came from. */
export const holdingFlags = [
  'listed_sender',
  'large',
  'daily_limit',
  'second_source',
] as const satisfies readonly DepositFlag[]

export function isHeldForReview(flags: readonly DepositFlag[]): boolean {
  return holdingFlags.some(flag => flags.includes(flag))
}
