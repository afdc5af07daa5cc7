/** One of the things compared. */
export type Contender = {
  /** Preparation of a round, outside its time. */
  prepare?: () => Promise<void>
  /** One round: its amount, per second or in milliseconds. */
  round: () => Promise<number>
}

/**
 * Measures contenders in alternating rounds, so that other load on the machine affects all alike; the order changes
 * each round. A first round warms up and is dropped.
 * @returns each one's rounds, by name
 */
export async function alternate<Name extends string>(
  rounds: number,
  contenders: Record<Name, Contender>,
): Promise<Record<Name, number[]>> {
  const names = Object.keys(contenders) as Name[]
  const results = Object.fromEntries(names.map(name => [name, []])) as unknown as Record<Name, number[]>
  for (let round = 0; round <= rounds; round++) {
    const order = names.map((_, i) => names[(i + round) % names.length]!)
    for (const name of order) {
      await contenders[name].prepare?.()
      const result = await contenders[name].round()
      if (round > 0) results[name].push(result)
    }
  }
  return results
}

/** The quotient of two medians, with the range of the single rounds' quotients. */
export type Ratio = { value: number; low: number; high: number }

export function ratio(dividends: number[], divisors: number[]): Ratio {
  const quotients = dividends.map((dividend, round) => dividend / (divisors[round] ?? Number.NaN))
  return {
    value: median(dividends) / median(divisors),
    low: Math.min(...quotients),
    high: Math.max(...quotients),
  }
}

/** The value below which this share of the ascending values lies. */
export function percentile(ascending: number[], share: number): number {
  return ascending[Math.min(ascending.length - 1, Math.floor(ascending.length * share))] ?? Number.NaN
}

export function median(values: number[]): number {
  const ascending = [...values].sort((a, b) => a - b)
  const middle = ascending.length >> 1
  if (ascending.length % 2 === 1) return ascending[middle] ?? Number.NaN
  return ((ascending[middle - 1] ?? Number.NaN) + (ascending[middle] ?? Number.NaN)) / 2
}
