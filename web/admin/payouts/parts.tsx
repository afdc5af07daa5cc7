import type { PayoutBatch, PayoutItem } from '#shared/contract/payouts.ts'
import { withCommas } from '#shared/money.ts'
import { Amount } from '#web/components/amounts.tsx'
import { shortDecimal } from '#web/components/crypto.tsx'
import { Badge, type Tone } from '#web/ui/badge.tsx'

const tones: Record<PayoutBatch['status'], Tone> = {
  open: 'wait',
  seen: 'wait',
  paid: 'good',
  cancelled: 'plain',
}
const words: Record<PayoutBatch['status'], string> = {
  open: 'Open',
  seen: 'On the network',
  paid: 'Paid',
  cancelled: 'Cancelled',
}

/** A batch's status, and its alerts to review. */
export function PayoutStatus({
  batch: { status, alerts },
}: {
  batch: Pick<PayoutBatch, 'status' | 'alerts'>
}) {
  return (
    <span className="flex flex-wrap gap-2">
      <Badge tone={tones[status]}>{words[status]}</Badge>
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
  { alert, nonce, amountCrypto }: Pick<PayoutItem, 'alert' | 'nonce' | 'amountCrypto'>,
  { sender, asset }: Pick<PayoutBatch, 'sender' | 'asset'>,
): string | undefined {
  if (alert === null) return undefined
  const sent = `${withCommas(shortDecimal(alert.amountCrypto))} ${alert.token}`
  if (alert.kind === 'wrong_amount') {
    const due = `${withCommas(shortDecimal(amountCrypto))} ${asset}`
    return `The amount sent (${sent}) differs from the amount due (${due}). Settle the difference, then mark it as paid.`
  }
  if (alert.kind === 'dropped') {
    return 'A reorg removed the block that confirmed this payout. The ledger is unchanged. Do not pay again; if it is not re-confirmed within an hour, rebroadcast the same signed transaction.'
  }
  if (alert.kind === 'paid_after_cancel' && alert.dropped) {
    return `The batch was cancelled, but ${sent} was broadcast. The network no longer shows that transaction, but it may still confirm: do not pay again. Rebroadcast the same signed transaction, or ${invalidation(nonce, sender)}.`
  }
  if (alert.kind === 'paid_twice') {
    return `Paid twice: another ${sent} was sent to this address. If it was meant for another withdrawal, mark that one as paid with it; otherwise ask the investor to return it.`
  }
  return `The batch was cancelled, but ${sent} was broadcast. Do not pay again: mark the withdrawal as paid with that transaction.`
}

/** How to invalidate the signed transaction. */
function invalidation(nonce: number | null, sender: string | null): string {
  if (nonce !== null) return `send any other transaction from the same address with nonce ${nonce}`
  return sender === null ? 'spend one of its inputs in another transaction' : 'wait until it expires'
}
