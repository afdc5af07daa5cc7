import { type FormEvent, type ReactNode, useEffect, useState } from 'react'
import type { CallData, CallInput } from '#shared/contract/define.ts'
import { type approveDeposit, weighDeposit } from '#shared/contract/deposits.ts'
import type { Deposit } from '#shared/contract/entities.ts'
import { assetDecimals, formatUsd, formatUsdJson, parseDecimal, usdFromJson } from '#shared/money.ts'
import { ApiError } from '#web/api/errors.ts'
import { useRead } from '#web/api/read.ts'
import { shortDecimal } from '#web/components/crypto.tsx'
import { arrivalWords } from '#web/components/statuses.tsx'
import { DescriptionList } from '#web/ui/description-list.tsx'
import { Field } from '#web/ui/field.tsx'
import { type Fault, faultAt } from '#web/ui/form.tsx'
import { Input } from '#web/ui/input.tsx'
import { type Entry, Moved } from './act-dialog.tsx'

export const arrivalFields = ['received', 'arrivedAt', 'rate', 'rateSource', 'transactionId'] as const
type Values = Record<(typeof arrivalFields)[number], string>
type Weighed = CallData<typeof weighDeposit>

/** The amount asked for as a person writes it: no zeros at its end. */
function askedFor({ payment }: Deposit): string {
  return shortDecimal(payment.amountCrypto)
}

/** In the coin's minor units; undefined where it is no amount of it. */
function unitsOf({ payment }: Deposit, text: string): bigint | undefined {
  const units = parseDecimal(text, assetDecimals[payment.asset])
  return units !== undefined && units > 0n ? units : undefined
}

export function arrivalFault(deposit: Deposit, { received, arrivedAt }: Values): Fault | undefined {
  if (unitsOf(deposit, received) === undefined) {
    return faultAt('received', `Enter the amount that arrived, in ${deposit.payment.asset}`)
  }
  if (momentOf(arrivedAt) !== undefined || (arrivedAt === '' && !isGivenUp(deposit))) return undefined
  return faultAt('arrivedAt', 'Enter the day and the time at which it arrived')
}

/** Nothing came in time: when it did has to be said. */
const isGivenUp = ({ status }: Deposit) => status === 'unpaid'

/** What is told to the server: nothing where it came as asked for. */
export function toldBy(deposit: Deposit, values: Partial<Values>): CallInput<typeof approveDeposit>['body'] {
  const { received = '', arrivedAt = '', rate = '', rateSource = '', transactionId = '' } = values
  const at = momentOf(arrivedAt)
  const isAsked = unitsOf(deposit, received) === unitsOf(deposit, askedFor(deposit))
  return {
    ...(isAsked || received === '' ? {} : { received: received.trim().replaceAll(',', '') }),
    ...(at === undefined ? {} : { arrivedAt: at }),
    ...(rate.trim() === '' ? {} : { rate: rate.trim().replaceAll(',', '') }),
    ...(rateSource.trim() === '' ? {} : { rateSource: rateSource.trim() }),
    ...(transactionId.trim() === '' ? {} : { transactionId: transactionId.trim() }),
  }
}

/** Undefined while it is only half typed. */
function momentOf(typed: string): string | undefined {
  const at = new Date(`${typed}Z`)
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString()
}

/** A moment for a field of the browser, in UTC, to the second. */
const second = (at: string | number) => new Date(at).toISOString().slice(0, 19)
const clockOf = (at: string) => second(at).slice(11)

type ArrivalProps = {
  deposit: Deposit
  /** What happens where what arrived does not cover the investment that it pays. */
  notCovered: ReactNode
}

