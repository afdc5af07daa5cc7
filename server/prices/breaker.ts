import type { BreakerState } from '#shared/contract/site.ts'
import {
  longestPriceBackOffSeconds,
  longestPriceWaitSeconds,
  priceBackOffSeconds,
  priceSourceFailures,
} from '#shared/limits.ts'

/** A source's recent failures, and until when its breaker is open; null while closed. */
export type Breaker = { failures: number; restUntil: Date | null }

export const atFirst: Breaker = { failures: 0, restUntil: null }

export function breakerState({ restUntil }: Breaker, now: Date): BreakerState {
  if (restUntil === null) return 'closed'
  return restUntil > now ? 'open' : 'half_open'
}

/** @property random from 0 to below 1 */
export type Failing = { now: Date; random: () => number; waitSeconds?: number | undefined }

/**
 * After a failure, or a 429, which opens the breaker at once. The source's own Retry-After is the minimum wait;
 * repeated failures can make it longer.
 */
export function afterFailure({ failures: before }: Breaker, { now, random, waitSeconds }: Failing): Breaker {
  const failures = waitSeconds === 0 ? Math.max(before + 1, priceSourceFailures) : before + 1
  const told = Math.min(waitSeconds ?? 0, longestPriceWaitSeconds)
  const seconds = Math.max(told, backOffSeconds(failures, random))
  return { failures, restUntil: seconds === 0 ? null : new Date(now.getTime() + seconds * 1000) }
}

/**
 * Exponential with equal jitter: half is fixed and half random, so that installations do not all return to a failed
 * source at once.
 */
function backOffSeconds(failures: number, random: () => number): number {
  if (failures < priceSourceFailures) return 0
  const full = Math.min(
    priceBackOffSeconds * 2 ** (failures - priceSourceFailures),
    longestPriceBackOffSeconds,
  )
  return full / 2 + (full / 2) * random()
}
