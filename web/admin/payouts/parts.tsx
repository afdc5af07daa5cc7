import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { PayoutBatch, PayoutDetail, PayoutItem } from '#shared/contract/payouts.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { withCommas } from '#shared/money.ts'
import { Amount, Usd } from '#web/components/amounts.tsx'
import { shortDecimal } from '#web/components/crypto.tsx'
import { tr } from '#web/tr.ts'
import { Badge, type Tone } from '#web/ui/badge.tsx'
import { FailedState, Loading } from '#web/ui/states.tsx'

const tones: Record<PayoutBatch['status'], Tone> = {
  drafted: 'wait',
  signed: 'wait',
  broadcast: 'wait',
  final: 'good',
  void: 'plain',
}
const words: Record<PayoutBatch['status'], string> = {
  drafted: msg('To sign'),
  signed: msg('Signed'),
  broadcast: msg('On the network'),
  final: msg('Paid'),
  void: msg('Not paid'),
}
const sweepWords = { ...words, final: msg('Moved'), void: msg('Not moved') }

/** The status of one transaction. */
export function PaymentStatus({ status, purpose }: Pick<PayoutBatch, 'status' | 'purpose'>) {
  return <Badge tone={tones[status]}>{translate((purpose === 'sweep' ? sweepWords : words)[status])}</Badge>
}

/** A batch's status, and its alerts to review. */
export function PayoutStatus({
  batch: { status, purpose, alerts, cancelledAt, endedAt },
}: {
  batch: Pick<PayoutBatch, 'status' | 'purpose' | 'alerts' | 'cancelledAt' | 'endedAt'>
}) {
  return (
    <span className="flex flex-wrap gap-2">
      <PaymentStatus status={status} purpose={purpose} />
      {cancelledAt !== null && endedAt === null && <Badge tone="wait">{t('Being cancelled')}</Badge>}
      {alerts > 0 && <Badge tone="bad">{t('{alerts, number} to review', { alerts })}</Badge>}
    </span>
  )
}

/** The first step of signing a file, for `translate`. */
export const downloadWords = {
  payment: msg('Download the file to sign.'),
  higher_fee: msg('Download the file with the higher fee.'),
  cancellation: msg('Download the file that cancels.'),
} as const

/** An amount of a coin without trailing zeros. */
export function CoinText({ of: { amountCrypto, asset } }: { of: { amountCrypto: string; asset: string } }) {
  return <Amount>{`${withCommas(shortDecimal(amountCrypto))} ${asset}`}</Amount>
}

/** What a batch pays in US dollars; a sweep, which pays nobody, in its coin. */
export function BatchAmount({ of: batch }: { of: PayoutBatch }) {
  return batch.amount === null ? <CoinText of={batch} /> : <Usd value={batch.amount} />
}

type AlertContext = { asset: string; purpose: PayoutBatch['purpose']; bySafe: boolean }

/** What an alert means, and what to do. */
export function alertWords(
  item: Pick<PayoutItem, 'alert' | 'amountCrypto' | 'state'>,
  context: AlertContext,
): ReactNode {
  const { alert, state } = item
  if (alert === null) return undefined
  if (alert.kind === 'dropped') {
    return context.purpose === 'sweep'
      ? t(
          'A reorg removed the block that had this transfer. If it is not confirmed again within an hour, broadcast the same signed transaction.',
        )
      : t(
          'A reorg removed the block that confirmed this payout. The ledger is unchanged. Do not pay again; if it is not confirmed again within an hour, broadcast the same signed transaction.',
        )
  }
  const what = replacementWords(alert, item, context)
  if (alert.reviewed || (context.purpose === 'sweep' && !context.bySafe)) return what
  return (
    <>
      {what} {nextOf(state)}
    </>
  )
}

/** What took the place of a payment. */
function replacementWords(
  alert: NonNullable<PayoutItem['alert']>,
  { amountCrypto }: Pick<PayoutItem, 'amountCrypto'>,
  { asset, purpose, bySafe }: AlertContext,
): ReactNode {
  if (bySafe && asset === 'ETH') {
    return t(
      'The Safe executed another transaction with this nonce. We cannot see what ether it sent: open it in Safe.',
    )
  }
  const coins = (amount: string) => <bdi dir="ltr">{`${withCommas(shortDecimal(amount))} ${asset}`}</bdi>
  const planned = coins(amountCrypto)
  const isNothing = Number(alert.amountCrypto) === 0
  const sent = coins(alert.amountCrypto)
  if (bySafe) {
    return isNothing
      ? tr(
          'The Safe executed another transaction with this nonce. It sends nothing to this address; {planned} were planned.',
          { planned },
        )
      : tr(
          'The Safe executed another transaction with this nonce. It sends {sent} to this address; {planned} were planned.',
          { sent, planned },
        )
  }
  if (purpose === 'sweep') {
    return isNothing
      ? tr(
          'A transaction took the place of this transfer, or the transfer failed. It sends nothing here instead of {planned}. Find out who signed it. If you did not, the key is in other hands.',
          { planned },
        )
      : tr(
          'A transaction took the place of this transfer, or the transfer failed. It sends {sent} here instead of {planned}. Find out who signed it. If you did not, the key is in other hands.',
          { sent, planned },
        )
  }
  return isNothing
    ? tr(
        'Another transaction took the place of this payment. It pays nothing to this address instead of {planned}.',
        { planned },
      )
    : tr(
        'Another transaction took the place of this payment. It pays {sent} to this address instead of {planned}.',
        { sent, planned },
      )
}

/** What staff may do about a payment whose place another transaction has taken. */
function nextOf(state: PayoutItem['state']): string {
  if (state === 'paid') {
    return t(
      'Find out who signed it. The ledger still shows this withdrawal as paid, and no batch can pay it again. Agree with the investor how to send what is missing, and write that down when you mark the alert as reviewed.',
    )
  }
  return state === 'open'
    ? t('Find out who signed it. It is not final, so do not pay this withdrawal another way yet.')
    : t(
        'Find out who signed it. If it has paid the withdrawal, mark that as paid with this transaction’s id. If not, mark the alert as reviewed: then a new batch can pay the withdrawal.',
      )
}

type Fee = NonNullable<PayoutDetail['files'][number]['fee']>

/** '0.00001 BTC, 5 sat/vB': the most that it costs. */
export function feeWords({ amountCrypto, asset, rate }: Fee): ReactNode {
  const amount = <bdi dir="ltr">{`${shortDecimal(amountCrypto)} ${asset}`}</bdi>
  return rate === null
    ? tr('At most {amount}', { amount })
    : tr('{amount}, {rate}', { amount, rate: <bdi dir="ltr">{`${rate} sat/vB`}</bdi> })
}

/** What a dialog shows until the server has calculated its batch. */
export function calculating({
  data,
  isError,
  error,
  refetch,
}: Pick<UseQueryResult<unknown>, 'data' | 'isError' | 'error' | 'refetch'>): ReactNode {
  if (isError) {
    return (
      <FailedState onRetry={() => void refetch()}>
        {error instanceof Error ? error.message : t('The batch could not be calculated.')}
      </FailedState>
    )
  }
  return data === undefined ? <Loading label={t('Calculating the batch')} lines={6} /> : undefined
}
