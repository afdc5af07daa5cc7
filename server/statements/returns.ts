/** The end of a step of a series: an investor's funds, and all they have earned and paid in so far, in cents. */
export type Valuation = { day: string; total: bigint; earned: bigint; paidIn: bigint }

/** Returns over a whole period, in percent with two decimals; null where there is none. */
export type Returns = { timeWeighted: number | null; moneyWeighted: number | null }

/** A step between two days, in days since 1970, and what changed an investor's funds in it. */
type Step = { from: number; to: number; before: number; earned: number; paidIn: number; paidOut: number }

/**
 * The return of an investor over the steps between valuations. In each step, money paid in counts from its beginning and
 * money withdrawn until its end, so that neither return counts money that could not earn.
 */
export function returnsOf(valuations: readonly Valuation[]): Returns {
  const steps = stepsOf(valuations)
  const first = steps.findIndex(({ before, paidIn }) => before > 0 || paidIn > 0)
  if (first < 0) return { timeWeighted: null, moneyWeighted: null }
  const owned = steps.slice(first)
  const closing = Number(valuations.at(-1)!.total)
  return {
    timeWeighted: inPercent(timeWeighted(owned)),
    moneyWeighted: inPercent(moneyWeighted(owned, closing)),
  }
}

function stepsOf(valuations: readonly Valuation[]): Step[] {
  return valuations.slice(1).map(({ day, total, earned, paidIn }, place) => {
    const before = valuations[place]!
    const [gained, received] = [earned - before.earned, paidIn - before.paidIn]
    return {
      from: dayNumber(before.day),
      to: dayNumber(day),
      before: Number(before.total),
      earned: Number(gained),
      paidIn: Number(received),
      paidOut: Number(before.total + gained + received - total),
    }
  })
}

/** Chains each step's earnings ÷ the money that could earn them; undefined if some were earned on none. */
function timeWeighted(steps: readonly Step[]): number | undefined {
  let growth = 1
  for (const { before, earned, paidIn } of steps) {
    if (earned === 0) continue
    if (before + paidIn <= 0) return undefined
    growth *= 1 + earned / (before + paidIn)
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
  const [begin, end] = [steps[0]!.from, steps.at(-1)!.to]
  const excess = (rate: number) => {
    const grown = (amount: number, since: number) => amount * (1 + rate) ** ((end - since) / (end - begin))
    return steps.reduce(
      (sum, { from, to, paidIn, paidOut }) => sum + grown(paidIn, from) - grown(paidOut, to),
      grown(steps[0]!.before, begin) - closing,
    )
  }
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
