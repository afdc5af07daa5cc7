import { type DepositMethod, isStablecoin, paymentMethods } from '#shared/coins.ts'
import { localUsd } from '#shared/i18n/amounts.ts'
import { t } from '#shared/i18n/t.ts'
import { Countdown, useSecondsUntil } from '#web/components/countdown.tsx'

/** Time left at the locked rate, then what its end means (D5, D-22). */
export function PayUntil({ method, moment }: { method: DepositMethod; moment: string }) {
  const seconds = useSecondsUntil(moment)
  if (seconds === undefined || seconds > 0)
    return <Countdown label={t('Time left to pay')} seconds={seconds ?? 0} />
  const { asset } = paymentMethods[method]
  return isStablecoin(asset)
    ? t('Over. Later payments are still credited at {price} for each {asset}.', {
        price: localUsd(100n),
        asset,
      })
    : t('Over. Later payments are credited at the rate when they arrive.')
}
