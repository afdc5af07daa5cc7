import { type FormEvent, type ReactNode, useState } from 'react'
import { isStablecoin } from '#shared/coins.ts'
import type { CallData, CallInput } from '#shared/contract/define.ts'
import { type approveDeposit, previewReceipt } from '#shared/contract/deposits.ts'
import type { Deposit } from '#shared/contract/entities.ts'
import type { FieldErrors } from '#shared/errors.ts'
import { localRate, localUsd, localUsdJson, twoMeanings, typedCoins } from '#shared/i18n/amounts.ts'
import { perLanguage } from '#shared/i18n/intl.ts'
import { t, translate } from '#shared/i18n/t.ts'
import { assetDecimals, usdFromJson } from '#shared/money.ts'
import { type Entry, Moved } from '#web/admin/actions/action-dialog.tsx'
import { ApiError, wordsOf } from '#web/api/errors.ts'
import { useRead } from '#web/api/read.ts'
import { shortDecimal } from '#web/components/crypto.tsx'
import { DescriptionList } from '#web/ui/description-list.tsx'
import { Field } from '#web/ui/field.tsx'
import { fieldError, type ValidationError } from '#web/ui/form.tsx'
import { Input } from '#web/ui/input.tsx'
import { FailedState } from '#web/ui/states.tsx'
import { useDebounced } from '#web/ui/use-debounced.ts'
import { deviationWords } from './flags.tsx'
import { rateError, typedAmount, typedRate } from './typed-decimal.ts'

export const receiptFields = ['received', 'arrivedAt', 'rate', 'rateSource', 'transactionId'] as const
type Values = Record<(typeof receiptFields)[number], string>
type CreditPreview = CallData<typeof previewReceipt>

/** The preset amount: what the network shows of an underpaid deposit, else the requested amount. */
function expected({ payment, seen, missing }: Deposit): string {
  return typedCoins(shortDecimal(missing !== null && seen !== null ? seen : payment.amountCrypto))
}

/** As the request has it; undefined if the text is no amount. */
function receivedOf({ payment }: Deposit, text: string): string | undefined {
  return typedAmount(text, assetDecimals[payment.asset])
}

/** Validates the receipt; nothing is approved before the preview is known. */
export function receiptError(
  deposit: Deposit,
  values: Values,
  { preview }: ReceiptForm,
): ValidationError | undefined {
  const { received, arrivedAt, rate = '' } = values
  if (receivedOf(deposit, received) === undefined) {
    return fieldError('received', twoMeanings(received) ?? enterReceived(deposit))
  }
  if (!hasArrivalTime(deposit, arrivedAt)) {
    return fieldError('arrivedAt', t('Enter the date and time of its arrival'))
  }
  const unclear = optionalRateError(rate)
  if (unclear) return unclear
  return preview.state === 'failed' ? { message: t('The credit is not known yet'), fields: {} } : undefined
}

/** The rate is asked for only if none is on record. */
function optionalRateError(rate: string): ValidationError | undefined {
  return rate.trim() === '' ? undefined : rateError(rate)
}

function enterReceived({ payment: { asset } }: Deposit): string {
  return t('Enter the amount received in {coin}, such as {example}', { coin: asset, example: '0.0125' })
}

/** True if the arrival time is valid, or may be omitted. */
function hasArrivalTime(deposit: Deposit, arrivedAt: string): boolean {
  return arrivedAt === '' ? !hasEnded(deposit) : momentOf(arrivedAt) !== undefined
}

/** After its deadline or a decline, the arrival time is required. */
const hasEnded = ({ status }: Deposit) => status === 'unpaid' || status === 'declined'

/** The request body; empty if the payment arrived as requested. */
export function receiptBody(
  deposit: Deposit,
  values: Partial<Values>,
): CallInput<typeof approveDeposit>['body'] {
  const { received = '', arrivedAt = '', rate = '', rateSource = '', transactionId = '' } = values
  const at = momentOf(arrivedAt)
  const isAsked = receivedOf(deposit, received) === shortDecimal(deposit.payment.amountCrypto)
  return {
    ...((isAsked && deposit.missing === null) || received === ''
      ? {}
      : { received: receivedOf(deposit, received) }),
    ...(at === undefined ? {} : { arrivedAt: at }),
    ...(rate.trim() === '' ? {} : { rate: typedRate(rate) }),
    ...(rateSource.trim() === '' ? {} : { rateSource: rateSource.trim() }),
    ...(transactionId.trim() === '' ? {} : { transactionId: transactionId.trim() }),
  }
}

