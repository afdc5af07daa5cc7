import { sha256 } from '@noble/hashes/sha2.js'
import { createBase58check } from '@scure/base'
import { accountHash, accountOfCoin } from '#server/rails/ethereum/addresses.ts'
import { type AccountKey, childKey } from '#server/rails/hd.ts'

const base58check = createBase58check(sha256)

/** The first byte of every TRON address, on all its networks. */
const PREFIX = 0x41

/**
 * The account's extended public key (m/44'/195'/0' of BIP-44), as a wallet exports it.
 * @throws AccountKeyError with the text for after the variable's name
 */
export function parseTronAccount(text: string): AccountKey {
  return accountOfCoin(text, 195, 'TRON')
}

/** The address at 0/index below an account, T…. */
export function tronAddressAt(account: AccountKey, index: number): string {
  return tronAddress(accountHash(childKey(account, 0, index)))
}

/**
 * The same 20 bytes as an Ethereum address, after the byte 41, in Base58Check (TRON's protocol, "Accounts").
 * @param hash the 20 bytes of an account or a contract
 */
export function tronAddress(hash: Uint8Array): string {
  return base58check.encode(Uint8Array.of(PREFIX, ...hash))
}

/**
 * The 20 bytes of an address.
 * @throws RangeError for any other text
 */
export function tronHash(address: string): Uint8Array {
  const bytes = decoded(address)
  if (bytes?.length !== 21 || bytes[0] !== PREFIX) throw new RangeError(`${address} is no address of TRON`)
  return bytes.subarray(1)
}

function decoded(address: string): Uint8Array | undefined {
  try {
    return base58check.decode(address)
  } catch {
    return undefined
  }
}
