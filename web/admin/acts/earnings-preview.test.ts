import { describe, expect, test } from 'vitest'
import { paidOn, willPay } from './earnings-preview.ts'

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
