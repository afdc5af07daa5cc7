import { expect, test } from 'vitest'
import { timesWords } from './times.ts'

const times = {
  days: 90,
  paid: 1_204,
  half: 5 * 3_600 + 1,
  share: 90,
  most: 172_801,
  waiting: 12,
  longestWait: 345_600,
}

test('[D-08] the measured times are shown as they are, rounded up', () => {
  expect(timesWords(times)).toBe(
    'Our team reviews each withdrawal before we pay it. In the last 90 days we paid 1,204 withdrawals: half within 6 hours, 90% within 3 days. 12 are waiting now, the oldest for 4 days.',
  )
  expect(timesWords({ ...times, waiting: 0, longestWait: 0 })).toMatch(
    /within 3 days\. None is waiting now\.$/,
  )
})

test('[D-08] without enough of them no time is shown', () => {
  expect(timesWords(null)).toBe('Our team reviews each withdrawal before we pay it.')
})

test.each([
  [0, '1 minute'],
  [61, '2 minutes'],
  [3_599, '60 minutes'],
  [3_600, '1 hour'],
  [172_800, '2 days'],
])('[D-08] %i seconds read %s', (half, words) => {
  expect(timesWords({ ...times, half })).toContain(`half within ${words}, 90%`)
})