/** Undefined while it is only half typed. */
function momentOf(typed: string): string | undefined {
  const at = new Date(`${typed}Z`)
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString()
}

/** A time for a datetime-local field, in UTC, to the second. */
const second = (at: string | number) => new Date(at).toISOString().slice(0, 19)
const moment = perLanguage(
  ({ dates }) =>
    new Intl.DateTimeFormat(dates, { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'UTC' }),
)

function deadlineHint(deposit: Deposit): string {
  const deadline = `${moment().format(new Date(deposit.payment.expiresAt))} UTC`
  return hasEnded(deposit)
    ? t('The deadline was {deadline}. Later payments count at the rate of their arrival.', { deadline })
    : t('Leave empty if it arrived by {deadline}. Later payments count at the rate of their arrival.', {
        deadline,
      })
}

/** Stands for a partly typed date, which the browser reports as ''. */
const halfTyped = '…'

type PreviewState =
  /** The input is incomplete. */
  | { state: 'open' }
  | { state: 'asked' }
  | { state: 'known'; result: CreditPreview }
  | { state: 'refused'; fields: FieldErrors }
  | { state: 'failed'; words: string; retry: () => void }

export type ReceiptForm = {
  typed: Partial<Values>
  type: (name: string, value: string) => void
  preview: PreviewState
}

/** The receipt as typed, and the server's preview of its credit. */
export function useReceipt(deposit: Deposit | undefined): ReceiptForm {
  const [typed, setTyped] = useState<Partial<Values>>({})
  return {
    typed,
    type: (name, value) => setTyped(current => ({ ...current, [name]: value })),
    preview: usePreview(deposit, typed),
  }
}

type ReceiptProps = {
  deposit: Deposit
  /** Shown if the payment does not cover its investment. */
  notCovered: ReactNode
}

/** The fields of a receipt (D5), preset to the expected payment, and a preview of its credit. */
export function ReceiptFields({ deposit, receipt, notCovered }: ReceiptProps & { receipt: ReceiptForm }) {
  const { payment } = deposit
  function input({ target }: FormEvent) {
    const { name, value, validity } = target as HTMLInputElement
    receipt.type(name, validity.badInput ? halfTyped : value)
  }
  return (
    <div className="grid gap-5" onInput={input}>
      <Field name="received" label={t('Amount received, in {coin}', { coin: payment.asset })}>
        <Input
          inputMode="decimal"
          autoComplete="off"
          defaultValue={expected(deposit)}
          className="tabular-nums"
        />
      </Field>
      <Field
        name="arrivedAt"
        label={t('Arrival time (UTC)')}
        optional={!hasEnded(deposit)}
        hint={deadlineHint(deposit)}
      >
        <Input type="datetime-local" step="1" min={second(deposit.createdAt)} max="2199-12-31T23:59:59" />
      </Field>
      <RateFields deposit={deposit} receipt={receipt} />
      <Field
        name="transactionId"
        label={t('Transaction id')}
        optional
        hint={t('As a block explorer shows it.')}
      >
        <Input dir="ltr" maxLength={200} autoComplete="off" spellCheck={false} />
      </Field>
      <div role="status" className="grid gap-3 border-rule border-y py-3">
        <PreviewText deposit={deposit} preview={receipt.preview} notCovered={notCovered} />
      </div>
    </div>
  )
}

