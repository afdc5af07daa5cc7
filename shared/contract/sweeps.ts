import { z } from 'zod'
import { sweepWallets } from '#shared/batch-coins.ts'
import { msg, t } from '#shared/i18n/t.ts'
import { defineCall } from './define.ts'
import { cryptoText, optionalReasonBody, timestamp } from './fields.ts'
import { fee, payoutDetail } from './payouts.ts'

/** Sweeps: batches that move deposits from the addresses that investors paid to the payout address. */

const wallet = z.enum(sweepWallets, {
  error: () => t('Choose one of {choices}', { choices: sweepWallets.join(', ') }),
})

export const depositHoldings = defineCall({
  id: 'sweep.holdings',
  method: 'GET',
  path: '/sweep/holdings',
  permission: 'console',
  summary: 'What the addresses of deposits held of each coin when staff last had them read',
  message: msg('Deposits to move'),
  data: z.array(
    z.object({
      wallet,
      asset: z.enum(['ETH', 'USDT', 'USDC']),
      network: z.string(),
      /** Why they cannot be moved, in words for staff, or null. */
      unavailable: z.string().nullable(),
      /** A worker is about to read them. */
      isReading: z.boolean(),
      /** Why the reading that staff last asked for failed, in the node's words, or null. */
      failure: z.string().nullable(),
      /** When a worker last read them. */
      readAt: timestamp.nullable(),
      addresses: z.int(),
      amountCrypto: cryptoText,
    }),
  ),
})

export const readHoldings = defineCall({
  id: 'sweep.read',
  method: 'POST',
  path: '/sweep/read',
  permission: 'decide',
  summary: 'Has a worker read what the addresses of deposits hold, on the network of a coin',
  message: msg('Reading balances'),
  body: optionalReasonBody.extend({ wallet }),
  data: depositHoldings.data,
})

export const previewSweep = defineCall({
  id: 'sweep.preview',
  method: 'GET',
  path: '/sweep/preview',
  permission: 'decide',
  summary: 'Previews a batch that moves the deposits of a coin to the payout address',
  message: msg('Deposits to move'),
  query: z.object({ wallet }),
  data: z.object({
    /** Number of addresses. */
    count: z.int(),
    amountCrypto: cryptoText,
    /** The payout address. */
    to: z.string(),
    /** The most that all its transactions cost; null where the resources of the signing addresses pay. */
    fee: fee.nullable(),
    /** Transactions of the payout address that bring the fees to other addresses, and what they bring. */
    topUps: z.object({ count: z.int(), amount: z.string() }).nullable(),
    /**
     * What stays where it is. dust: moving it costs more than it is worth (on TRON: less than 10 USDT). busy: another batch moves it, or it has changed since the
     * reading. refused: the token or the payout address refuses the transfer. unfunded: the address cannot pay the fee, and the payout address is a
     * Safe, which sends no top-ups. more: for the next batch.
     */
    left: z.array(
      z.object({
        why: z.enum(['dust', 'busy', 'refused', 'unfunded', 'more']),
        count: z.int(),
        amountCrypto: cryptoText,
      }),
    ),
  }),
  refusals: ['wrong_state', 'rate_unavailable'],
})

export const newSweep = defineCall({
  id: 'sweep.new',
  method: 'POST',
  path: '/sweep/new',
  permission: 'decide',
  money: true,
  summary:
    'Creates a batch that moves the deposits of a coin to the payout address: an unsigned file, with the transactions that bring fees to their addresses',
  message: msg('Batch created'),
  body: optionalReasonBody.extend({ wallet }),
  data: payoutDetail,
  refusals: ['wrong_state', 'rate_unavailable'],
})
