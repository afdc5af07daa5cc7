import { t } from '#shared/i18n/t.ts'
import {
  formatDecimal,
  formatUsd,
  formatUsdShort,
  parseDecimal,
  parseUsd,
  usdFromJson,
} from '#shared/money.ts'
import { perLanguage } from './intl.ts'
import { languageNow } from './language.ts'
import { sourceLanguage } from './languages.ts'

/**
 * Amounts in dollars for people, as their language writes them: '$1,000.50' is '1.000,50 $' in German. In Arabic they are as
 * in English, isolated from the direction of the words around (UAX #9). What is stored, sent or exported has them as
 * shared/money.ts writes them, and amounts in coins are everywhere as in wallets.
 */

const options = { style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol' } as const
const dollars = perLanguage(({ numbers }) => new Intl.NumberFormat(numbers, options))
const shortDollars = perLanguage(
  ({ numbers }) => new Intl.NumberFormat(numbers, { ...options, trailingZeroDisplay: 'stripIfInteger' }),
)
const rates = perLanguage(
  ({ numbers }) => new Intl.NumberFormat(numbers, { ...options, maximumFractionDigits: 8 }),
)
const plainDollars = perLanguage(
  ({ numbers }) => new Intl.NumberFormat(numbers, { minimumFractionDigits: 2, maximumFractionDigits: 2 }),
)

/** Formats cents. */
export function localUsd(cents: bigint): string {
  return written(cents, formatUsd, dollars)
}

/** Formats cents without '.00'. For limits and ranges (D4). */
export function localUsdShort(cents: bigint): string {
  return written(cents, formatUsdShort, shortDollars)
}

function written(
  cents: bigint,
  format: (cents: bigint) => string,
  ofLanguage: () => Intl.NumberFormat,
): string {
  if (languageNow() === 'ar') return `\u2066${format(cents)}\u2069`
  return languageNow() === sourceLanguage ? format(cents) : ofLanguage().format(exact(cents))
}

/**
 * A USD number from the wire as text.
 * @throws RangeError if the number is no exact amount
 */
export function localUsdJson(value: number): string {
  const cents = usdFromJson(value)
  if (cents === undefined) throw new RangeError(`${value} is not an amount in USD`)
  return localUsd(cents)
}

/** A wire rate ('97,123.45') in dollars, with all its decimals. */
export function localRate(rate: string): string {
  if (languageNow() === 'ar') return `\u2066$${rate}\u2069`
  return languageNow() === sourceLanguage
    ? `$${rate}`
    : rates().format(rate.replaceAll(',', '') as `${number}`)
}

/** Formats cents for a field beside its '$': '1,000.00'. */
export function typedUsd(cents: bigint): string {
  return languageNow() === sourceLanguage
    ? formatUsd(cents).replace('$', '')
    : plainDollars().format(exact(cents))
}

/**
 * Cents of an amount as people type it in their language, '1,000.50' or '1.000,50', in Latin, Arabic or
 * Persian digits; undefined for any other text.
 */
export function parseTypedUsd(text: string): bigint | undefined {
  const plain = plainOf(text).replace(/\s*(?:US)?\$\s*$/, '')
  return parseUsd(hasDecimalComma() ? withMarksSwapped(plain) : plain)
}

/** What a field says whose text `parseTypedUsd` does not read. */
export function enterUsd(exampleCents = 100_050n): string {
  return t('Enter an amount in dollars, such as {example}', { example: typedUsd(exampleCents) })
}

/**
 * Units of a coin amount or a rate as people type it: as their language writes it, or as wallets do ('0.0125'). Undefined
 * for any other text, and for one with two meanings.
 */
export function parseTypedDecimal(text: string, decimals: number): bigint | undefined {
  const plain = plainOf(text)
  if (!hasDecimalComma()) return parseDecimal(plain, decimals)
  if (twoMeanings(text) !== undefined) return undefined
  return parseDecimal(withMarksSwapped(plain), decimals) ?? parseDecimal(plain, decimals)
}

/** Says how to type '1.234', which is a thousand in German and little more than one in a wallet; undefined for clear texts. */
export function twoMeanings(text: string): string | undefined {
  const [, whole, fraction] = /^([1-9]\d{0,2})[.,](\d{3})$/.exec(plainOf(text)) ?? []
  if (!hasDecimalComma() || whole === undefined) return undefined
  return t('{typed} can mean two numbers. Enter {small} or {large}.', {
    typed: text.trim(),
    small: fraction === '000' ? whole : `${whole},${fraction}0`,
    large: `${whole}${fraction}`,
  })
}

/** A coin amount for a field: as wallets write it, with a fourth decimal where three could be thousands. */
export function typedCoins(amount: string): string {
  return twoMeanings(amount) === undefined ? amount : `${amount}0`
}

/** In Latin digits and marks, without marks of direction. */
function plainOf(text: string): string {
  return text
    .replaceAll(/[٠-٩۰-۹]/g, digit => String(digit.charCodeAt(0) & 15))
    .replaceAll('٫', '.')
    .replaceAll('٬', ',')
    .replaceAll(/[\u061c\u200e\u200f\u2066-\u2069]/g, '')
    .trim()
}

function withMarksSwapped(text: string): string {
  return text.replaceAll(/[.,]/g, mark => (mark === ',' ? '.' : ','))
}

function hasDecimalComma(): boolean {
  return languageNow() !== sourceLanguage && plainDollars().format(0).includes(',')
}

/** Intl formats a decimal text exactly, whatever its size. */
function exact(cents: bigint): `${number}` {
  return formatDecimal(cents, 2) as `${number}`
}
