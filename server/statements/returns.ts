/** The end of a step of a series: an investor's funds, and all they have earned so far, in cents. */
export type Valuation = { day: string; total: bigint; earned: bigint }

/** Returns over a whole period, in percent with two decimals; null where there is none. */
export type Returns = { timeWeighted: number | null; moneyWeighted: number | null }

/** What changed an investor's funds in a step: what they earned, and what they paid in less what they withdrew. */
type Step = { before: number; earned: number; flow: number; day: number }

/**
 * The return of an investor over the steps between valuations. In each step, money paid in counts from its beginning and
 * money withdrawn until its end, so that neither return counts money that could not earn.
 */
export function returnsOf(valuations: readonly Valuation[]): Returns {
  const steps = stepsOf(valuations)
  const first = steps.findIndex(({ before, flow }) => before > 0 || flow > 0)
  if (first < 0) return { timeWeighted: null, moneyWeighted: null }
  const owned = steps.slice(first)
  const last = Number(valuations.at(-1)!.total)
  return {
    timeWeighted: inPercent(timeWeighted(owned)),
    moneyWeighted: inPercent(moneyWeighted(owned, last)),
  }
}

function stepsOf(valuations: readonly Valuation[]): Step[] {
  return valuations.slice(1).map(({ day, total, earned }, place) => {
    const before = valuations[place]!
    const gained = earned - before.earned
    return {
      before: Number(before.total),
      earned: Number(gained),
      flow: Number(total - before.total - gained),
      day: dayNumber(day),
    }
  })
}

/** Chains each step's earnings ÷ the money that could earn them; undefined if some were earned on none. */
function timeWeighted(steps: readonly Step[]): number | undefined {
  let growth = 1
  for (const { before, earned, flow } of steps) {
    if (earned === 0) continue
    const base = before + Math.max(flow, 0)
    if (base <= 0) return undefined
    growth *= 1 + earned / base
  }
  return growth - 1
}

/** Precision of the money-weighted return, as a fraction. */
const precision = 1e-9
/** The largest one that is looked for, as a fraction. */
const largest = 1e6

/**
 * The rate at which the opening funds and all later flows, each for the part of the period that is left to it, grow to
 * the closing funds; undefined if there is none.
 */
function moneyWeighted(steps: readonly Step[], closing: number): number | undefined {
  const end = steps.at(-1)!.day
  const begin = steps[0]!.day - 1
  const left = (day: number) => (end - day) / (end - begin)
  const excess = (rate: number) =>
    steps.reduce(
      (sum, { flow, day }, place) => {
        const from = flow > 0 ? (place === 0 ? begin : steps[place - 1]!.day) : day
        return sum + flow * (1 + rate) ** left(from)
      },
      steps[0]!.before * (1 + rate) - closing,
    )
  return rootOf(excess)
}

/** Where an increasing function is zero, by halving; undefined if not between a total loss and `largest`. */
function rootOf(of: (rate: number) => number): number | undefined {
  let [low, high] = [-1 + precision, largest]
  if (of(low) > 0 || of(high) < 0) return undefined
  while (high - low > precision * Math.max(1, Math.abs(low))) {
    const middle = (low + high) / 2
    if (of(middle) > 0) high = middle
    else low = middle
  }
  return (low + high) / 2
}

function inPercent(rate: number | undefined): number | null {
  if (rate === undefined) return null
  const percent = Math.round(rate * 10_000) / 100
  // No minus before zero.
  return percent === 0 ? 0 : percent
}

function dayNumber(day: string): number {
  return Date.parse(day) / 86_400_000
}
