import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { PayoutBatch, PayoutDetail, PayoutItem } from '#shared/contract/payouts.ts'
import { t } from '#shared/i18n/t.ts'
import { withCommas } from '#shared/money.ts'
import { Amount, Usd } from '#web/components/amounts.tsx'
import { shortDecimal } from '#web/components/crypto.tsx'
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
  drafted: 'To sign',
  signed: 'Signed',
  broadcast: 'On the network',
  final: 'Paid',
  void: 'Not paid',
}
const sweepWords = { ...words, final: 'Moved', void: 'Not moved' }

/** The status of one transaction. */
export function PaymentStatus({ status, purpose }: Pick<PayoutBatch, 'status' | 'purpose'>) {
  return <Badge tone={tones[status]}>{(purpose === 'sweep' ? sweepWords : words)[status]}</Badge>
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
      {alerts > 0 && <Badge tone="bad">{alerts === 1 ? t('1 to review') : `${alerts} to review`}</Badge>}
    </span>
  )
}

/** The first step of signing a file. */
export const downloadWords = {
  payment: 'Download the file to sign',
  higher_fee: 'Download the file with the higher fee',
  cancellation: 'Download the file that cancels',
} as const

/** An amount of a coin without trailing zeros. */
export function CoinText({ of: { amountCrypto, asset } }: { of: { amountCrypto: string; asset: string } }) {
  return <Amount>{`${withCommas(shortDecimal(amountCrypto))} ${asset}`}</Amount>
}

/** What a batch pays in US dollars; a sweep, which pays nobody, in its coin. */
export function BatchAmount({ of: batch }: { of: PayoutBatch }) {
  return batch.amount === null ? <CoinText of={batch} /> : <Usd value={batch.amount} />
}

/** What an alert means, and what to do. */
export function alertWords(
  { alert, amountCrypto, state }: Pick<PayoutItem, 'alert' | 'amountCrypto' | 'state'>,
  { asset, purpose, bySafe }: { asset: string; purpose: PayoutBatch['purpose']; bySafe: boolean },
): string | undefined {
  if (alert === null) return undefined
  const coins = (amount: string) => `${withCommas(shortDecimal(amount))} ${asset}`
  if (purpose === 'sweep' && alert.kind === 'dropped') {
    return 'A reorg removed the block that had this transfer. If it is not confirmed again within an hour, broadcast the same signed transaction.'
  }
  if (alert.kind === 'dropped') {
    return 'A reorg removed the block that confirmed this payout. The ledger is unchanged. Do not pay again; if it is not confirmed again within an hour, broadcast the same signed transaction.'
  }
  const next = alert.reviewed ? '' : nextOf(state)
  if (bySafe && asset === 'ETH')
    return `The Safe executed another transaction with this nonce. We cannot see what ether it sent: open it in Safe.${next}`
  const sent = Number(alert.amountCrypto) === 0 ? 'nothing' : coins(alert.amountCrypto)
  if (bySafe)
    return `The Safe executed another transaction with this nonce. It sends ${sent} to this address; ${coins(amountCrypto)} were planned.${next}`
  if (purpose === 'sweep') {
    return `A transaction took the place of this transfer, or the transfer failed. It sends ${sent} here instead of ${coins(amountCrypto)}. Find out who signed it. If you did not, the key is in other hands.`
  }
  return `Another transaction took the place of this payment. It pays ${sent} to this address instead of ${coins(amountCrypto)}.${next}`
}

/** What staff may do about a payment whose place another transaction has taken. */
function nextOf(state: PayoutItem['state']): string {
  if (state === 'paid') {
    return ' Find out who signed it. The ledger still shows this withdrawal as paid, and no batch can pay it again. Agree with the investor how to send what is missing, and write that down when you mark the alert as reviewed.'
  }
  return state === 'open'
    ? ' Find out who signed it. It is not final, so do not pay this withdrawal another way yet.'
    : ' Find out who signed it. If it has paid the withdrawal, mark that as paid with this transaction’s id. If not, mark the alert as reviewed: then a new batch can pay the withdrawal.'
}

/** '0.00001 BTC, 5 sat/vB': the most that it costs. */
export function feeWords({
  amountCrypto,
  asset,
  rate,
}: NonNullable<PayoutDetail['files'][number]['fee']>): string {
  const amount = `${shortDecimal(amountCrypto)} ${asset}`
  return rate === null ? `At most ${amount}` : `${amount}, ${rate} sat/vB`
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
