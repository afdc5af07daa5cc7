import { feeRateWords, highestFeeRate, lowestFeeRate } from '#shared/limits.ts'
import { Field } from '#web/ui/field.tsx'
import { fieldError, type ValidationError } from '#web/ui/form.tsx'
import { Input } from '#web/ui/input.tsx'

/** Bitcoin's fee rate, filled in with our node's estimate. */
export function FeeRateField({ estimate }: { estimate: number | null }) {
  const range = `a whole number from ${lowestFeeRate} to ${highestFeeRate}`
  return (
    <Field
      name="feeRate"
      label="Fee rate in sat/vB"
      hint={
        estimate === null
          ? `Our node has no estimate: enter ${range}, as your wallet suggests.`
          : `Our node’s estimate for about an hour; you may enter ${range}.`
      }
    >
      <Input inputMode="numeric" autoComplete="off" maxLength={4} defaultValue={estimate ?? ''} />
    </Field>
  )
}

export function feeRateError(typed: string): ValidationError | undefined {
  const rate = Number(typed)
  const isRate = /^\d{1,4}$/.test(typed) && rate >= lowestFeeRate && rate <= highestFeeRate
  return isRate ? undefined : fieldError('feeRate', feeRateWords)
}
