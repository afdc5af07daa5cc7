import type { ReadingStanding } from '#shared/contract/site.ts'
import { priceAheadSeconds, priceDeviationPercent, priceStaleMinutes } from '#shared/limits.ts'
import { divideHalfEven } from '#shared/money.ts'
import type { Reading } from './reading.ts'

/** Those that are not older than five minutes (D5), and not of the future. */
export function freshOf<R extends Pick<Reading, 'at'>>(readings: readonly R[], now: Date): R[] {
  const oldest = now.getTime() - priceStaleMinutes * 60_000
  return readings.filter(({ at }) => at.getTime() >= oldest && at <= latestTime(now))
}

/** The latest time that a reading may have. */
export function latestTime(now: Date): Date {
  return new Date(now.getTime() + priceAheadSeconds * 1000)
}

/** What several readings of one coin make together. */
export type Agreement<R> = {
  /** Those that count; none where they disagree. */
  counted: R[]
  /** Those that lie too far from the middle one; none where they disagree, because nobody knows which are wrong. */
  rejected: R[]
  /** The middle one of those that count; of all, where they disagree. In 10^-8 USD. */
  usdE8: bigint
}

/**
 * The readings that lie near the middle one of all count, where they are more than half of all; else they disagree
 * (decision 26). The middle one lies among the right ones as long as these are the majority, whatever the others say.
 * @param readings at least one
 */
export function agree<R extends Pick<Reading, 'usdE8'>>(readings: readonly R[]): Agreement<R> {
  const middle = medianOf(readings)
  const [near, far] = [readings.filter(isNear(middle)), readings.filter(reading => !isNear(middle)(reading))]
  if (near.length * 2 <= readings.length) return { counted: [], rejected: [], usdE8: middle }
  return { counted: near, rejected: far, usdE8: medianOf(near) }
}

/** What becomes of each of a coin's readings. */
export function standingsOf<R extends Pick<Reading, 'at' | 'usdE8'>>(
  readings: readonly R[],
  now: Date,
): [R, ReadingStanding][] {
  const fresh = freshOf(readings, now)
  const {
    counted,
    rejected,
  }: Pick<Agreement<R>, 'counted' | 'rejected'> = fresh.length > 0
    ? agree(fresh)
    : { counted: [], rejected: [] }
  return readings.map(reading => {
    if (!fresh.includes(reading)) return [reading, 'stale']
    if (counted.includes(reading)) return [reading, 'counted']
    return [reading, rejected.includes(reading) ? 'rejected' : 'disputed']
  })
}

const isNear =
  (middle: bigint) =>
  ({ usdE8 }: Pick<Reading, 'usdE8'>) => {
    const distance = usdE8 > middle ? usdE8 - middle : middle - usdE8
    return distance * 100n <= middle * BigInt(priceDeviationPercent)
  }

/** The middle one, or half the sum of the two middle ones, rounded half to even. */
export function medianOf(readings: readonly Pick<Reading, 'usdE8'>[]): bigint {
  const sorted = readings.map(({ usdE8 }) => usdE8).toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  const middle = sorted.length >> 1
  const upper = sorted[middle]!
  return sorted.length % 2 === 1 ? upper : divideHalfEven(sorted[middle - 1]! + upper, 2n)
}
