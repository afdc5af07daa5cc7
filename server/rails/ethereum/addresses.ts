import { ECDH } from 'node:crypto'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { HARDENED_OFFSET } from '@scure/bip32'
import { type AccountKey, AccountKeyError, childKey, parseAccountKey } from '#server/rails/hd.ts'
import { withChecksum } from '#shared/addresses.ts'

/**
 * The account's 20 bytes on Ethereum and TRON: the end of the Keccak-256 hash of its public key (Yellow Paper, 4.1).
 * @param publicKey on secp256k1, compressed or not
 */
export function accountHash(publicKey: Uint8Array): Uint8Array {
  const point = ECDH.convertKey(publicKey, 'secp256k1', undefined, undefined, 'uncompressed') as Buffer
  return keccak_256(point.subarray(1)).subarray(-20)
}

/**
 * The account's extended public key (m/44'/60'/0' of BIP-44), as a wallet exports it.
 * @throws AccountKeyError with the text for after the variable's name
 */
export function parseEthereumAccount(text: string): AccountKey {
  return accountOfCoin(text, 60, 'Ethereum')
}

/** The address at 0/index below an account, with the checksum of EIP-55. */
export function ethereumAddressAt(account: AccountKey, index: number): string {
  return withChecksum(`0x${bytesToHex(accountHash(childKey(account, 0, index)))}`)
}

/**
 * The account's key of a coin with one kind of address. Refuses a key that names another coin: its wallet would not see
 * the payments.
 * @param coinType the coin's number (SLIP-44)
 */
export function accountOfCoin(text: string, coinType: number, coin: string): AccountKey {
  const account = parseAccountKey(text)
  if (account.script !== undefined)
    throw new AccountKeyError(`is a key of Bitcoin's addresses, not of ${coin}'s`)
  const type = account.origin?.path[1]
  if (type !== undefined && type !== HARDENED_OFFSET + coinType)
    throw new AccountKeyError(`has the origin of another coin: that of ${coin} is 44h/${coinType}h/0h`)
  return account
}
