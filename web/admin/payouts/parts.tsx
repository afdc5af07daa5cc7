import type { PayoutBatch, PayoutDetail, PayoutItem } from '#shared/contract/payouts.ts'
import { withCommas } from '#shared/money.ts'
import { Amount } from '#web/components/amounts.tsx'
import { shortDecimal } from '#web/components/crypto.tsx'
import { Badge, type Tone } from '#web/ui/badge.tsx'

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

/** The status of one transaction. */
export function PaymentStatus({ status }: Pick<PayoutBatch, 'status'>) {
  return <Badge tone={tones[status]}>{words[status]}</Badge>
}

/** A batch's status, and its alerts to review. */
export function PayoutStatus({
  batch: { status, alerts, cancelledAt, endedAt },
}: {
  batch: Pick<PayoutBatch, 'status' | 'alerts' | 'cancelledAt' | 'endedAt'>
}) {
  return (
    <span className="flex flex-wrap gap-2">
      <PaymentStatus status={status} />
      {cancelledAt !== null && endedAt === null && <Badge tone="wait">Being cancelled</Badge>}
      {alerts > 0 && <Badge tone="bad">{alerts === 1 ? '1 to review' : `${alerts} to review`}</Badge>}
    </span>
  )
}

/** An amount of a coin without trailing zeros. */
export function CoinText({ of: { amountCrypto, asset } }: { of: { amountCrypto: string; asset: string } }) {
  return <Amount>{`${withCommas(shortDecimal(amountCrypto))} ${asset}`}</Amount>
}

/** What an alert means, and what to do. */
export function alertWords(
  { alert, amountCrypto }: Pick<PayoutItem, 'alert' | 'amountCrypto'>,
  { asset }: Pick<PayoutBatch, 'asset'>,
): string | undefined {
  if (alert === null) return undefined
  const coins = (amount: string) => `${withCommas(shortDecimal(amount))} ${asset}`
  if (alert.kind === 'dropped') {
    return 'A reorg removed the block that confirmed this payout. The ledger is unchanged. Do not pay again; if it is not confirmed again within an hour, broadcast the same signed transaction.'
  }
  const sent = Number(alert.amountCrypto) === 0 ? 'nothing' : coins(alert.amountCrypto)
  return `Another transaction took the place of this payment. It pays ${sent} to this address instead of ${coins(amountCrypto)}. Find out who signed it. If it has paid the withdrawal, mark that as paid with its id; if not, the withdrawal can go into a new batch after this review.`
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
