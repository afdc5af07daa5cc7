import { t } from '#shared/i18n/t.ts'

/**
 * The only arithmetic, rounding, parsing and formatting of money (D3). Money is a `bigint` of minor units; it becomes
 * text or a two-decimal JSON number only here.
 */

/** Decimals: USD in cents, BTC in satoshi, USDT and USDC in 10^-6, ETH in gwei. */
export const assetDecimals = { USD: 2, BTC: 8, USDT: 6, ETH: 9, USDC: 6 } as const
export type Asset = keyof typeof assetDecimals
export const assets = Object.keys(assetDecimals) as Asset[]
/** Decimals of a rate, in dollars for one coin. */
export const rateDecimals = 8

/**
 * The largest USD amount in a request: $9,999,999,999.99. Every sum of such amounts stays far below the limits of a
 * PostgreSQL bigint and of exact integers in a JSON number.
 */
export const maxUsdCents = 999_999_999_999n

/** JSON numbers of USD are exact below 2^46 dollars (IEEE 754 binary64). */
const mostExactUsd = 2 ** 46

/** 10^decimals as a bigint. */
export function scaleOf(decimals: number): bigint {
  return 10n ** BigInt(decimals)
}

export function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

/**
 * `numerator / denominator` rounded half to even (IEEE 754 roundTiesToEven), so that rounding favours nobody.
 * @throws RangeError if the denominator is not positive
 */
export function divideHalfEven(numerator: bigint, denominator: bigint): bigint {
  if (denominator <= 0n) throw new RangeError('denominator must be positive')
  const negative = numerator < 0n
  const magnitude = negative ? -numerator : numerator
  const quotient = magnitude / denominator
  const twiceRest = (magnitude % denominator) * 2n
  const up = twiceRest > denominator || (twiceRest === denominator && quotient % 2n === 1n)
  const rounded = up ? quotient + 1n : quotient
  return negative ? -rounded : rounded
}

/**
 * Reads a decimal text exactly: '1000.5' with 2 decimals is 100050n. Accepts thousands commas in groups of three
 * ('1,000.50'), which people type and price feeds send (C-30), but none after a zero: '0,500' is meant as a half.
 * @returns undefined for any other text, or more than `decimals` digits after the point
 */
export function parseDecimal(text: string, decimals: number): bigint | undefined {
  const match = /^(-?)([1-9]\d{0,2}(?:,\d{3})+|\d+)(?:\.(\d+))?$/.exec(text.trim())
  if (!match) return undefined
  const [, sign, whole = '', fraction = ''] = match
  if (whole.length > 30 || fraction.length > decimals) return undefined
  const units = BigInt(whole.replaceAll(',', '') + fraction.padEnd(decimals, '0'))
  return sign ? -units : units
}

/** Cents of an amount as people type it, '$1,000.50' or '1,000.5'; undefined for any other text. */
export function parseUsd(text: string): bigint | undefined {
  return parseDecimal(text.trim().replace(/^\$\s*/, ''), 2)
}

/**
 * A JSON number of USD as cents, exactly: 1000.5 is 100050n.
 * @returns undefined for NaN, Infinity, more than two decimals, or numbers from 2^46 on, where a double has no exact
 * cents
 */
export function usdFromJson(value: number): bigint | undefined {
  if (!(Math.abs(value) < mostExactUsd)) return undefined
  // The shortest text of a double is what the sender wrote; exponents are invalid.
  return parseDecimal(String(value), 2)
}

/** Cents as the JSON number on the wire (D8). Exact for every balance below 2^46 dollars. */
export function usdToJson(cents: bigint): number {
  return Number(formatDecimal(cents, 2))
}

/** Minor units as a plain decimal text with exactly `decimals` digits after the point: 100050n is '1000.50'. */
export function formatDecimal(units: bigint, decimals: number): string {
  const negative = units < 0n
  const digits = (negative ? -units : units).toString().padStart(decimals + 1, '0')
  const cut = digits.length - decimals
  const text = decimals === 0 ? digits : `${digits.slice(0, cut)}.${digits.slice(cut)}`
  return negative ? `-${text}` : text
}

/** `units` of an asset with `from` digits as text with `to` digits, rounded half to even. */
export function formatRounded(units: bigint, from: number, to: number): string {
  if (to >= from) return formatDecimal(units * scaleOf(to - from), to)
  return formatDecimal(divideHalfEven(units, scaleOf(from - to)), to)
}

/** Thousands commas in the whole part of a plain decimal text. */
export function withCommas(text: string): string {
  const [whole = '', fraction] = text.split('.')
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',')
  return fraction === undefined ? grouped : `${grouped}.${fraction}`
}

/** Formats cents: 100050n is '$1,000.50'; a negative amount starts with its sign (D-24). */
export function formatUsd(cents: bigint): string {
  const text = withCommas(formatDecimal(cents < 0n ? -cents : cents, 2))
  return cents < 0n ? `-$${text}` : `$${text}`
}

/** Message for an amount that is 0 or negative. */
export function mustBePositive(label: string): string {
  return t('{label} must be more than 0', { label })
}

/** Message for an amount above `maxUsdCents`. */
export function tooLarge(label = t('Amount'), format = formatUsd): string {
  return t('{label} can be at most {amount}', { label, amount: format(maxUsdCents) })
}

/** Formats cents without '.00': '$1,999', but '$1,999.50'. For limits and ranges (D4). */
export function formatUsdShort(cents: bigint): string {
  return formatUsd(cents).replace(/\.00$/, '')
}

/**
 * A USD number from the wire as text: 1000.5 is '$1,000.50'.
 * @throws RangeError if the number is no exact amount
 */
export function formatUsdJson(value: number): string {
  const cents = usdFromJson(value)
  if (cents === undefined) throw new RangeError(`${value} is not an amount in USD`)
  return formatUsd(cents)
}
