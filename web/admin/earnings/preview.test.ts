import { describe, expect, test } from 'vitest'
import { beganAfter, paidOn, unusual, willPay } from './preview.ts'

const older = { _id: 'a', accrued: 10.1, approvedAt: '2026-10-01T00:00:00.000Z' }
const newer = { _id: 'b', accrued: 0.2, approvedAt: '2026-11-01T00:00:00.000Z' }
const both = [newer, older]

describe('what an earning will pay', () => {
  test('[N-09] without an amount it is what has accrued on all, to the cent', () => {
    expect(willPay('', '', both)).toBe(1030n)
  })

  test('[N-09] without an amount it is what has accrued on the chosen one', () => {
    expect(willPay(' ', 'b', both)).toBe(20n)
  })

  test('a typed amount wins over what has accrued', () => {
    expect(willPay('1,250.5', 'a', both)).toBe(125050n)
  })

  test('what is no amount pays nothing that could be shown', () => {
    expect(willPay('12.345', '', both)).toBeUndefined()
  })
})

describe('what an earning is paid on', () => {
  test('the chosen one', () => {
    expect(paidOn('5', 'b', both)).toBe(newer)
  })

  test('for an amount without a choice the oldest, as the server pays it', () => {
    expect(paidOn('5', '', both)).toBe(older)
  })

  test('without an amount and a choice each of them', () => {
    expect(paidOn('', '', both)).toBeUndefined()
  })
})

describe('what is unusual about an earning', () => {
  test('[N-09] how much more it is than has accrued on the investment that it is paid on', () => {
    expect(unusual('10.11', '', both)).toEqual({ beyondCents: 1n, began: [older.approvedAt] })
    expect(unusual('10.10', '', both).beyondCents).toBe(0n)
    expect(unusual('1', 'b', both)).toEqual({ beyondCents: 80n, began: [newer.approvedAt] })
  })

  test('[N-09] what has accrued is never more than that; it is paid on those where something has', () => {
    const idle = { _id: 'c', accrued: 0, approvedAt: '2026-11-20T00:00:00.000Z' }
    expect(unusual('', '', [...both, idle])).toEqual({
      beyondCents: 0n,
      began: [newer.approvedAt, older.approvedAt],
    })
  })

  test('what is no amount says nothing yet', () => {
    expect(unusual('12.345', '', both).beyondCents).toBe(0n)
  })

  test('[N-09] a return of the day on which an investment began is not before it', () => {
    expect(beganAfter('2026-11-03T00:00:00.000Z', '2026-11-02')).toBe(true)
    expect(beganAfter('2026-11-03T23:59:59.000Z', '2026-11-03')).toBe(false)
    expect(beganAfter(null, '2026-11-02')).toBe(false)
  })
})
