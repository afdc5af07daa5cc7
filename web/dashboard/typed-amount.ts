import { maxUsdCents, parseUsd, tooLarge, usdToJson } from '#shared/money.ts'

/** What somebody typed into an amount's field: cents, or what is wrong with it. */
export type TypedAmount = { cents: bigint; fault?: undefined } | { cents?: undefined; fault: string }

/** Reads an amount as people type it: '1,000.50'. */
export function readAmount(text: string): TypedAmount {
  const cents = parseUsd(text)
  if (cents === undefined) return { fault: 'Enter an amount in dollars, such as 1,000.50' }
  if (cents <= 0n) return { fault: 'Amount must be more than 0' }
  return cents > maxUsdCents ? { fault: tooLarge() } : { cents }
}

/** Cents as an address carries them: '1000.5', with the digits that count. */
export function amountForAddress(cents: bigint): string {
  return String(usdToJson(cents))
}
