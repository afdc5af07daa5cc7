import { minimumDepositCents } from './limits.ts'
import { formatUsdShort } from './money.ts'

/**
 * The message for a payment by coin that is too small, or undefined (D5, K-04): 'Minimum deposit is $100'. What pays an
 * investment is a deposit too (D6), and there is another way to pay less.
 */
export function belowMinimum(amountCents: bigint, { forInvestment = false } = {}): string | undefined {
  if (amountCents >= minimumDepositCents) return undefined
  const message = `Minimum deposit is ${formatUsdShort(minimumDepositCents)}`
  return forInvestment ? `${message}. Pay less than that from your balance` : message
}
