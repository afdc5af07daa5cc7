import { isStablecoin, type WithdrawalWallet } from '#shared/coins.ts'
import { estimateWithdrawal, withdrawalTimes } from '#shared/contract/withdrawals.ts'
import { parseTypedUsd } from '#shared/i18n/amounts.ts'
import { formatDecimal, withCommas } from '#shared/money.ts'
import { useRead } from '#web/api/read.ts'
import { shortDecimal } from '#web/components/crypto.tsx'
import { When } from '#web/components/when.tsx'
import { tr } from '#web/tr.ts'
import { useDebounced } from '#web/ui/use-debounced.ts'
import { timesWords } from './times.ts'

/** An estimate is read again before its rate is stale: then there is none. */
const rereadMs = 60_000

/** About how much of the coin an amount is, by the current rate; nothing without a fresh one. */
export function Estimate({ wallet, text }: { wallet: WithdrawalWallet; text: string }) {
  const cents = parseTypedUsd(useDebounced(text)) ?? 0n
  const amount = cents > 0n ? formatDecimal(cents, 2) : undefined
  const { data, isError } = useRead(
    estimateWithdrawal,
    { query: { wallet, amount: amount ?? '' } },
    { enabled: amount !== undefined, every: rereadMs, keep: true, quiet: true },
  )
  if (!data || isError || amount === undefined) return null
  const { asset, amountCrypto, rate, rateAt, rateSource, lockedAtApproval } = data
  return (
    <p className="-mt-3 text-ink-soft text-sm tabular-nums">
      {tr('About {withCommas} {asset}{value}', {
        withCommas: withCommas(shortDecimal(amountCrypto)),
        asset,
        value: isStablecoin(asset) ? (
          ', one for each dollar.'
        ) : (
          <>
            {' '}
            at the rate of ${rate} (<When at={rateAt} />, {rateSource}).{' '}
            {lockedAtApproval
              ? 'The final rate is locked at approval, or when we prepare the payment.'
              : 'The final rate is that of the payment.'}
          </>
        ),
      })}
    </p>
  )
}

export function ExpectedTime() {
  const { data } = useRead(withdrawalTimes, {}, { quiet: true })
  if (data === undefined) return null
  return <p className="text-ink-soft text-sm">{timesWords(data)}</p>
}
