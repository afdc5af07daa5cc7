import { notSynced } from '#server/chain/messages.ts'
import { psbtRefusals } from '#server/rails/bitcoin/messages.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { holdingsMinutes } from '#shared/limits.ts'
import { utcMinute } from '#shared/moments.ts'
import { defineRefusals, type RefusalOf } from '#shared/refusals.ts'
import { entryText, type Listing } from '#shared/sanctions.ts'
import type { ReasonLeftOut } from './sweep-rules.ts'

/** Why no batch can pay an amount to an address. */
export const payeeRefusals = defineRefusals({
  ...psbtRefusals.messages,
  address_listed: (listing: Listing) => t('The address is {listed}.', { listed: entryText(listing) }),
  own_payout_address: () => t('This is our own payout address; a payout to it would have no effect.'),
  amount_too_small: ({ asset }: { asset: string }) =>
    t('This amount is too small to be paid in {asset}.', { asset }),
})
export type PayeeRefusal = RefusalOf<typeof payeeRefusals>
/** @param units of the coin; undefined if not locked yet */
export type PayeeGuard = (address: string, units: bigint | undefined) => PayeeRefusal | null

const manually = msg('Pay these withdrawals manually and mark each as paid.')
const leftOut: Record<ReasonLeftOut, (count: number) => string> = {
  dust: count => t('{count} not worth the fee', { count }),
  busy: count => t('{count} already being moved, or changed since the balances were read', { count }),
  refused: count => t('{count} refused by the contract of the coin', { count }),
  unfunded: count => t('{count} without ether for the fee, which a Safe does not send', { count }),
  more: count => t('{count} with less than the largest ones', { count }),
}
/** What can be done with a batch that has not ended. */
export type BatchAct = 'signed' | 'downloaded' | 'cancelled' | 'paid with a higher fee'

