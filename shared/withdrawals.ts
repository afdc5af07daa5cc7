import { formatUsd, formatUsdShort } from './money.ts'

/** The highest minimum that two admins can set, in cents: with more, a firm could keep investors waiting for their money. */
export const highestMinimumWithdrawalCents = 10_000n

/** Nothing is kept from anyone: the whole balance can always be withdrawn (D7). */
export function minimumWithdrawal(minimumCents: bigint, balanceCents: bigint): string {
  return `Minimum withdrawal is ${formatUsdShort(minimumCents)}, or your whole balance of ${formatUsd(balanceCents)}`
}
