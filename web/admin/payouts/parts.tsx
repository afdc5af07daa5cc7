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

/** Where a batch stands, and whether something of it is to be looked at. */
export function PayoutStatus({
  batch: { status, alerts },
}: {
  batch: Pick<PayoutBatch, 'status' | 'alerts'>
}) {
  return (
    <span className="flex flex-wrap gap-2">
      <Badge tone={tones[status]}>{words[status]}</Badge>
      {alerts > 0 && <Badge tone="bad">{alerts === 1 ? '1 to look at' : `${alerts} to look at`}</Badge>}
    </span>
  )
}

/** An amount of a coin without the zeros that say nothing. */
export function CoinText({ of: { amountCrypto, asset } }: { of: { amountCrypto: string; asset: string } }) {
  return <Amount>{`${withCommas(shortDecimal(amountCrypto))} ${asset}`}</Amount>
}

/** What an alert means, and what to do. */
export function alertWords(
  { alert, nonce }: Pick<PayoutItem, 'alert' | 'nonce'>,
  { sender }: Pick<PayoutBatch, 'sender'>,
): string | undefined {
  if (alert === null) return undefined
  const came = `${withCommas(shortDecimal(alert.amountCrypto))} ${alert.token}`
  if (alert.kind === 'wrong_amount') {
    return `Another amount came to its address: ${came}. It is not marked as paid. Make up for it, then mark the withdrawal as paid by hand.`
  }
  if (alert.kind === 'dropped') {
    return 'It was paid, and the network has replaced the block: the transaction is in none now. Nothing was taken back. It can still be mined: do not pay it by a new transaction. If it is in no block after an hour, bring the same signed transaction to the network once more, which pays once however often it is sent.'
  }
  if (alert.kind === 'paid_after_cancel' && alert.dropped) {
    return `The batch was cancelled, and ${came} was sent all the same. The network does not show it any more, and it can still be mined: do not pay it again. Bring the same signed transaction to the network once more, or ${exclusion(nonce, sender)}.`
  }
  if (alert.kind === 'paid_twice') {
    return `It was paid twice: ${came} was sent to its address once more. If that was meant for another withdrawal, mark that one as paid by it; otherwise ask for it back.`
  }
  return `The batch was cancelled, and ${came} was sent all the same. Do not pay it again: mark the withdrawal as paid by that transaction.`
}

/** How what was signed is kept from being mined. */
function exclusion(nonce: number | null, sender: string | null): string {
  if (nonce !== null) return `send anything else from the same address with nonce ${nonce}`
  return sender === null ? 'spend one of its outputs by another transaction' : 'wait until it has ended'
}
