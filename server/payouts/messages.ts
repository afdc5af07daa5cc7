import { notSynced } from '#server/chain/messages.ts'
import { psbtRefusals } from '#server/rails/bitcoin/messages.ts'
import { utcMinute } from '#shared/moments.ts'
import { defineRefusals, type RefusalOf } from '#shared/refusals.ts'
import type { OutstandingFile } from './exported-files.ts'

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
const onePayment = 'otherwise the withdrawal could be paid twice'
const cancelledFile = ({ number, invoice }: { number: string; invoice: string }) =>
  `The file of cancelled batch ${number}, which pays ${invoice},`
const cancelledNonce = ({ nonce, ...file }: { number: string; invoice: string; nonce: number }) =>
  `${cancelledFile(file)} may still be broadcast with nonce ${nonce}`
const highFee = ({ fee, percent }: { fee: string; percent: string }) =>
  `The network fee of ${fee} is ${percent} % of what this batch pays`

/** Why no batch can be created, exported, reassigned, cancelled or reviewed, or why a withdrawal cannot be decided because of one. */
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
  unreviewed_payment: ({ invoice, number }: { invoice: string; number: string }) =>
    `Batch ${number} was cancelled, but a transaction on the network still pays ${invoice}. Review that batch first: do not pay it twice.`,
  unpayable: ({ invoice, cause }: { invoice: string; cause: PayeeRefusal }) =>
    `No batch can pay ${invoice}. ${payeeRefusals.words(cause)} Leave it out: decline it on its page, or pay it manually from another wallet.`,
  high_fee: (fee: { fee: string; percent: string }) =>
    `${highFee(fee)}. Choose a lower fee rate, pay more withdrawals together, or accept this fee.`,
  fee_increased: ({ accepted, ...fee }: { fee: string; percent: string; accepted: string }) =>
    `${highFee(fee)}, but only ${accepted} was accepted. Review the batch again.`,
  no_shared_output: ({ number }: { number: string }) =>
    `The file of cancelled batch ${number} may still be broadcast, and this batch can spend none of its outputs. Wait until the transaction that spends them is fully confirmed; ${onePayment}.`,
  nonce_of_other_sender: ({
    sender,
    ...file
  }: {
    number: string
    invoice: string
    nonce: number
    sender: string
  }) =>
    `${cancelledNonce(file)}, but payouts are now sent from another address. Send any other transaction from ${sender} with that nonce, and wait until it is fully confirmed.`,
  nonce_reserved: ({
    reservedBy,
    ...file
  }: {
    number: string
    invoice: string
    nonce: number
    reservedBy: string
  }) =>
    `${cancelledNonce(file)}, which batch ${reservedBy} uses now. Wait until that batch is marked as paid; ${onePayment}.`,
  several_nonces: (file: { number: string; invoice: string; nonce: number }) =>
    `${cancelledNonce(file)}, and so may another file with another nonce. Wait until one of them is invalid; ${onePayment}.`,
  nonce_shared: (file: { number: string; invoice: string; nonce: number }) =>
    `${cancelledNonce(file)}, and another of these withdrawals has the same nonce. Put ${file.invoice} into a batch of its own once this one is marked as paid.`,
  file_not_expired: ({ until, ...file }: { number: string; invoice: string; until: Date }) =>
    `${cancelledFile(file)} can be broadcast until ${utcMinute(until)}. Create the new batch after that; ${onePayment}.`,
  file_never_expires: (file: { number: string; invoice: string }) =>
    `${cancelledFile(file)} never expires and may still be broadcast. No new batch can invalidate it: once you are sure that it was not and will not be broadcast, pay ${file.invoice} manually.`,

  // A batch and its file
  not_open: ({ status, act }: { status: string; act: string }) =>
    `This batch is already ${status}. Only open batches can be ${act}.`,
  already_assignee: () =>
    'You are already responsible for this batch. Download its file, sign it and broadcast it.',
  not_assignee: ({ name }: { name: string }) =>
    `${name} is responsible for this batch: only they may sign and broadcast it. Take it over first, once ${name} will not broadcast it.`,
  assignee_must_cancel: ({ name }: { name: string }) =>
    `${name} has downloaded the file of this batch, so only ${name} can confirm that it was not broadcast, and cancel it.`,
  assignee_may_broadcast: ({ name }: { name: string }) =>
    `${name} has downloaded the file of this batch. If two people sign it, it is paid twice. Ask ${name} to broadcast it or to cancel it.`,
  exported_by_other: () =>
    'Another person has downloaded the file of this batch before. If two people sign it, it is paid twice. Cancel this batch and create a new one.',
  already_broadcast: () => 'This batch has already been broadcast: there is nothing left to sign.',
  may_confirm: () =>
    "This batch's transaction has been broadcast and may still confirm. You can cancel once a conflicting transaction is fully confirmed.",
  transfers_unsettled: () =>
    'Transfers of this batch are on the network and not settled yet. Wait until they are marked as paid; you can then cancel the rest.',
  transfers_seen: () =>
    'Transfers of this batch are on the network. Its file can no longer be downloaded, so that nobody sends them twice.',
  transfer_dropped: () =>
    'The network dropped a transfer of this batch. It may still confirm, so you cannot cancel the batch. Rebroadcast the same signed transaction, which pays only once; do not sign another one. Then wait until it is marked as paid.',
  wrong_amount: ({ invoice, sent, due }: { invoice: string; sent: string; due: string }) =>
    `The amount sent for ${invoice} (${sent}) differs from the amount due (${due}). Settle the difference, then mark that withdrawal as paid; you can then cancel the rest.`,
  file_expired: ({ expiredAt }: { expiredAt: Date }) =>
    `The transactions of this file expired at ${utcMinute(expiredAt)}. Cancel the batch and create a new one.`,
  payee_frozen: ({ invoice }: { invoice: string }) =>
    `The account that ${invoice} pays is frozen. Cancel this batch and pay the other withdrawals in a new one.`,

  // Alerts
  nothing_to_review: () => 'This batch has nothing to review.',
  changed_since: () => 'Something else has happened since. Review the batch again.',

  // Deciding about a withdrawal
  paid_by_batch: ({ number }: { number: string }) =>
    `Payout batch ${number} pays this withdrawal, and marks it as paid once its transfer is confirmed. If the batch will not be broadcast, cancel it first.`,
  in_open_batch: ({ number }: { number: string }) =>
    `Payout batch ${number} pays this withdrawal. Cancel it first.`,
  file_may_pay: ({ file }: { file: OutstandingFile }) =>
    `${outstandingFileWords(file)} ${declineAfter(file)}; otherwise the investor could be paid twice.`,
  file_may_be_broadcast: ({ file }: { file: OutstandingFile }) =>
    `${outstandingFileWords(file)} If it was broadcast, this withdrawal is paid twice. Enter the transaction of that file, or confirm that the file was not and will not be broadcast.`,
  file_was_broadcast: ({ file }: { file: OutstandingFile }) =>
    `${outstandingFileWords(file)} Enter that transaction: another one pays this withdrawal twice.`,
})
export type PayoutRefusal = RefusalOf<typeof payoutRefusals>

function declineAfter({ is_shown, until, method }: OutstandingFile): string {
  if (is_shown) return 'Review that batch before declining'
  return until === null && method === 'usdt'
    ? 'This withdrawal cannot be declined'
    : 'Wait until then before declining'
}

/** What may still happen with a file that pays a withdrawal, and what invalidates it. */
export function outstandingFileWords({
  number,
  method,
  sender,
  nonce,
  until,
  seen_transaction: seen,
  is_shown,
}: OutstandingFile): string {
  const file = cancelledFile({ number, invoice: 'this withdrawal' })
  if (is_shown) return `${file} was broadcast: the network shows its transaction ${seen}.`
  const sent = seen === null ? '' : ` The network once showed its transaction ${seen}.`
  if (until !== null) return `${file} can be broadcast until ${utcMinute(until)}.${sent}`
  if (method === 'usdt') return `${file} never expires and may still be broadcast.${sent}`
  const conflicting = nonce === null ? 'that spends one of its outputs' : `using nonce ${nonce} of ${sender}`
  return `${file} may still be broadcast.${sent} It becomes invalid once another transaction ${conflicting} is fully confirmed.`
}
