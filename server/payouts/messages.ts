import { notSynced } from '#server/chain/messages.ts'
import { psbtRefusals } from '#server/rails/bitcoin/messages.ts'
import { holdingsMinutes } from '#shared/limits.ts'
import { utcMinute } from '#shared/moments.ts'
import { defineRefusals, type RefusalOf } from '#shared/refusals.ts'
import { entryWords, type Listing } from '#shared/sanctions.ts'
import type { ReasonLeftOut } from './sweep-rules.ts'

/** Why no batch can pay an amount to an address. */
export const payeeRefusals = defineRefusals({
  ...psbtRefusals.messages,
  address_listed: (listing: Listing) => `The address is ${entryWords(listing)}.`,
  own_payout_address: () => 'This is our own payout address; a payout to it would have no effect.',
  amount_too_small: ({ asset }: { asset: string }) => `This amount is too small to be paid in ${asset}.`,
})
export type PayeeRefusal = RefusalOf<typeof payeeRefusals>
/** @param units of the coin; undefined if not locked yet */
export type PayeeGuard = (address: string, units: bigint | undefined) => PayeeRefusal | null

const manually = 'Pay these withdrawals manually and mark each as paid.'
const leftOut: Record<ReasonLeftOut, string> = {
  dust: 'not worth the fee',
  busy: 'already being moved, or changed since the balances were read',
  refused: 'refused by the contract of the coin',
  unfunded: 'without ether for the fee, which a Safe does not send',
  more: 'with less than the largest ones',
}
const highFee = ({ fee, percent }: { fee: string; percent: string }) =>
  `The network fee of ${fee} is ${percent} % of what this batch pays`

