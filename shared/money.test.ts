import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  divideHalfEven,
  formatDecimal,
  formatRounded,
  formatUsd,
  formatUsdJson,
  formatUsdShort,
  maxUsdCents,
  parseDecimal,
  parseUsd,
  usdFromJson,
  usdToJson,
  withCommas,
} from './money.ts'

const cents = fc.bigInt({ min: -maxUsdCents, max: maxUsdCents })

describe('reading amounts', () => {
  test('parses amounts as people type them', () => {
    expect(parseUsd('1,000.50')).toBe(100_050n)
    expect(parseUsd('$ 1000.5')).toBe(100_050n)
    expect(parseUsd(' 7 ')).toBe(700n)
    expect(parseUsd('0.01')).toBe(1n)
  })

  test.each([
    '',
    '.',
    '1.',
    '.5',
    '1,00',
    '10,00,000',
    '0,500',
    '012,500',
    '1.005',
    '1e3',
    'NaN',
    'Infinity',
    '0x10',
    '1 000',
    '--1',
  ])('%j is no amount', text => {
    expect(parseUsd(text)).toBeUndefined()
  })

  test('[C-30] a feed with thousands commas is parsed exactly', () => {
    expect(parseDecimal('97,123.4567', 8)).toBe(9_712_345_670_000n)
  })

  test('a JSON number is read exactly or refused', () => {
    expect(usdFromJson(0.1 + 0.2)).toBeUndefined()
    expect(usdFromJson(1000.5)).toBe(100_050n)
    expect(usdFromJson(Number.NaN)).toBeUndefined()
    expect(usdFromJson(Number.POSITIVE_INFINITY)).toBeUndefined()
    expect(usdFromJson(1e15)).toBeUndefined()
    expect(usdFromJson(1e-7)).toBeUndefined()
    expect(usdFromJson(0.001)).toBeUndefined()
  })

  test('every amount in cents survives JSON, however large', () => {
    const exact = 2n ** 46n * 100n
    fc.assert(
      fc.property(fc.bigInt({ min: 1n - exact, max: exact - 1n }), amount => {
        const wire: unknown = JSON.parse(JSON.stringify(usdToJson(amount)))
        expect(usdFromJson(wire as number)).toBe(amount)
      }),
    )
  })
})

describe('writing amounts', () => {
  test('[D-24] balances are shown with two decimals', () => {
    expect(formatUsd(0n)).toBe('$0.00')
    expect(formatUsd(123_456_789_05n)).toBe('$123,456,789.05')
    expect(formatUsd(-5n)).toBe('-$0.05')
    expect(formatUsdJson(1000.5)).toBe('$1,000.50')
    expect(formatUsdJson(10_000_000_000)).toBe('$10,000,000,000.00')
    expect(() => formatUsdJson(0.001)).toThrow(RangeError)
  })

  test('whole-dollar limits are written without cents', () => {
    expect(formatUsdShort(199_900n)).toBe('$1,999')
    expect(formatUsdShort(199_950n)).toBe('$1,999.50')
  })

  test('commas group whole digits only', () => {
    expect(withCommas('1234567.1234567')).toBe('1,234,567.1234567')
    expect(withCommas('123')).toBe('123')
  })

  test('formatted amounts parse back to the same integer', () => {
    fc.assert(
      fc.property(cents, fc.integer({ min: 0, max: 12 }), (units, decimals) => {
        expect(parseDecimal(formatDecimal(units, decimals), decimals)).toBe(units)
        expect(parseDecimal(withCommas(formatDecimal(units, decimals)), decimals)).toBe(units)
      }),
    )
  })

  test('fewer digits are rounded half to even', () => {
    expect(formatRounded(12_345n, 4, 3)).toBe('1.234')
    expect(formatRounded(12_355n, 4, 3)).toBe('1.236')
    expect(formatRounded(5n, 0, 2)).toBe('5.00')
  })
})

describe('rounding', () => {
  test.each([
    [5n, 2n, 2n],
    [7n, 2n, 4n],
    [-5n, 2n, -2n],
    [-7n, 2n, -4n],
    [1n, 3n, 0n],
    [2n, 3n, 1n],
  ])('%i / %i is %i', (numerator, denominator, expected) => {
    expect(divideHalfEven(numerator, denominator)).toBe(expected)
  })

  test('rounds by at most half a unit, ties to even', () => {
    fc.assert(
      fc.property(cents, fc.bigInt({ min: 1n, max: 1_000_000n }), (numerator, denominator) => {
        const rounded = divideHalfEven(numerator, denominator)
        const twiceError = 2n * (numerator - rounded * denominator)
        expect(twiceError <= denominator && twiceError >= -denominator).toBe(true)
        if (twiceError === denominator || twiceError === -denominator) expect(rounded % 2n).toBe(0n)
      }),
    )
  })

  test('a denominator of zero is refused', () => {
    expect(() => divideHalfEven(1n, 0n)).toThrow(RangeError)
  })
})
