import { scaleLinear } from 'd3-scale'
import { localUsdShort } from '#shared/i18n/amounts.ts'
import { perLanguage } from '#shared/i18n/intl.ts'

/** Approximate number of ticks. */
const tickCount = 4
const million = 100_000_000n

/**
 * A money axis from zero to a round amount above the largest, with ticks in cents.
 * @param height pixels, zero at the bottom
 */
export function moneyAxis(largestCents: bigint, height: number) {
  // Numbers are exact below 2^53 cents; beyond that a pixel is not.
  const scale = scaleLinear([0, Math.max(Number(largestCents), 1)], [height, 0]).nice(tickCount)
  const ticks = scale.ticks(tickCount).filter(Number.isInteger)
  return {
    ticks: ticks.map(tick => ({ y: scale(tick), words: axisWords(BigInt(tick)) })),
    y: (cents: bigint) => scale(Number(cents)),
  }
}

const dollars = perLanguage(
  ({ numbers }) =>
    new Intl.NumberFormat(numbers, {
      style: 'currency',
      currency: 'USD',
      currencyDisplay: 'narrowSymbol',
      notation: 'compact',
      maximumSignificantDigits: 6,
    }),
)

/** '$2,500', '$1.5M'; exact, because axis amounts are round. */
export function axisWords(cents: bigint): string {
  if (cents < million) return localUsdShort(cents)
  return dollars().format(Number(cents) / 100)
}

/** Moves text lines apart until none overlap, in order, within 0 and `height`. */
export function apart(heights: readonly number[], room: number, height: number): number[] {
  const order = heights.map((_, n) => n).sort((a, b) => heights[a]! - heights[b]!)
  const placed = [...heights]
  let least = room / 2
  for (const n of order) {
    placed[n] = Math.max(heights[n]!, least)
    least = placed[n]! + room
  }
  let most = height - room / 2
  for (const n of order.toReversed()) {
    placed[n] = Math.min(placed[n]!, most)
    most = placed[n]! - room
  }
  return placed
}
