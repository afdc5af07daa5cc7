import { enterUsd, localUsd, parseTypedUsd } from '#shared/i18n/amounts.ts'
import { t } from '#shared/i18n/t.ts'
import { maxUsdCents, mustBePositive, parseUsd, tooLarge, usdToJson } from '#shared/money.ts'

/** A typed amount in cents, or its error. */
export type TypedAmount = { cents: bigint; error?: undefined } | { cents?: undefined; error: string }

/** Parses a typed amount: '1,000.50'. */
export function readAmount(text: string): TypedAmount {
  return judged(parseTypedUsd(text))
}

/** Reads an amount of an address: '1000.5', the same in every language. */
export function amountFromAddress(text: string): TypedAmount {
  return judged(parseUsd(text))
}

function judged(cents: bigint | undefined): TypedAmount {
  if (cents === undefined) return { error: enterUsd() }
  if (cents <= 0n) return { error: mustBePositive(t('Amount')) }
  return cents > maxUsdCents ? { error: tooLarge(t('Amount'), localUsd) } : { cents }
}

/** Cents for an address: '1000.5'. */
export function amountForAddress(cents: bigint): string {
  return String(usdToJson(cents))
}
