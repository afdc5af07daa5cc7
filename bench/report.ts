import { type Figure, inWords, isMet } from './figure.ts'
import { type Machine, machineLine } from './machine.ts'
import { median } from './measure.ts'

/** The figures as a table for people. */
export function table(figures: Figure[], machine: Machine): string {
  const rows = figures.map(figure => [
    `${isMet(figure) ? ' ' : '✗'} ${figure.name}`,
    limitOf(figure),
    rounded(figure.value),
    `${rounded(figure.low)} – ${rounded(figure.high)}`,
    `${inWords(figure.dividend)} ${figure.dividend.what} ÷ ${inWords(figure.divisor)} ${figure.divisor.what}`,
  ])
  const all = [['  figure', 'target', 'value', 'rounds', 'measured'], ...rows]
  const widths = all[0]!.map((_, column) => Math.max(...all.map(row => row[column]!.length)))
  const lines = all.map(row =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  )
  return [...lines, '', `  ${machineLine(machine)}`].join('\n')
}

/** The same for programs: each figure by name, with its parts. */
export function json(figures: Figure[], machine: Machine): string {
  const values = figures.map(({ name, value }) => [name, rounded(value, Number)])
  const details = figures.map(figure => [
    figure.name,
    {
      ...(figure.limit ?? {}),
      met: isMet(figure),
      low: rounded(figure.low, Number),
      high: rounded(figure.high, Number),
      dividend: { ...figure.dividend, median: median(figure.dividend.rounds) },
      divisor: { ...figure.divisor, median: median(figure.divisor.rounds) },
    },
  ])
  return JSON.stringify({ ...Object.fromEntries(values), details: Object.fromEntries(details), machine })
}

function limitOf({ limit }: Figure): string {
  if (limit === null) return ''
  return 'atLeast' in limit ? `≥ ${limit.atLeast}` : `≤ ${limit.atMost}`
}

function rounded(value: number): string
function rounded(value: number, as: typeof Number): number
function rounded(value: number, as?: typeof Number): string | number {
  const text = value.toFixed(2)
  return as ? as(text) : text
}
