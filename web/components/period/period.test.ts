import { expect, test } from 'vitest'
import { isDay } from '#web/components/days.ts'
import { dayOf, daysOf, monthsBefore } from './period.ts'

test.each([
  ['2026-11-21', 1, '2026-10-21'],
  ['2026-03-31', 1, '2026-02-28'],
  ['2028-03-31', 1, '2028-02-29'],
  ['2026-01-15', 1, '2025-12-15'],
  ['2026-11-30', 3, '2026-08-30'],
  ['2026-05-31', 3, '2026-02-28'],
  ['2028-02-29', 12, '2027-02-28'],
])('%s less %i months is %s', (day, months, before) => {
  expect(monthsBefore(day, months)).toBe(before)
})

test('presets end today; all time has no limit', () => {
  expect(daysOf('1m', '2026-11-21')).toEqual({ from: '2026-10-21', to: undefined })
  expect(daysOf('3m', '2026-11-21')).toEqual({ from: '2026-08-21', to: undefined })
  expect(daysOf('ytd', '2026-11-21')).toEqual({ from: '2026-01-01', to: undefined })
  expect(daysOf('1y', '2026-11-21')).toEqual({ from: '2025-11-21', to: undefined })
  expect(daysOf('', '2026-11-21')).toEqual({ from: undefined, to: undefined })
})

test('days are in the user’s time zone', () => {
  expect(dayOf(new Date(2026, 0, 5, 0, 0))).toBe('2026-01-05')
  expect(dayOf(new Date(2026, 11, 31, 23, 59))).toBe('2026-12-31')
})

test('unfinished and impossible days are invalid', () => {
  expect(['2026-02-28', '2000-01-01'].every(isDay)).toBe(true)
  for (const text of ['', '0202-11-21', '2026-1-1', '2026-02-30', '1999-12-31', 'yesterday']) {
    expect(isDay(text), text).toBe(false)
  }
})
