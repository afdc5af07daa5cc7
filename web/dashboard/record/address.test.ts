import { expect, test } from 'vitest'
import { recordOf, withRecord } from './address.ts'

test('opens one record at a time and keeps the rest of the address', () => {
  const params = new URLSearchParams('period=3m&withdrawal=1')
  expect(recordOf(params)).toEqual({ kind: 'withdrawal', id: '1' })
  const next = withRecord(params, { kind: 'earning', id: '2' })
  expect(next.toString()).toBe('period=3m&earning=2')
  expect(recordOf(next)).toEqual({ kind: 'earning', id: '2' })
  expect(withRecord(next).toString()).toBe('period=3m')
  expect(recordOf(withRecord(next))).toBeUndefined()
  expect(recordOf(new URLSearchParams('deposit='))).toBeUndefined()
})
