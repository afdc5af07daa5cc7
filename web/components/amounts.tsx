import { localUsd, localUsdJson } from '#shared/i18n/amounts.ts'
import { t } from '#shared/i18n/t.ts'
import { useAmountsHidden } from './hidden-amounts.ts'

/** A formatted amount, which an investor may hide (styles/amounts.css). */
export function Amount({ children }: { children: string }) {
  return (
    <span className="amount">
      <span>{children}</span>
    </span>
  )
}

/** A wire amount in dollars with two decimals (D-24). */
export function Usd({ value }: { value: number }) {
  return <Amount>{localUsdJson(value)}</Amount>
}

export function Cents({ cents }: { cents: bigint }) {
  return <Amount>{localUsd(cents)}</Amount>
}

/** For a `Figure`: undefined while loading, so that it shows its placeholder. */
export function usdOrWait(value: number | undefined) {
  return value === undefined ? undefined : <Usd value={value} />
}

/** As the languages write them: '$1,000.50' and '1.000,50 $'. */
const amountsInText = /(\u2066?[+-]?\$\d+(?:[.,]\d+)*\u2069?|[+-]?\d+(?:[.,]\d+)*\u00a0\$)/

/** A server text with its amounts marked as such. */
export function AmountsIn({ text }: { text: string }) {
  const parts = text.split(amountsInText)
  // biome-ignore lint/suspicious/noArrayIndexKey: parts of one text, without a state.
  return parts.map((part, at) => (at % 2 === 1 ? <Amount key={at}>{part}</Amount> : part))
}

/** Formats amounts for accessible names; 'hidden' while amounts are hidden. */
export function useAmountWords(): (cents: bigint) => string {
  return useAmountsHidden() ? () => t('hidden', {}, 'in place of an amount') : localUsd
}
