import { t } from '#shared/i18n/t.ts'
import { highestFeeRate, lowestFeeRate } from '#shared/limits.ts'
import { feeRateWords } from '#shared/payout-fee-rate.ts'
import { Field } from '#web/ui/field.tsx'
import { fieldError, type ValidationError } from '#web/ui/form.tsx'
import { Input } from '#web/ui/input.tsx'

/** Bitcoin's fee rate, filled in with our node's estimate. */
export function FeeRateField({ estimate }: { estimate: number | null }) {
  const range = { lowest: lowestFeeRate, highest: highestFeeRate }
  return (
    <Field
      name="feeRate"
      label={t('Fee rate in sat/vB')}
      hint={
        estimate === null
          ? t(
              'What the network gets for each byte. Our node has no estimate: enter a whole number from {lowest} to {highest}, as your wallet suggests.',
              range,
            )
          : t(
              'What the network gets for each byte. Filled in: our node’s estimate for about an hour. You may enter a whole number from {lowest} to {highest}.',
              range,
            )
      }
    >
      <Input
        inputMode="numeric"
        autoComplete="off"
        maxLength={4}
        defaultValue={estimate ?? ''}
        className="max-w-40"
      />
    </Field>
  )
}

/** @param above the rate that this one must exceed */
export function feeRateError(typed: string, above = 0): ValidationError | undefined {
  const rate = Number(typed)
  const isRate = /^\d{1,4}$/.test(typed) && rate >= lowestFeeRate && rate <= highestFeeRate
  if (!isRate) return fieldError('feeRate', feeRateWords())
  return rate > above
    ? undefined
    : fieldError('feeRate', t('Enter more than {rate}, the fee rate now', { rate: above }))
}
