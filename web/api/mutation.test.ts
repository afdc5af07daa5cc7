import { expect, test } from 'vitest'
import { ApiError } from './errors.ts'
import { attemptKeys } from './mutation.ts'

test('[B-06] an attempt keeps its key until a definite answer', () => {
  const keys = attemptKeys()
  const first = keys.keyFor({ body: { amount: 10 } })
  expect(keys.keyFor({ body: { amount: 10 } })).toBe(first)
  keys.succeeded({})
  const second = keys.keyFor({ body: { amount: 10 } })
  expect(second).not.toBe(first)
  keys.refused(new ApiError(409))
  expect(keys.keyFor({ body: { amount: 10 } })).not.toBe(second)
})

test('[B-06] another amount is a new attempt', () => {
  const keys = attemptKeys()
  const first = keys.keyFor({ body: { amount: 10 } })
  expect(keys.keyFor({ body: { amount: 11 } })).not.toBe(first)
})
