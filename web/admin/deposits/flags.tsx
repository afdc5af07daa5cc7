import type { Deposit } from '#shared/contract/entities.ts'
import { msg, translate } from '#shared/i18n/t.ts'
import { Badge } from '#web/ui/badge.tsx'

/** Why staff must review a payment. */
const flagWords: Record<Deposit['flags'][number], string> = {
  wrong_asset: msg('Wrong coin'),
  reversed: msg('Reversed by the network'),
  debt: msg('Reversed after use: debt'),
  unsolicited: msg('Unsolicited'),
  rate_missing: msg('No rate for its arrival'),
  after_decline: msg('Received after it was declined or cancelled'),
  large: msg('Large: review before crediting'),
  manual_credit: msg('Received after manual credit'),
  by_contract: msg('Sent by a contract'),
  second_source: msg('Not shown by the second source yet'),
  listed_sender: msg('Sender on a sanctions list: review before crediting'),
  daily_limit: msg('Beyond the daily limit: review before crediting'),
}

export function DepositFlagBadge({ flag }: { flag: Deposit['flags'][number] }) {
  return <Badge tone="bad">{translate(flagWords[flag])}</Badge>
}

/** How a payment deviates from its request. */
export const deviationWords = {
  underpaid: msg('Underpaid'),
  overpaid: msg('Overpaid'),
  late: msg('Late'),
} as const
