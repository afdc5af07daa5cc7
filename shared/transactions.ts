import type { WithdrawalWallet } from '#shared/coins.ts'
import { t } from '#shared/i18n/t.ts'

/**
 * Formats of transaction ids of withdrawals (D7). An id has no checksum: the format tells it from an address or link,
 * not from another transaction.
 */

type Form = { pattern: RegExp; isPrefixed: boolean }

/** A 32-byte hash in hex. */
const plainHash: Form = { pattern: /^[0-9a-f]{64}$/i, isPrefixed: false }
/** The same after 0x, as in Ethereum. */
const prefixedHash: Form = {
  pattern: /^0x[0-9a-f]{64}$/i,
  isPrefixed: true,
}

const forms: Record<WithdrawalWallet, Form> = {
  'Bitcoin (BTC)': plainHash,
  'Bitcoin Cash (BCH)': plainHash,
  'Ethereum Classic (ETC)': prefixedHash,
  'Ethereum (ETH)': prefixedHash,
  'Litecoin (LTC)': plainHash,
  'USDT TRC-20': plainHash,
  'USDT ERC-20': prefixedHash,
  'Ripple Coin (XRP)': plainHash,
  'Dogecoin (DOGE)': plainHash,
}

/** Error for an invalid transaction id of the wallet's coin. */
export function transactionIdError(wallet: WithdrawalWallet, id: string): string | undefined {
  const { pattern, isPrefixed } = forms[wallet]
  if (pattern.test(id)) return undefined
  return isPrefixed
    ? t('This is not a valid {wallet} transaction id. It has 64 characters, 0 to 9 and a to f, after 0x.', {
        wallet,
      })
    : t('This is not a valid {wallet} transaction id. It has 64 characters, 0 to 9 and a to f.', { wallet })
}

/** Canonical form of an id: explorers differ in the case of hex digits. */
export function canonicalTransactionId(id: string): string {
  return id.toLowerCase()
}
