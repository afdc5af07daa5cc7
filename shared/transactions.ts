import type { WithdrawalWallet } from '#shared/coins.ts'

/**
 * The form of the id of a transaction that pays a withdrawal (D7). An id has no checksum: the form tells a real one from
 * an address, a link or an empty phrase, not from another transaction. Test networks use the same forms.
 */

type Form = { pattern: RegExp; words: string }

/** A hash of 32 bytes in hex, in either case. */
const plainHash: Form = { pattern: /^[0-9a-f]{64}$/i, words: 'It has 64 characters, 0 to 9 and a to f' }
/** The same behind 0x, as everything of Ethereum's kind is written. */
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

/** Why a text cannot be the id of a transaction in the wallet's coin, as the admin reads it; undefined when it can. */
export function transactionFault(wallet: WithdrawalWallet, id: string): string | undefined {
  const { pattern, words } = forms[wallet]
  return pattern.test(id) ? undefined : `This is not a valid ${wallet} transaction id. ${words}.`
}

/** An id in the one way in which it is kept: the case of hex digits means nothing, but explorers write them differently. */
export function canonicalTransactionId(id: string): string {
  return id.toLowerCase()
}