/** Asks for the rate at the arrival time if none is on record. */
function RateFields({ deposit, receipt }: { deposit: Deposit; receipt: ReceiptForm }) {
  const { typed, preview } = receipt
  const refusal = preview.state === 'refused' ? preview.fields : undefined
  // Keep the fields while the arrival time is the same: typing into them refreshes the preview.
  const [rateless, setRateless] = useState<string>()
  const asksForRate = refusal?.rate !== undefined || refusal?.rateSource !== undefined
  if (asksForRate && rateless !== typed.arrivedAt) setRateless(typed.arrivedAt)
  if (rateless === undefined || rateless !== typed.arrivedAt) return null
  return (
    <>
      <p className="text-sm text-wait">
        {refusal?.rate ?? refusal?.rateSource ?? t('No rate is on record for that time.')}
      </p>
      <Field
        name="rate"
        label={t('Rate at that time: dollars for 1 {coin}', { coin: deposit.payment.asset })}
      >
        <Input inputMode="decimal" autoComplete="off" className="tabular-nums" />
      </Field>
      <Field name="rateSource" label={t('Source of the rate')} hint={t('Shown to the investor.')}>
        <Input dir="auto" maxLength={120} autoComplete="off" />
      </Field>
    </>
  )
}

/** The server's preview for the current input; a payment as requested needs no request. */
function usePreview(deposit: Deposit | undefined, typed: Partial<Values>): PreviewState {
  const receipt = deposit && previewQuery(deposit, typed)
  const text = receipt && JSON.stringify(receipt)
  const isDebounced = useDebounced(text) === text
  const isExact = text === '{}'
  const { data, error, refetch } = useRead(
    previewReceipt,
    { params: { id: deposit?._id ?? '' }, query: receipt ?? {} },
    { enabled: receipt !== undefined && !isExact && isDebounced, quiet: true },
  )
  if (!deposit || !receipt) return { state: 'open' }
  if (isExact) return { state: 'known', result: exactly(deposit) }
  if (data) return { state: 'known', result: data }
  if (!error) return { state: 'asked' }
  const fields = error instanceof ApiError ? error.fields : undefined
  return fields
    ? { state: 'refused', fields }
    : { state: 'failed', words: wordsOf(error), retry: () => void refetch() }
}

/** The preview's query; undefined while the input is incomplete. */
function previewQuery(deposit: Deposit, typed: Partial<Values>) {
  const { received = expected(deposit), arrivedAt = '', rate = '' } = typed
  if (receivedOf(deposit, received) === undefined || !hasArrivalTime(deposit, arrivedAt)) return undefined
  if (optionalRateError(rate)) return undefined
  const { transactionId: _, ...receipt } = receiptBody(deposit, { ...typed, received }) ?? {}
  return receipt
}

function exactly(deposit: Deposit): CreditPreview {
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

function PreviewText({ preview, ...of }: ReceiptProps & { preview: PreviewState }) {
  if (preview.state === 'known') return <Outcome {...of} result={preview.result} />
  if (preview.state === 'failed') {
    return <FailedState onRetry={preview.retry}>{preview.words}</FailedState>
  }
  const refusal = preview.state === 'refused' ? preview.fields : undefined
  return (
    <p className="text-ink-soft text-sm">
      {refusal?.received ?? refusal?.arrivedAt ?? t('The credit depends on the payment received.')}
    </p>
  )
}

function Outcome({ deposit, result, notCovered }: ReceiptProps & { result: CreditPreview }) {
  const { deviation, rate, rateSource, investment } = result
  return (
    <>
      <DescriptionList
        entries={[
          [
            t('Deviation'),
            deviation === null ? t('None: as requested') : translate(deviationWords[deviation]),
          ],
          [
            t('Valued at'),
            deviation === 'late' && !isStablecoin(deposit.payment.asset)
              ? t('{rate}, {source}', { rate: localRate(rate), source: rateSource })
              : null,
          ],
          ...moved(deposit, result),
        ]}
      />
      {investment === 'declined' && <p className="text-sm text-wait">{notCovered}</p>}
    </>
  )
}

/** Where the money goes. */
function moved({ amount }: Deposit, { credited, investment }: CreditPreview): Entry[] {
  if (investment !== 'kept') return [[t('To the available balance'), <Moved key="moved" value={credited} />]]
  const beyond = usdFromJson(credited)! - usdFromJson(amount)!
  return [
    [t('Kept for the investment'), <Moved key="moved" value={amount} />],
    [t('To the available balance'), beyond > 0n ? localUsd(beyond) : null],
  ]
}

/** The warning that a payment does not cover its investment. */
export function notCoveredText({ amount }: Deposit): string {
  return t('This does not cover the investment of {amount}.', { amount: localUsdJson(amount) })
}
