import { afterEach, describe, expect, test } from 'vitest'
import { languageFrom } from '#shared/i18n/language.ts'
import { paidOn, startedAfter, warningsFor, willPay } from './preview.ts'

const older = { _id: 'a', accrued: 10.1, approvedAt: '2026-10-01T00:00:00.000Z' }
const newer = { _id: 'b', accrued: 0.2, approvedAt: '2026-11-01T00:00:00.000Z' }
const both = [newer, older]

afterEach(() => languageFrom(() => undefined))

describe('the amount that an earning will pay', () => {
  test('[N-09] without an amount, all unpaid accruals to the cent', () => {
    expect(willPay('', '', both)).toBe(1030n)
  })

  test('[N-09] without an amount, the accrual of the chosen investment', () => {
    expect(willPay(' ', 'b', both)).toBe(20n)
  })

  test('a typed amount instead of the accruals', () => {
    expect(willPay('1,250.5', 'a', both)).toBe(125050n)
  })

  test('reads a typed amount as its language writes it', () => {
    languageFrom(() => 'de')
    expect(willPay('1.250,5', 'a', both)).toBe(125050n)
  })

  test('nothing for an invalid amount', () => {
    expect(willPay('12.345', '', both)).toBeUndefined()
  })
})

describe('the investment an earning is paid on', () => {
  test('is the chosen one', () => {
    expect(paidOn('5', 'b', both)).toBe(newer)
  })

  test('is the oldest for an amount without a choice, as on the server', () => {
    expect(paidOn('5', '', both)).toBe(older)
  })

  test('is none in particular for all accruals', () => {
    expect(paidOn('', '', both)).toBeUndefined()
  })
})

describe('warnings about an earning', () => {
  test('[N-09] state by how much it exceeds the unpaid accrual', () => {
    expect(warningsFor('10.11', '', both)).toEqual({ beyondCents: 1n, began: [older.approvedAt] })
    expect(warningsFor('10.10', '', both).beyondCents).toBe(0n)
    expect(warningsFor('1', 'b', both)).toEqual({ beyondCents: 80n, began: [newer.approvedAt] })
  })

  test('[N-09] never exceed for accruals, which are paid only where they exist', () => {
    const idle = { _id: 'c', accrued: 0, approvedAt: '2026-11-20T00:00:00.000Z' }
    expect(warningsFor('', '', [...both, idle])).toEqual({
      beyondCents: 0n,
      began: [newer.approvedAt, older.approvedAt],
    })
  })

  test('ignore an invalid amount', () => {
    expect(warningsFor('12.345', '', both).beyondCents).toBe(0n)
  })

  test('[N-09] do not concern a return of the day on which the investment started', () => {
    expect(startedAfter('2026-11-03T00:00:00.000Z', '2026-11-02')).toBe(true)
    expect(startedAfter('2026-11-03T23:59:59.000Z', '2026-11-03')).toBe(false)
    expect(startedAfter(null, '2026-11-02')).toBe(false)
  })
})
