import { type FormEvent, type ReactNode, useEffect, useState } from 'react'
import type { CallData, CallInput } from '#shared/contract/define.ts'
import { type approveDeposit, previewReceipt } from '#shared/contract/deposits.ts'
import type { Deposit } from '#shared/contract/entities.ts'
import type { FieldErrors } from '#shared/errors.ts'
import { assetDecimals, formatUsd, formatUsdJson, parseDecimal, usdFromJson } from '#shared/money.ts'
import { type Entry, Moved } from '#web/admin/actions/action-dialog.tsx'
import { ApiError, wordsOf } from '#web/api/errors.ts'
import { useRead } from '#web/api/read.ts'
import { shortDecimal } from '#web/components/crypto.tsx'
import { deviationWords } from '#web/components/statuses.tsx'
import { DescriptionList } from '#web/ui/description-list.tsx'
import { Field } from '#web/ui/field.tsx'
import { type Fault, faultAt } from '#web/ui/form.tsx'
import { Input } from '#web/ui/input.tsx'
import { FailedState } from '#web/ui/states.tsx'

export const arrivalFields = ['received', 'arrivedAt', 'rate', 'rateSource', 'transactionId'] as const
type Values = Record<(typeof arrivalFields)[number], string>
type Weight = CallData<typeof previewReceipt>

/** What is taken to have arrived until somebody says otherwise: what its network shows of a short one, else what was asked for. */
function expected({ payment, seen, missing }: Deposit): string {
  return shortDecimal(missing !== null && seen !== null ? seen : payment.amountCrypto)
}

/** In the coin's minor units; undefined where it is no amount of it. */
function unitsOf({ payment }: Deposit, text: string): bigint | undefined {
  const units = parseDecimal(text, assetDecimals[payment.asset])
  return units !== undefined && units > 0n ? units : undefined
}

/** What is wrong with what is said to have arrived; nothing is approved before it is known what that comes to. */
export function arrivalFault(deposit: Deposit, values: Values, { weighing }: Arrival): Fault | undefined {
  const { received, arrivedAt } = values
  if (unitsOf(deposit, received) === undefined) {
    return faultAt('received', `Enter the amount that arrived, in ${deposit.payment.asset}`)
  }
  if (!isMoment(deposit, arrivedAt)) {
    return faultAt('arrivedAt', 'Enter the day and the time at which it arrived')
  }
  return weighing.state === 'failed'
    ? { message: 'It is not known yet what it is credited with', fields: {} }
    : undefined
}

/** Whether when it arrived is said, or need not be. */
function isMoment(deposit: Deposit, arrivedAt: string): boolean {
  return arrivedAt === '' ? !isGivenUp(deposit) : momentOf(arrivedAt) !== undefined
}

/** Nobody waited for it any more: when it came has to be said. */
const isGivenUp = ({ status }: Deposit) => status === 'unpaid' || status === 'declined'

/** What is told to the server: nothing where it came as asked for. */
export function toldBy(deposit: Deposit, values: Partial<Values>): CallInput<typeof approveDeposit>['body'] {
  const { received = '', arrivedAt = '', rate = '', rateSource = '', transactionId = '' } = values
  const at = momentOf(arrivedAt)
  const isAsked = unitsOf(deposit, received) === unitsOf(deposit, deposit.payment.amountCrypto)
  return {
    ...((isAsked && deposit.missing === null) || received === ''
      ? {}
      : { received: received.trim().replaceAll(',', '') }),
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

/** What a field of the browser holds that is not typed to its end: it says '' then, as if nothing was. */
const halfTyped = '…'

type Weighing =
  /** Nothing can be asked yet of what is typed. */
  | { state: 'open' }
  | { state: 'asked' }
  | { state: 'known'; weighed: Weight }
  | { state: 'refused'; fields: FieldErrors }
  | { state: 'failed'; words: string; retry: () => void }

export type Arrival = {
  typed: Partial<Values>
  type: (name: string, value: string) => void
  weighing: Weighing
}

/** What is typed of an arrival, and what the server would credit for it. */
export function useArrival(deposit: Deposit | undefined): Arrival {
  const [typed, setTyped] = useState<Partial<Values>>({})
  return {
    typed,
    type: (name, value) => setTyped(current => ({ ...current, [name]: value })),
    weighing: useWeighing(deposit, typed),
  }
}

type ArrivalProps = {
  deposit: Deposit
  /** What happens where what arrived does not cover the investment that it pays. */
  notCovered: ReactNode
}

/** What has arrived of a payment (D5): preset to what is expected, and what it will be credited with. */
export function ArrivalFields({ deposit, arrival, notCovered }: ArrivalProps & { arrival: Arrival }) {
  const { payment } = deposit
  function input({ target }: FormEvent) {
    const { name, value, validity } = target as HTMLInputElement
    arrival.type(name, validity.badInput ? halfTyped : value)
  }
  return (
    <div className="grid gap-5" onInput={input}>
      <Field name="received" label={`What arrived, in ${payment.asset}`}>
        <Input
          inputMode="decimal"
          autoComplete="off"
          defaultValue={expected(deposit)}
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
      <RateFields deposit={deposit} arrival={arrival} />
      <Field
        name="transactionId"
        label="Transaction id"
        optional
        hint="Of the payment, as an explorer shows it."
      >
        <Input maxLength={200} autoComplete="off" spellCheck={false} />
      </Field>
      <div role="status" className="grid gap-3 border-rule border-y py-3">
        <Weighed deposit={deposit} weighing={arrival.weighing} notCovered={notCovered} />
      </div>
    </div>
  )
}

/** The rate of the moment at which it arrived, where none is on record. */
function RateFields({ deposit, arrival }: { deposit: Deposit; arrival: Arrival }) {
  const { typed, weighing } = arrival
  const refusal = weighing.state === 'refused' ? weighing.fields : undefined
  // For as long as it is the same moment: what is typed into these fields asks again, and must not take them away.
  const [rateless, setRateless] = useState<string>()
  const asksForRate = refusal?.rate !== undefined || refusal?.rateSource !== undefined
  if (asksForRate && rateless !== typed.arrivedAt) setRateless(typed.arrivedAt)
  if (rateless === undefined || rateless !== typed.arrivedAt) return null
  return (
    <>
      <p className="text-sm text-wait">
        {refusal?.rate ?? refusal?.rateSource ?? 'No rate of that moment is on record.'}
      </p>
      <Field name="rate" label={`Rate of that moment: dollars for 1 ${deposit.payment.asset}`}>
        <Input inputMode="decimal" autoComplete="off" className="tabular-nums" />
      </Field>
      <Field name="rateSource" label="Where that rate is from" hint="The investor sees it.">
        <Input maxLength={120} autoComplete="off" />
      </Field>
    </>
  )
}

/** How long somebody who types is waited for, in milliseconds. */
const pauseMs = 250

/** A text once it has been the same for a while. */
function useRested(text: string | undefined): string | undefined {
  const [rested, setRested] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setRested(text), pauseMs)
    return () => clearTimeout(timer)
  }, [text])
  return rested
}

