import type { WithdrawalWallet } from '#shared/coins.ts'

/**
 * Formats of transaction ids of withdrawals (D7). An id has no checksum: the format tells it from an address or link,
 * not from another transaction.
 */

type Form = { pattern: RegExp; words: string }

/** A 32-byte hash in hex. */
const plainHash: Form = { pattern: /^[0-9a-f]{64}$/i, words: 'It has 64 characters, 0 to 9 and a to f' }
/** The same after 0x, as in Ethereum. */
const prefixedHash: Form = {
  pattern: /^0x[0-9a-f]{64}$/i,
  words: 'It has 64 characters, 0 to 9 and a to f, after 0x',
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
  const { pattern, words } = forms[wallet]
  return pattern.test(id) ? undefined : `This is not a valid ${wallet} transaction id. ${words}.`
}

/** Canonical form of an id: explorers differ in the case of hex digits. */
export function canonicalTransactionId(id: string): string {
  return id.toLowerCase()
}
