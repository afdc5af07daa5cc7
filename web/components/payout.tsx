import type { Withdrawal } from '#shared/contract/entities.ts'
import { localRate } from '#shared/i18n/amounts.ts'
import { t } from '#shared/i18n/t.ts'
import { withCommas } from '#shared/money.ts'
import { sourceWords } from '#shared/price-sources.ts'
import { Amount } from './amounts.tsx'
import { shortDecimal } from './crypto.tsx'
import { When } from './when.tsx'

/** Coin amount, rate and fee of a withdrawal; nothing before the rate lock or after a decline. */
export function payoutEntries({ payout, status }: Pick<Withdrawal, 'payout' | 'status'>) {
  if (payout === null || status === 'declined') return []
  const { asset, amountCrypto, rate, rateAt, rateSource } = payout
  return [
    [t('Coin amount'), <Amount key="coin">{`${withCommas(shortDecimal(amountCrypto))} ${asset}`}</Amount>],
    [t('Rate'), asset === 'USDT' ? t('1 USDT for each dollar') : `1 ${asset} = ${localRate(rate)}`],
    [t('Rate time'), asset === 'USDT' ? null : <When key="rate" at={rateAt} />],
    [t('Rate source'), asset === 'USDT' ? null : rateSource && sourceWords(rateSource)],
    [t('Network fee'), t('Paid by us: you receive the full amount')],
  ] as const
}
