import { formatUsdJson } from '#shared/money.ts'

/** An amount of the wire, in dollars with two decimals (D-24). */
export function Usd({ value }: { value: number }) {
  return <span className="whitespace-nowrap tabular-nums">{formatUsdJson(value)}</span>
}

/** The same for a `Figure`, which shows its own placeholder while there is nothing yet. */
export function usdOrWait(value: number | undefined): string | undefined {
  return value === undefined ? undefined : formatUsdJson(value)
}
