import { t } from './i18n/t.ts'
import { highestFeeRate, lowestFeeRate } from './limits.ts'

/** What a fee rate of Bitcoin must be. */
export function feeRateWords(): string {
  return t('Enter a whole number from {lowest} to {highest}, such as 12', {
    lowest: lowestFeeRate,
    highest: highestFeeRate,
  })
}
