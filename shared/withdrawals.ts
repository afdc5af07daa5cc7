import { t } from '#shared/i18n/t.ts'
import { localUsd, localUsdShort } from './i18n/amounts.ts'

/** The highest minimum that two admins can set, in cents: with more, a firm could keep investors waiting for their money. */
export const highestMinimumWithdrawalCents = 10_000n

/** Nothing is kept from anyone: the whole balance can always be withdrawn (D7). */
export function minimumWithdrawal(minimumCents: bigint, balanceCents: bigint): string {
  return t('Minimum withdrawal is {minimum}, or your whole balance of {balance}', {
    minimum: localUsdShort(minimumCents),
    balance: localUsd(balanceCents),
  })
}
