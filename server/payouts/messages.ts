import { notSynced } from '#server/chain/messages.ts'
import { psbtRefusals } from '#server/rails/bitcoin/messages.ts'
import { utcMinute } from '#shared/moments.ts'
import { defineRefusals, type RefusalOf } from '#shared/refusals.ts'

/** Why no batch can pay an amount to an address. */
export const payeeRefusals = defineRefusals({
  ...psbtRefusals.messages,
  own_payout_address: () => 'This is our own payout address; a payout to it would have no effect.',
  amount_too_small: ({ asset }: { asset: string }) => `This amount is too small to be paid in ${asset}.`,
})
export type PayeeRefusal = RefusalOf<typeof payeeRefusals>
/** @param units of the coin; undefined if not locked yet */
export type PayeeGuard = (address: string, units: bigint | undefined) => PayeeRefusal | null

const manually = 'Pay these withdrawals manually and mark each as paid.'
const highFee = ({ fee, percent }: { fee: string; percent: string }) =>
  `The network fee of ${fee} is ${percent} % of what this batch pays`

/** Why no batch can be created, exported, signed, cancelled or reviewed, or why a withdrawal cannot be decided because of one. */
export const payoutRefusals = defineRefusals({
  not_synced: notSynced,

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
  unreviewed_alert: ({ invoice, number }: { invoice: string; number: string }) =>
    `A transaction used the place of batch ${number}, which was to pay ${invoice}. Review that batch first: do not pay it twice.`,
  unpayable: ({ invoice, cause }: { invoice: string; cause: PayeeRefusal }) =>
    `No batch can pay ${invoice}. ${payeeRefusals.words(cause)} Leave it out: decline it on its page, or pay it manually from another wallet.`,
  high_fee: (fee: { fee: string; percent: string }) =>
    `${highFee(fee)}. Choose a lower fee rate, pay more withdrawals together, or accept this fee.`,
  fee_increased: ({ accepted, ...fee }: { fee: string; percent: string; accepted: string }) =>
    `${highFee(fee)}, but only ${accepted} was accepted. Review the batch again.`,
  no_fee_estimate: ({ network }: { network: string }) =>
    `Our node of ${network} has not said lately what a transaction costs. Try again in a minute; if it stays like this, an operator must look at the node.`,

  // A batch and its file
  ended: ({ status, act }: { status: 'final' | 'void'; act: string }) =>
    status === 'final'
      ? `This batch is paid. It can no longer be ${act}.`
      : `This batch has ended, and its open withdrawals are free for another one. It can no longer be ${act}.`,
  being_cancelled: () => 'This batch is being cancelled: only the file that cancels it can be signed now.',
  signed_already: ({ transactionId }: { transactionId: string }) =>
    `We have transaction ${transactionId} for this payment already. To pay with another fee, raise the fee and sign the new file.`,
  already_mined: () => 'Every transaction of this batch is in a block already. Wait until it is final.',
  no_higher_fee: () =>
    'TRON has no higher fee for a transaction: it takes it at once, or after a while expires.',
  expired: ({ expiredAt }: { expiredAt: Date }) =>
    `The transactions of this file expired at ${utcMinute(expiredAt)}. Their withdrawals are free for a new batch within minutes.`,
  payee_frozen: ({ invoice }: { invoice: string }) =>
    `The account that ${invoice} pays is frozen. Cancel this batch and pay the other withdrawals in a new one.`,

  // Alerts
  nothing_to_review: () => 'This batch has nothing to review.',
  changed_since: () => 'Something else has happened since. Review the batch again.',

  // Deciding about a withdrawal
  in_open_batch: ({ number }: { number: string }) =>
    `Payout batch ${number} pays this withdrawal. Cancel the batch first; its page says when the withdrawal is free.`,

  // Transactions that no payout explains
  nothing_unexplained: () =>
    'This transaction has an explanation already, or the network no longer shows it.',
})
export type PayoutRefusal = RefusalOf<typeof payoutRefusals>