/** What has arrived of a payment (D5): preset to what was asked for, and what it will be credited with. */
export function ArrivalFields({ deposit, notCovered }: ArrivalProps) {
  const { payment } = deposit
  const [typed, setTyped] = useState<Partial<Values>>({ received: askedFor(deposit) })
  const { weighed, refusal } = useWeighed(deposit, typed)
  // For as long as it is the same moment: what is typed into its fields asks again, and must not take them away.
  const [rateless, setRateless] = useState<string>()
  const asksForRate = refusal?.rate !== undefined || refusal?.rateSource !== undefined
  if (asksForRate && rateless !== typed.arrivedAt) setRateless(typed.arrivedAt)
  const needsRate = rateless !== undefined && rateless === typed.arrivedAt
  function input({ target }: FormEvent) {
    const { name, value } = target as HTMLInputElement
    setTyped(current => ({ ...current, [name]: value }))
  }
  return (
    <div className="grid gap-5" onInput={input}>
      <Field name="received" label={`What arrived, in ${payment.asset}`}>
        <Input
          inputMode="decimal"
          autoComplete="off"
          defaultValue={askedFor(deposit)}
          className="tabular-nums"
        />
      </Field>
      <Field
        name="arrivedAt"
        label="When it arrived, in UTC"
        optional={!isGivenUp(deposit)}
        hint={`${isGivenUp(deposit) ? 'In time was until' : 'Left empty: in time, by'} ${clockOf(payment.expiresAt)} UTC. What came later counts at the rate of its arrival.`}
      >
        <Input type="datetime-local" step="1" min={second(deposit.createdAt)} max="2199-12-31T23:59:59" />
      </Field>
      {needsRate && (
        <>
          <p className="text-sm text-wait">
            {refusal?.rate ?? refusal?.rateSource ?? 'No rate of that moment is on record.'}
          </p>
          <Field name="rate" label={`Rate of that moment: dollars for 1 ${payment.asset}`}>
            <Input inputMode="decimal" autoComplete="off" className="tabular-nums" />
          </Field>
          <Field name="rateSource" label="Where that rate is from" hint="The investor sees it.">
            <Input maxLength={120} autoComplete="off" />
          </Field>
        </>
      )}
      <Field
        name="transactionId"
        label="Transaction id"
        optional
        hint="Of the payment, as an explorer shows it."
      >
        <Input maxLength={200} autoComplete="off" spellCheck={false} />
      </Field>
      <div role="status" className="grid gap-3 border-rule border-y py-3">
        {weighed ? (
          <Outcome deposit={deposit} weighed={weighed} notCovered={notCovered} />
        ) : (
          <p className="text-ink-soft text-sm">
            {refusal?.received ?? refusal?.arrivedAt ?? 'What it is credited with depends on what arrived.'}
          </p>
        )}
      </div>
    </div>
  )
}

/** How long somebody who types is waited for, in milliseconds. */
const pauseMs = 250

/** What the server would credit; what came exactly as asked for needs no question. */
function useWeighed(deposit: Deposit, typed: Partial<Values>) {
  const [asked, setAsked] = useState(typed)
  useEffect(() => {
    const timer = setTimeout(() => setAsked(typed), pauseMs)
    return () => clearTimeout(timer)
  }, [typed])
  const { transactionId: _, ...told } = toldBy(deposit, asked) ?? {}
  const isExact = Object.keys(told).length === 0
  const isWhole = !!asked.arrivedAt || !isGivenUp(deposit)
  const isAmount = isWhole && unitsOf(deposit, asked.received ?? '') !== undefined
  const { data, error } = useRead(
    weighDeposit,
    { params: { id: deposit._id }, query: told },
    { enabled: isAmount && !isExact, quiet: true },
  )
  const refusal = error instanceof ApiError ? error.fields : undefined
  if (!isAmount) return { weighed: undefined, refusal: undefined }
  return isExact ? { weighed: exactly(deposit), refusal: undefined } : { weighed: data, refusal }
}

function exactly(deposit: Deposit): Weighed {
  const { amount, payment, status, investment } = deposit
  return {
    credited: amount,
    arrival: null,
    received: payment.amountCrypto,
    rate: payment.rate,
    rateSource: payment.rateSource,
    investment: investment !== null && status === 'pending' ? 'kept' : null,
  }
}

function Outcome({ deposit, weighed, notCovered }: ArrivalProps & { weighed: Weighed }) {
  const { arrival, rate, rateSource, investment } = weighed
  return (
    <>
      <DescriptionList
        entries={[
          ['How it came', arrival === null ? 'As asked for' : arrivalWords[arrival]],
          ['Counted at', arrival === 'late' && deposit.method !== 'usdt' ? `$${rate}, ${rateSource}` : null],
          ...moved(deposit, weighed),
        ]}
      />
      {investment === 'declined' && <p className="text-sm text-wait">{notCovered}</p>}
    </>
  )
}

/** Where the money goes. */
function moved({ amount }: Deposit, { credited, investment }: Weighed): Entry[] {
  if (investment !== 'kept') return [['To the available balance', <Moved key="moved" value={credited} />]]
  const beyond = usdFromJson(credited)! - usdFromJson(amount)!
  return [
    ['Kept for the investment', <Moved key="moved" value={amount} />],
    ['To the available balance', beyond > 0n ? formatUsd(beyond) : null],
  ]
}

/** What an investment is told to be when its payment does not cover it. */
export function tooLittle({ amount }: Deposit): string {
  return `This does not cover the investment of ${formatUsdJson(amount)}.`
}