/** Why no batch can be created, exported, signed, cancelled or reviewed, or why a withdrawal cannot be decided because of one. */
export const payoutRefusals = defineRefusals({
  not_synced: notSynced,
  restored: () =>
    t(
      'The database was restored to an earlier time, so withdrawals that it shows as open may be paid already. Payouts and declines are paused until the operator has compared the wallet with the books and resumed them (docs/operate.md, "Backing up and restoring").',
    ),

  // Coins without batches
  xpub_missing: () =>
    `${t('Batch payouts for Bitcoin need an extended public key (BITCOIN_XPUB).')} ${translate(manually)}`,
  xpub_origin_missing: () =>
    `${t(
      'BITCOIN_XPUB has no origin, so a hardware wallet would not recognise the inputs of a payout as its own. Enter it as wpkh([fingerprint/84h/0h/0h]xpub…/<0;1>/*), as your wallet exports it.',
    )} ${translate(manually)}`,
  payout_address_missing: ({ variable }: { variable: string }) =>
    `${t('No payout address is configured ({variable}).', { variable })} ${translate(manually)}`,
  not_monitored: ({ network, variables }: { network: string; variables: string }) =>
    `${t('{network} is not monitored ({variables}), so a payout would not be recognised.', { network, variables })} ${translate(manually)}`,
  usdt_contract_unknown: () =>
    `${t('The USDT contract on this network is unknown (ETHEREUM_USDT_CONTRACT).')} ${translate(manually)}`,

  // Creating a batch
  wrong_wallet: ({ invoice, wallet, needed }: { invoice: string; wallet: string; needed: string }) =>
    t('{invoice} is paid in {wallet}, not in {needed}.', { invoice, wallet, needed }),
  not_approved: ({ invoice, status }: { invoice: string; status: string }) =>
    t(
      '{invoice} is {status, select, pending {still pending} paid {already paid} declined {already declined} other {already cancelled}}. Only approved withdrawals can be paid out.',
      { invoice, status },
    ),
  duplicate_address: ({ address }: { address: string }) =>
    t(
      'Two of these withdrawals go to {address}. A batch can pay an address only once: put one of them into another batch.',
      { address },
    ),
  already_in_batch: ({ invoice, number }: { invoice: string; number: string }) =>
    t('{invoice} is already in batch {number}.', { invoice, number }),
  payee_in_open_batch: ({ address, number }: { address: string; number: string }) =>
    t(
      'Batch {number} pays {address} in this coin and has not ended. A Safe can execute both batches in one transaction, which proves one payment to an address: leave this withdrawal out until that batch has ended.',
      { number, address },
    ),
  unreviewed_alert: ({ invoice, number }: { invoice: string; number: string }) =>
    t(
      'A transaction used the place of batch {number}, which was to pay {invoice}. Review that batch first: do not pay it twice.',
      { number, invoice },
    ),
  unpayable: ({ invoice, cause }: { invoice: string; cause: PayeeRefusal }) =>
    cause.reason === 'address_listed'
      ? t('No batch can pay {invoice}. {cause} Leave it out, and decline it on its page.', {
          invoice,
          cause: payeeRefusals.words(cause),
        })
      : t(
          'No batch can pay {invoice}. {cause} Leave it out: decline it on its page, or pay it manually from another wallet.',
          { invoice, cause: payeeRefusals.words(cause) },
        ),
  owner_stopped: ({ invoice, cause }: { invoice: string; cause: string }) =>
    t('No batch can pay {invoice} now. {cause} Or leave it out.', { invoice, cause }),
  high_fee: ({ fee, percent }: { fee: string; percent: string }) =>
    t(
      'The network fee of {fee} is {percent} % of what this batch pays. Choose a lower fee rate, pay more withdrawals together, or accept this fee.',
      { fee, percent },
    ),
  fee_increased: ({ accepted, fee, percent }: { fee: string; percent: string; accepted: string }) =>
    t(
      'The network fee of {fee} is {percent} % of what this batch pays, but only {accepted} was accepted. Review the batch again.',
      { fee, percent, accepted },
    ),
  no_fee_estimate: ({ network }: { network: string }) =>
    t(
      'Our node of {network} has not said lately what a transaction costs. Try again in a minute; if it stays like this, an operator must look at the node.',
      { network },
    ),

  // Sweeps
  no_deposit_addresses: ({ variable }: { variable: string }) =>
    t('Deposits have no addresses of their own here ({variable}), so there is nothing to move.', {
      variable,
    }),
  no_sweep_address: ({ variable }: { variable: string }) =>
    t('No payout address is configured ({variable}), so there is no address to move deposits to.', {
      variable,
    }),
  holdings_unreadable: ({ variable }: { variable: string }) =>
    t('No node is configured ({variable}), so we cannot read what the addresses hold.', { variable }),
  token_contract_unknown: ({ token }: { token: string }) =>
    t('The contract of {token} on this network is unknown (ETHEREUM_{token}_CONTRACT).', { token }),
  holdings_outdated: () =>
    t('The balances are more than {minutes} minutes old. Read them again first.', {
      minutes: holdingsMinutes,
    }),
  nothing_to_sweep: ({
    asset,
    left,
  }: {
    asset: string
    left: ReadonlyMap<ReasonLeftOut, { count: number }>
  }) =>
    left.size === 0
      ? t('No address holds {asset}.', { asset })
      : t('No {asset} can be moved now. Addresses: {reasons}.', {
          asset,
          reasons: [...left].map(([why, { count }]) => leftOut[why](count)).join(', '),
        }),
  too_little_for_top_ups: ({ address, needed, has }: { address: string; needed: string; has: string }) =>
    t(
      'The payout address {address} holds {has}, but {needed} is needed: the addresses of these deposits cannot pay the network fee themselves. Send some to the payout address, then read the balances again.',
      { address, has, needed },
    ),
  former_payout_address: ({ address }: { address: string }) =>
    t(
      'This batch moves deposits to {address}, which is not the payout address. Cancel it, and move them with a new batch.',
      { address },
    ),
  fee_room_used: ({ address }: { address: string }) =>
    t(
      '{address} cannot pay a higher fee: the network asks more than was kept there. Wait until the fee falls, or cancel this batch and create it anew.',
      { address },
    ),

  // A batch and its file
  ended: ({ status, act }: { status: 'final' | 'void'; act: BatchAct }) =>
    status === 'final'
      ? t(
          'This batch is paid. It can no longer be {act, select, signed {signed} downloaded {downloaded} cancelled {cancelled} other {paid with a higher fee}}.',
          { act },
        )
      : t(
          'This batch has ended, and its open withdrawals are free for another one. It can no longer be {act, select, signed {signed} downloaded {downloaded} cancelled {cancelled} other {paid with a higher fee}}.',
          { act },
        ),
  being_cancelled: () => t('This batch is being cancelled: only the file that cancels it can be signed now.'),
  signed_already: ({ transactionId }: { transactionId: string }) =>
    t(
      'We have transaction {transactionId} for this payment already. To pay with another fee, raise the fee and sign the new file.',
      { transactionId },
    ),
  payments_ended: () =>
    t(
      'These transactions belong to payments that have ended already. Sign the others of this file, and add those.',
    ),
  already_mined: () => t('Every transaction of this batch is in a block already. Wait until it is final.'),
  no_higher_fee: () =>
    t('TRON has no higher fee for a transaction: it takes it at once, or after a while expires.'),
  safe_executor_pays: () =>
    t(
      'The person who executes this batch in Safe pays its network fee, and chooses it then. There is no fee to raise here.',
    ),
  signed_in_safe: () =>
    t(
      'The owners sign this batch in Safe. There is nothing to add here: we recognise it once it is executed.',
    ),
  expired: ({ expiredAt }: { expiredAt: Date }) =>
    t(
      'The transactions of this file expired at {time}. What they were to move is free for a new batch within minutes.',
      { time: utcMinute(expiredAt) },
    ),
  payee_stopped: ({ invoice, cause }: { invoice: string; cause: string }) =>
    t(
      'This batch must not pay {invoice} now. {cause} Or cancel this batch, and pay the other withdrawals in a new one.',
      { invoice, cause },
    ),
  payee_frozen: ({ invoice }: { invoice: string }) =>
    t(
      'The account that {invoice} pays is frozen. Cancel this batch and pay the other withdrawals in a new one.',
      { invoice },
    ),

  payee_listed: ({ invoice, ...listing }: Listing & { invoice: string }) =>
    t(
      'The address that {invoice} pays is {listed}. Cancel this batch, decline {invoice}, and pay the other withdrawals in a new one.',
      { invoice, listed: entryText(listing) },
    ),

  // Alerts
  nothing_to_review: () => t('This batch has nothing to review.'),
  changed_since: () => t('Something else has happened since. Review the batch again.'),

  // Deciding about a withdrawal
  in_open_batch: ({ number }: { number: string }) =>
    t(
      'Payout batch {number} pays this withdrawal. Cancel the batch first; its page says when the withdrawal is free.',
      { number },
    ),

  // Transactions that no payout explains
  nothing_unexplained: () =>
    t('Two people have explained this transaction already, or the network no longer shows it.'),
  explanation_changed: () =>
    t('Nobody has explained this transaction, or not in these words. Read it again.'),
})
export type PayoutRefusal = RefusalOf<typeof payoutRefusals>
