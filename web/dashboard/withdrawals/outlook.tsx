import { isStablecoin, type WithdrawalWallet } from '#shared/coins.ts'
import { estimateWithdrawal, withdrawalTimes } from '#shared/contract/withdrawals.ts'
import { localRate } from '#shared/i18n/amounts.ts'
import { t } from '#shared/i18n/t.ts'
import { formatDecimal, withCommas } from '#shared/money.ts'
import { sourceWords } from '#shared/price-sources.ts'
import { useRead } from '#web/api/read.ts'
import { shortDecimal } from '#web/components/crypto.tsx'
import { When } from '#web/components/when.tsx'
import { tr } from '#web/tr.ts'
import { useDebounced } from '#web/ui/use-debounced.ts'
import { timesWords } from './times.ts'

/** An estimate is read again before its rate is stale: then there is none. */
const rereadMs = 60_000

/** About how much of the coin an amount is, by the current rate; nothing without a fresh one. */
export function Estimate({ wallet, cents = 0n }: { wallet: WithdrawalWallet; cents: bigint | undefined }) {
  const amount = useDebounced(cents > 0n ? formatDecimal(cents, 2) : undefined)
  const { data, isError } = useRead(
    estimateWithdrawal,
    { query: { wallet, amount: amount ?? '' } },
    { enabled: amount !== undefined, every: rereadMs, keep: true, quiet: true },
  )
  if (!data || isError || amount === undefined) return null
  const { asset, amountCrypto, rate, rateAt, rateSource, lockedAtApproval } = data
  const coins = <bdi dir="ltr">{`${withCommas(shortDecimal(amountCrypto))} ${asset}`}</bdi>
  return (
    <p className="-mt-3 text-ink-soft text-sm tabular-nums">
      {isStablecoin(asset) ? (
        tr('About {amount}, one for each dollar.', { amount: coins })
      ) : (
        <>
          {tr('About {amount} at the rate of {rate} ({time}, {source}).', {
            amount: coins,
            rate: localRate(rate),
            time: <When at={rateAt} />,
            source: sourceWords(rateSource),
          })}{' '}
          {lockedAtApproval
            ? t('The final rate is locked at approval, or when we prepare the payment.')
            : t('The final rate is that of the payment.')}
        </>
      )}
    </p>
  )
}

export function ExpectedTime() {
  const { data } = useRead(withdrawalTimes, {}, { quiet: true })
  if (data === undefined) return null
  return <p className="text-ink-soft text-sm">{timesWords(data)}</p>
}
