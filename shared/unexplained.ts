import type { RailName } from './coins.ts'
import { t } from './i18n/t.ts'

/** A transaction of our addresses that no payout explains. */
export type Unexplained = { rail: RailName; bySafe: boolean }

/** Who can have made such transactions if none of us did, and what to do then: a sentence or two for each kind. */
export function unexplainedAdvice(transactions: readonly Unexplained[]): string[] {
  return [...new Set(transactions.map(adviceOf))]
}

function adviceOf({ rail, bySafe }: Unexplained): string {
  if (bySafe)
    return t(
      'Where a Safe executed it, owners of the Safe have signed, or one of its modules has acted. If you do not know them, remove that owner or module in Safe now, and stop payouts.',
    )
  return rail === 'ethereum'
    ? t(
        'If nobody did, look the transaction up in a block explorer. If our address sent it, its key is in other hands: move what is left to a new wallet now, and stop payouts. If another address sent it, it carries an authorization (EIP-7702) of our address: find out who had that signed, and when.',
      )
    : t(
        'If nobody did, a wallet of ours has leaked: its key is in other hands: move what is left to a new wallet now, and stop payouts.',
      )
}
