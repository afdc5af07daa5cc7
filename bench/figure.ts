import { median, type Ratio, ratio } from './measure.ts'

/** A figure of the README: a quotient of two things measured on the same machine at the same time. */
export type Figure = Ratio & {
  name: string
  /** Its required value; null if it is only for information. */
  limit: { atLeast: number } | { atMost: number } | null
  /** The two medians of the quotient. */
  dividend: Measured
  divisor: Measured
}
export type Measured = { what: string; unit: 'per second' | 'milliseconds' | 'kB'; rounds: number[] }

export function figure(name: string, limit: Figure['limit'], dividend: Measured, divisor: Measured): Figure {
  return { name, limit, dividend, divisor, ...ratio(dividend.rounds, divisor.rounds) }
}

export function isMet({ limit, value }: Figure): boolean {
  if (limit === null) return true
  return 'atLeast' in limit ? value >= limit.atLeast : value <= limit.atMost
}

/** `2,345/s`, `1.23 ms` or `98.76 kB` (of a thousand bytes): the median of the rounds. */
export function inWords({ unit, rounds }: Measured): string {
  const value = median(rounds)
  if (unit === 'per second') return `${Math.round(value).toLocaleString('en')}/s`
  return `${value.toFixed(2)} ${unit === 'kB' ? 'kB' : 'ms'}`
}
