import type { Deposit } from '#shared/contract/entities.ts'
import { Badge } from '#web/ui/badge.tsx'

/** Why staff must review a payment. */
const flagWords: Record<Deposit['flags'][number], string> = {
  wrong_asset: 'Wrong coin',
  reversed: 'Reversed by the network',
  debt: 'Reversed after use: debt',
  unsolicited: 'Unsolicited',
  rate_missing: 'No rate for its arrival',
  after_decline: 'Received after it was declined or cancelled',
  large: 'Large: review before crediting',
  manual_credit: 'Received after manual credit',
  by_contract: 'Sent by a contract',
  second_source: 'Not shown by the second source yet',
  listed_sender: 'Sender on a sanctions list: review before crediting',
  daily_limit: 'Beyond the daily limit: review before crediting',
}

export function DepositFlagBadge({ flag }: { flag: Deposit['flags'][number] }) {
  return <Badge tone="bad">{flagWords[flag]}</Badge>
}

/** How a payment deviates from its request. */
export const deviationWords = { underpaid: 'Underpaid', overpaid: 'Overpaid', late: 'Late' } as const
