import { afterEach, describe, expect, test } from 'vitest'
import type { Plan } from '#shared/contract/entities.ts'
import { languageFrom } from '#shared/i18n/language.ts'
import { planBody, planChanges, planError, valuesOf } from './plan-form.ts'

const plan: Plan = {
  _id: 'p',
  version: 2,
  name: 'Enthusiast',
  percentage: 10.5,
  minimum: 1000,
  maximum: 4999,
  duration: '30 days',
  durationDays: 30,
  changedAt: '2026-01-01T00:00:00.000Z',
  note: null,
}

test('[N-14] an unedited plan is sent unchanged', () => {
  const { _id, version, changedAt, ...terms } = plan
  expect(planBody(valuesOf(plan))).toEqual(terms)
})

afterEach(() => languageFrom(() => undefined))

test.each([
  ['de', '10,5', '1.000,00'],
  ['es', '10,5', '1000,00'],
  ['ar', '10.5', '1,000.00'],
] as const)('[N-14] in %s, an unedited plan is sent unchanged', (language, percentage, minimum) => {
  languageFrom(() => language)
  const { _id, version, changedAt, ...terms } = plan
  expect(valuesOf(plan)).toMatchObject({ percentage, minimum })
  expect(planBody(valuesOf(plan))).toEqual(terms)
})

test('a percentage in another notation than the language’s is refused', () => {
  languageFrom(() => 'de')
  expect(planError({ ...valuesOf(plan), percentage: '10.5' })?.fields).toHaveProperty('percentage')
  expect(planError({ ...valuesOf(plan), percentage: '10,5' })).toBeUndefined()
})

test('an empty maximum is unlimited', () => {
  const values = { ...valuesOf(plan), maximum: '' }
  expect(planError(values)).toBeUndefined()
  expect(planBody(values).maximum).toBeNull()
})

describe('what changes', () => {
  test('lists each field before and after', () => {
    const after = { ...valuesOf(plan), minimum: '1,500', maximum: '' }
    expect(planChanges(valuesOf(plan), after)).toEqual([
      ['Minimum', '$1,000.00 → $1,500.00'],
      ['Maximum', '$4,999.00 → Unlimited'],
    ])
  })

  test.each([
    ['en', '10.50', '5.50', '10.5 → 5.5'],
    ['de', '10,50', '5,50', '10,5 → 5,5'],
    ['ar', '١٠٫٥٠', '٥٫٥٠', 'من \u206810.5\u2069 إلى \u20685.5\u2069'],
  ] as const)('writes a percentage as the language does: %s', (language, same, typed, change) => {
    languageFrom(() => language)
    const before = valuesOf(plan)
    expect(planChanges(before, { ...before, percentage: same })).toEqual([])
    expect(planChanges(before, { ...before, percentage: typed }).map(([, words]) => words)).toEqual([change])
  })

  test('ignores an amount that is only written differently', () => {
    expect(planChanges(valuesOf(plan), { ...valuesOf(plan), minimum: ' $1000 ' })).toEqual([])
  })
})

test.each([
  ['name', ''],
  ['percentage', 'ten'],
  ['minimum', '1.234'],
  ['maximum', 'a lot'],
  ['durationDays', '30.5'],
] as const)('%s as %j is refused at its field before sending', (field, text) => {
  expect(planError({ ...valuesOf(plan), [field]: text })?.fields).toHaveProperty(field)
})
