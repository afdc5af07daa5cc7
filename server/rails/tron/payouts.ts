import { assetDecimals, formatDecimal } from '#shared/money.ts'
import { type ReferenceBlock, type TronTransaction, tronTransfer } from './transaction.ts'

/** One payment of a batch, in 10^-6 USDT. */
export type TronPayout = {
  /** The payer's own name of it, which the file repeats. */
  reference: string
  to: string
  units: bigint
}

export type TronBatch = {
  id: string
  createdAt: Date
  /** When none of its transactions can be sent any more: at most 24 hours away, or nodes refuse them. */
  expiresAt: Date
  /** A block that is not replaced any more. */
  block: ReferenceBlock
  /** For people: 'TRON (TRC-20)'. */
  network: string
  /** The address that pays. */
  from: string
  /** USDT's contract on that network. */
  contract: string
  payouts: readonly TronPayout[]
}

/**
 * Payments in USDT (TRC-20) to be signed elsewhere, one transaction each. Each transaction is whole but for its signature: signed twice it
 * is still one, and after `expiresAt` it is none. `amount` is 10^-6 USDT as a decimal number.
 */
export type TronPayoutFile = {
  format: 'probity-tron-payouts'
  version: 2
  batch: string
  createdAt: string
  expiresAt: string
  network: string
  transfers: {
    reference: string
    contract: string
    from: string
    to: string
    amount: string
    /** For people: who gets how much, in whole USDT. */
    pays: { recipient: string; amount: string; token: 'USDT' }
    transaction: TronTransaction
  }[]
}

/** @throws RangeError where an address is none, or an amount is not positive */
export function tronPayoutFile({ payouts, contract, from, block, ...batch }: TronBatch): TronPayoutFile {
  const { createdAt, expiresAt } = batch
  return {
    format: 'probity-tron-payouts',
    version: 2,
    batch: batch.id,
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
    network: batch.network,
    transfers: payouts.map(({ reference, to, units }) => ({
      reference,
      contract,
      from,
      to,
      amount: `${units}`,
      pays: { recipient: to, amount: formatDecimal(units, assetDecimals.USDT), token: 'USDT' },
      transaction: tronTransfer({ contract, from, to, units, reference: block, createdAt, expiresAt }),
    })),
  }
}
