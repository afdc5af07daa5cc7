import { assetDecimals, formatDecimal } from '#shared/money.ts'
import { type ReferenceBlock, type TronTransaction, tronTransfer } from './transaction.ts'

/** A payment of a batch, in 10^-6 USDT. */
export type TronPayout = {
  /** The withdrawal's number, which the file repeats. */
  reference: string
  to: string
  units: bigint
}

export type TronBatch = {
  id: string
  createdAt: Date
  /** Expiry of its transactions: at most 24 hours ahead, or nodes refuse them. */
  expiresAt: Date
  /** A solid block. */
  block: ReferenceBlock
  /** For people: 'TRON (TRC-20)'. */
  network: string
  /** The paying address. */
  from: string
  /** The USDT contract on that network. */
  contract: string
  payouts: readonly TronPayout[]
}

/**
 * Unsigned USDT (TRC-20) payments, one transaction each. Only the signature is missing, so signing twice pays once, and nothing is valid
 * after `expiresAt`. `amount` is 10^-6 USDT as a decimal number.
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
    /** For people: recipient and amount in whole USDT. */
    pays: { recipient: string; amount: string; token: 'USDT' }
    transaction: TronTransaction
  }[]
}

/** @throws RangeError for an invalid address, or an amount that is not positive */
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
