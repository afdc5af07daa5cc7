import { expect, test } from 'vitest'
import { longestPriceBackOffSeconds, longestPriceWaitSeconds } from '#shared/limits.ts'
import { afterFailure, atFirst, type Breaker, breakerState, type Failing } from './breaker.ts'

const now = new Date('2026-11-21T12:00:00Z')
const later = (seconds: number) => new Date(now.getTime() + seconds * 1000)
const least = () => 0
const most = () => 1 - Number.EPSILON

function failed(times: number, failing: Partial<Failing> = {}, before: Breaker = atFirst): Breaker {
  let breaker = before
  for (let n = 0; n < times; n += 1) breaker = afterFailure(breaker, { now, random: least, ...failing })
  return breaker
}
const seconds = ({ restUntil }: Breaker) => (restUntil === null ? 0 : (+restUntil - +now) / 1000)

test('[C-30] a source is asked as ever until it has failed three times in a row', () => {
  expect([1, 2, 3].map(times => breakerState(failed(times), now))).toEqual(['closed', 'closed', 'open'])
})

test('[C-30] when its rest is over it is tried, and left alone again where that fails', () => {
  const open = failed(3)
  expect(breakerState(open, later(29))).toBe('open')
  expect(breakerState(open, later(30))).toBe('half_open')
  expect(breakerState(failed(1, { now: later(30) }, open), later(31))).toBe('open')
})

test('[C-30] the rest doubles with each failure, up to half an hour, half of it by chance', () => {
  const rests = (random: () => number) =>
    [3, 4, 5, 6, 7, 8, 9, 50].map(times => seconds(failed(times, { random })))
  expect(rests(least)).toEqual([30, 60, 120, 240, 480, 900, 900, 900])
  const longest = rests(most)
  expect(longest.map(Math.round)).toEqual([60, 120, 240, 480, 960, 1_800, 1_800, 1_800])
  expect(Math.max(...longest)).toBeLessThanOrEqual(longestPriceBackOffSeconds)
})

test('[C-30] a source that says how long to wait is left alone so long, at its first failure', () => {
  expect(seconds(failed(1, { waitSeconds: 90 }))).toBe(90)
  // It keeps failing, so its failures count too.
  expect(seconds(failed(6, { waitSeconds: 5 }))).toBe(240)
  expect(seconds(failed(1, { waitSeconds: 900_000 }))).toBe(longestPriceWaitSeconds)
})

test('[C-30] one that is asked too much and does not say how long is left alone at once', () => {
  expect(seconds(failed(1, { waitSeconds: 0 }))).toBe(30)
  expect(seconds(failed(2, { waitSeconds: 0 }))).toBe(60)
})
