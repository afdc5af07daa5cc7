import { formatUsd, formatUsdJson } from '#shared/money.ts'
import { useAmountsHidden } from './hidden-amounts.ts'

/** An amount in words that are ready: what an investor may hide (styles/amounts.css). */
export function Amount({ children }: { children: string }) {
  return (
    <span className="amount">
      <span>{children}</span>
    </span>
  )
}

/** An amount of the wire, in dollars with two decimals (D-24). */
export function Usd({ value }: { value: number }) {
  return <Amount>{formatUsdJson(value)}</Amount>
}

/** The same of cents. */
export function Cents({ cents }: { cents: bigint }) {
  return <Amount>{formatUsd(cents)}</Amount>
}

/** The same for a `Figure`, which shows its own placeholder while there is nothing yet. */
export function usdOrWait(value: number | undefined) {
  return value === undefined ? undefined : <Usd value={value} />
}

const amountsInText = /([+-]?\$\d[\d,]*(?:\.\d+)?)/

/** A text of the server's, its amounts as such. */
export function AmountsIn({ text }: { text: string }) {
  const parts = text.split(amountsInText)
  // biome-ignore lint/suspicious/noArrayIndexKey: parts of one text, without a state.
  return parts.map((part, at) => (at % 2 === 1 ? <Amount key={at}>{part}</Amount> : part))
}

/** How an amount is read out where it is part of a name. */
export function useAmountWords(): (cents: bigint) => string {
  return useAmountsHidden() ? () => 'hidden' : formatUsd
}
