import { assetDecimals, formatDecimal } from '#shared/money.ts'
import { type ReferenceBlock, type TronTransaction, tronPayment, tronTransfer } from './transaction.ts'

/** A payment of a batch, in 10^-6 USDT or TRX. */
export type TronPayout = {
  /** The withdrawal's number, or the name that a sweep gives its transaction; the file repeats it. */
  reference: string
  /** The paying address. */
  from: string
  to: string
  token: 'USDT' | 'TRX'
  units: bigint
  /** Sweeps: where the wallet finds the signing key (BIP-32). */
  derivationPath?: string | undefined
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
  /** The USDT contract on that network. */
  contract: string
  payouts: readonly TronPayout[]
}

/**
 * Unsigned payments in USDT (TRC-20) or TRX, one transaction each. Only the signature is missing, so signing twice pays once, and nothing
 * is valid after `expiresAt`. `amount` is 10^-6 USDT or TRX as a decimal number.
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
    derivationPath?: string
    /** Of the token; none for TRX. */
    contract?: string
    from: string
    to: string
    amount: string
    /** For people: recipient and amount in whole coins. */
    pays: { recipient: string; amount: string; token: 'USDT' | 'TRX' }
    transaction: TronTransaction
  }[]
}

/** @throws RangeError for an invalid address, or an amount that is not positive */
export function tronPayoutFile({ payouts, contract, block, ...batch }: TronBatch): TronPayoutFile {
  const { createdAt, expiresAt } = batch
  return {
    format: 'probity-tron-payouts',
    version: 2,
    batch: batch.id,
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
    network: batch.network,
    transfers: payouts.map(({ reference, derivationPath, from, to, token, units }) => {
      const payment = { from, to, units, reference: block, createdAt, expiresAt }
      return {
        reference,
        ...(derivationPath === undefined ? {} : { derivationPath }),
        ...(token === 'USDT' ? { contract } : {}),
        from,
        to,
        amount: `${units}`,
        // Both have six decimals.
        pays: { recipient: to, amount: formatDecimal(units, assetDecimals.USDT), token },
        transaction: token === 'USDT' ? tronTransfer({ ...payment, contract }) : tronPayment(payment),
      }
    }),
  }
}