/** What the server would credit for exactly what is typed now; what came as asked for needs no question. */
function useWeighing(deposit: Deposit | undefined, typed: Partial<Values>): Weighing {
  const told = deposit && questionOf(deposit, typed)
  const text = told && JSON.stringify(told)
  const isRested = useRested(text) === text
  const isExact = text === '{}'
  const { data, error, refetch } = useRead(
    previewReceipt,
    { params: { id: deposit?._id ?? '' }, query: told ?? {} },
    { enabled: told !== undefined && !isExact && isRested, quiet: true },
  )
  if (!deposit || !told) return { state: 'open' }
  if (isExact) return { state: 'known', weighed: exactly(deposit) }
  if (data) return { state: 'known', weighed: data }
  if (!error) return { state: 'asked' }
  const fields = error instanceof ApiError ? error.fields : undefined
  return fields
    ? { state: 'refused', fields }
    : { state: 'failed', words: wordsOf(error), retry: () => void refetch() }
}

/** What the server is asked about what is typed; undefined where that is not typed to its end. */
function questionOf(deposit: Deposit, typed: Partial<Values>) {
  const { received = expected(deposit), arrivedAt = '' } = typed
  if (unitsOf(deposit, received) === undefined || !isMoment(deposit, arrivedAt)) return undefined
  const { transactionId: _, ...told } = toldBy(deposit, { ...typed, received }) ?? {}
  return told
}

function exactly(deposit: Deposit): Weight {
  const { amount, payment, status, investment } = deposit
  return {
    credited: amount,
    deviation: null,
    received: payment.amountCrypto,
    rate: payment.rate,
    rateSource: payment.rateSource,
    investment: investment !== null && status === 'pending' ? 'kept' : null,
  }
}

function Weighed({ weighing, ...of }: ArrivalProps & { weighing: Weighing }) {
  if (weighing.state === 'known') return <Outcome {...of} weighed={weighing.weighed} />
  if (weighing.state === 'failed') {
    return <FailedState onRetry={weighing.retry}>{weighing.words}</FailedState>
  }
  const refusal = weighing.state === 'refused' ? weighing.fields : undefined
  return (
    <p className="text-ink-soft text-sm">
      {refusal?.received ?? refusal?.arrivedAt ?? 'What it is credited with depends on what arrived.'}
    </p>
  )
}

function Outcome({ deposit, weighed, notCovered }: ArrivalProps & { weighed: Weight }) {
  const { deviation, rate, rateSource, investment } = weighed
  return (
    <>
      <DescriptionList
        entries={[
          ['How it came', deviation === null ? 'As asked for' : deviationWords[deviation]],
          [
            'Counted at',
            deviation === 'late' && deposit.method !== 'usdt' ? `$${rate}, ${rateSource}` : null,
          ],
          ...moved(deposit, weighed),
        ]}
      />
      {investment === 'declined' && <p className="text-sm text-wait">{notCovered}</p>}
    </>
  )
}

/** Where the money goes. */
function moved({ amount }: Deposit, { credited, investment }: Weight): Entry[] {
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
