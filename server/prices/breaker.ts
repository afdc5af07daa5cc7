import type { BreakerState } from '#shared/contract/site.ts'
import {
  longestPriceBackOffSeconds,
  longestPriceWaitSeconds,
  priceBackOffSeconds,
  priceSourceFailures,
} from '#shared/limits.ts'

/** How a source has answered of late, and until when it is left alone; null while it is asked as ever. */
export type Breaker = { failures: number; restUntil: Date | null }

export const atFirst: Breaker = { failures: 0, restUntil: null }

export function breakerState({ restUntil }: Breaker, now: Date): BreakerState {
  if (restUntil === null) return 'closed'
  return restUntil > now ? 'open' : 'half_open'
}

/** @property random from 0 to below 1 */
export type Failing = { now: Date; random: () => number; waitSeconds?: number | undefined }

/**
 * After a failure, or after a source has said that it is asked too much (429), which it is spared at once. What it says
 * itself is the least that is waited; a source that goes on failing is left alone as long as its failures say.
 */
export function afterFailure({ failures: before }: Breaker, { now, random, waitSeconds }: Failing): Breaker {
  const failures = waitSeconds === 0 ? Math.max(before + 1, priceSourceFailures) : before + 1
  const told = Math.min(waitSeconds ?? 0, longestPriceWaitSeconds)
  const seconds = Math.max(told, backOffSeconds(failures, random))
  return { failures, restUntil: seconds === 0 ? null : new Date(now.getTime() + seconds * 1000) }
}

/**
 * Exponential, with equal jitter: half of it is certain, the other half by chance, so that installations which a source
 * has failed together do not come back together.
 */
function backOffSeconds(failures: number, random: () => number): number {
  if (failures < priceSourceFailures) return 0
  const full = Math.min(
    priceBackOffSeconds * 2 ** (failures - priceSourceFailures),
    longestPriceBackOffSeconds,
  )
  return full / 2 + (full / 2) * random()
}