/** Why no batch can be created, exported, signed, cancelled or reviewed, or why a withdrawal cannot be decided because of one. */
export const payoutRefusals = defineRefusals({
  not_synced: notSynced,
  restored: () =>
    'The database was restored to an earlier time, so withdrawals that it shows as open may be paid already. Payouts and declines are paused until the operator has compared the wallet with the books and resumed them (docs/operate.md, "Backing up and restoring").',

  // Coins without batches
  xpub_missing: () => `Batch payouts for Bitcoin need an extended public key (BITCOIN_XPUB). ${manually}`,
  xpub_origin_missing: () =>
    `BITCOIN_XPUB has no origin, so a hardware wallet would not recognise the inputs of a payout as its own. Enter it as wpkh([fingerprint/84h/0h/0h]xpub…/<0;1>/*), as your wallet exports it. ${manually}`,
  payout_address_missing: ({ variable }: { variable: string }) =>
    `No payout address is configured (${variable}). ${manually}`,
  not_monitored: ({ network, variables }: { network: string; variables: string }) =>
    `${network} is not monitored (${variables}), so a payout would not be recognised. ${manually}`,
  usdt_contract_unknown: () =>
    `The USDT contract on this network is unknown (ETHEREUM_USDT_CONTRACT). ${manually}`,

  // Creating a batch
  wrong_wallet: ({ invoice, wallet, needed }: { invoice: string; wallet: string; needed: string }) =>
    `${invoice} is paid in ${wallet}, not in ${needed}.`,
  not_approved: ({ invoice, status }: { invoice: string; status: string }) =>
    `${invoice} is ${status === 'pending' ? 'still pending' : `already ${status}`}. Only approved withdrawals can be paid out.`,
  duplicate_address: ({ address }: { address: string }) =>
    `Two of these withdrawals go to ${address}. A batch can pay an address only once: put one of them into another batch.`,
  already_in_batch: ({ invoice, number }: { invoice: string; number: string }) =>
    `${invoice} is already in batch ${number}.`,
  payee_in_open_batch: ({ address, number }: { address: string; number: string }) =>
    `Batch ${number} pays ${address} in this coin and has not ended. A Safe can execute both batches in one transaction, which proves one payment to an address: leave this withdrawal out until that batch has ended.`,
  unreviewed_alert: ({ invoice, number }: { invoice: string; number: string }) =>
    `A transaction used the place of batch ${number}, which was to pay ${invoice}. Review that batch first: do not pay it twice.`,
  unpayable: ({ invoice, cause }: { invoice: string; cause: PayeeRefusal }) =>
    `No batch can pay ${invoice}. ${payeeRefusals.words(cause)} ${
      cause.reason === 'address_listed'
        ? 'Leave it out, and decline it on its page.'
        : 'Leave it out: decline it on its page, or pay it manually from another wallet.'
    }`,
  high_fee: (fee: { fee: string; percent: string }) =>
    `${highFee(fee)}. Choose a lower fee rate, pay more withdrawals together, or accept this fee.`,
  fee_increased: ({ accepted, ...fee }: { fee: string; percent: string; accepted: string }) =>
    `${highFee(fee)}, but only ${accepted} was accepted. Review the batch again.`,
  no_fee_estimate: ({ network }: { network: string }) =>
    `Our node of ${network} has not said lately what a transaction costs. Try again in a minute; if it stays like this, an operator must look at the node.`,

  // Sweeps
  no_deposit_addresses: ({ variable }: { variable: string }) =>
    `Deposits have no addresses of their own here (${variable}), so there is nothing to move.`,
  no_sweep_address: ({ variable }: { variable: string }) =>
    `No payout address is configured (${variable}), so there is no address to move deposits to.`,
  holdings_unreadable: ({ variable }: { variable: string }) =>
    `No node is configured (${variable}), so we cannot read what the addresses hold.`,
  token_contract_unknown: ({ token }: { token: string }) =>
    `The contract of ${token} on this network is unknown (ETHEREUM_${token}_CONTRACT).`,
  holdings_outdated: () =>
    `The balances are more than ${holdingsMinutes} minutes old. Read them again first.`,
  nothing_to_sweep: ({
    asset,
    left,
  }: {
    asset: string
    left: ReadonlyMap<ReasonLeftOut, { count: number }>
  }) =>
    left.size === 0
      ? `No address holds ${asset}.`
      : `No ${asset} can be moved now. Addresses: ${[...left].map(([why, { count }]) => `${count} ${leftOut[why]}`).join(', ')}.`,
  too_little_for_top_ups: ({ address, needed, has }: { address: string; needed: string; has: string }) =>
    `The payout address ${address} holds ${has}, but ${needed} is needed: the addresses of these deposits cannot pay the network fee themselves. Send some to the payout address, then read the balances again.`,
  former_payout_address: ({ address }: { address: string }) =>
    `This batch moves deposits to ${address}, which is not the payout address. Cancel it, and move them with a new batch.`,
  fee_room_used: ({ address }: { address: string }) =>
    `${address} cannot pay a higher fee: the network asks more than was kept there. Wait until the fee falls, or cancel this batch and create it anew.`,

  // A batch and its file
  ended: ({ status, act }: { status: 'final' | 'void'; act: string }) =>
    status === 'final'
      ? `This batch is paid. It can no longer be ${act}.`
      : `This batch has ended, and its open withdrawals are free for another one. It can no longer be ${act}.`,
  being_cancelled: () => 'This batch is being cancelled: only the file that cancels it can be signed now.',
  signed_already: ({ transactionId }: { transactionId: string }) =>
    `We have transaction ${transactionId} for this payment already. To pay with another fee, raise the fee and sign the new file.`,
  payments_ended: () =>
    'These transactions belong to payments that have ended already. Sign the others of this file, and add those.',
  already_mined: () => 'Every transaction of this batch is in a block already. Wait until it is final.',
  no_higher_fee: () =>
    'TRON has no higher fee for a transaction: it takes it at once, or after a while expires.',
  safe_executor_pays: () =>
    'The person who executes this batch in Safe pays its network fee, and chooses it then. There is no fee to raise here.',
  signed_in_safe: () =>
    'The owners sign this batch in Safe. There is nothing to add here: we recognise it once it is executed.',
  expired: ({ expiredAt }: { expiredAt: Date }) =>
    `The transactions of this file expired at ${utcMinute(expiredAt)}. What they were to move is free for a new batch within minutes.`,
  payee_frozen: ({ invoice }: { invoice: string }) =>
    `The account that ${invoice} pays is frozen. Cancel this batch and pay the other withdrawals in a new one.`,

  payee_listed: ({ invoice, ...listing }: Listing & { invoice: string }) =>
    `The address that ${invoice} pays is ${entryWords(listing)}. Cancel this batch, decline ${invoice}, and pay the other withdrawals in a new one.`,

  // Alerts
  nothing_to_review: () => 'This batch has nothing to review.',
  changed_since: () => 'Something else has happened since. Review the batch again.',

  // Deciding about a withdrawal
  in_open_batch: ({ number }: { number: string }) =>
    `Payout batch ${number} pays this withdrawal. Cancel the batch first; its page says when the withdrawal is free.`,

  // Transactions that no payout explains
  nothing_unexplained: () =>
    'Two people have explained this transaction already, or the network no longer shows it.',
  explanation_changed: () => 'Nobody has explained this transaction, or not in these words. Read it again.',
})
export type PayoutRefusal = RefusalOf<typeof payoutRefusals>
