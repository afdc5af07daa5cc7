import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, concatBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { bech32, bech32m, createBase58check } from '@scure/base'
import { HARDENED_OFFSET } from '@scure/bip32'
import { p2tr, p2wpkh } from '@scure/btc-signer'
import { sortedMultisig } from '@scure/btc-signer/payment.js'
import {
  type AccountKey,
  AccountKeyError,
  type AccountScript,
  accountName,
  childKey,
  parseAccountKey,
  parseSharedKeys,
  type SharedKeys,
} from '#server/rails/hd.ts'
import type { BitcoinNetwork } from './networks.ts'

/** An account with P2WPKH (BIP-84) or P2TR (BIP-86) addresses, or of several signers with P2WSH (BIP-48). */
export type BitcoinAccount = {
  /** One, or those of all signers. */
  readonly keys: readonly AccountKey[]
  readonly script: AccountScript | 'wsh'
  /** How many of them sign a payout. */
  readonly threshold: number
  readonly network: BitcoinNetwork
  /** Stable (`accountName`). */
  readonly name: string
}

/** Branches below an account (BIP-44). */
export const branches = { receiving: 0, change: 1 } as const

/** The keys of `bitcoinAccount`, of any network. @throws AccountKeyError */
export function bitcoinKeys(text: string): SharedKeys {
  return isShared(text) ? parseSharedKeys(text) : { threshold: 1, keys: [parseAccountKey(text)] }
}

function isShared(text: string): boolean {
  return /^\s*wsh\(/.test(text)
}

/**
 * @param text an extended public key or a descriptor (`parseAccountKey`, `parseSharedKeys`); without a kind of address, P2WPKH
 * @throws AccountKeyError also for another network's key, or an account of another kind of address
 */
export function bitcoinAccount(text: string, network: BitcoinNetwork): BitcoinAccount {
  const { threshold, keys } = bitcoinKeys(text)
  const [key] = keys as [AccountKey]
  if (key.network !== network.keys) {
    const form = network.keys === 'main' ? 'an xpub or zpub' : 'a tpub or vpub'
    throw new AccountKeyError(`must be ${form}: it is of another network than ${network.name}`)
  }
  if (isShared(text)) return { keys, threshold, script: 'wsh', network, name: sharedName(threshold, keys) }
  const purpose = (key.origin?.path[0] ?? 0) - HARDENED_OFFSET
  if (purpose === 44 || purpose === 49)
    throw new AccountKeyError(
      `is of an account for older addresses (${purpose}h): export the native segwit (84h) or taproot (86h) one, or its wallet will not find the payments`,
    )
  const script = key.script ?? 'wpkh'
  return { keys, threshold, script, network, name: accountName(key, script) }
}

/** As `accountName`: the order of the keys makes no other addresses (BIP-67). */
function sharedName(threshold: number, keys: readonly AccountKey[]): string {
  const names = keys.map(key => accountName(key, 'wsh')).sort()
  return bytesToHex(sha256(utf8ToBytes(`${threshold}:${names.join(':')}`))).slice(0, 16)
}

/**
 * @param branch of `branches`
 * @param index from 0, below 2^31
 */
export function addressAt(account: BitcoinAccount, branch: number, index: number): string {
  return addressOfScript(outputScript(account, branch, index), account.network)!
}

/** The output script of this address of the account. */
export function outputScript(account: BitcoinAccount, branch: number, index: number): Uint8Array {
  if (account.script === 'wsh') return sharedOutput(account, branch, index).script
  const publicKey = childKey(account.keys[0]!, branch, index)
  return account.script === 'tr' ? p2tr(publicKey.slice(1)).script : p2wpkh(publicKey).script
}

/** P2WSH of the signers' keys in the order of their bytes (BIP-67), with the script that signers need. */
export function sharedOutput({ keys, threshold }: BitcoinAccount, branch: number, index: number) {
  const publicKeys = keys.map(key => childKey(key, branch, index))
  const { script, witnessScript } = sortedMultisig(threshold, publicKeys, true)
  return { script, witnessScript: witnessScript! }
}

const base58check = createBase58check(sha256)

/**
 * The address that an output script pays (key hash, script hash or segregated witness); undefined for any other script.
 */
export function addressOfScript(script: Uint8Array, network: BitcoinNetwork): string | undefined {
  const hash = hashOf(script)
  if (hash) return base58check.encode(concatBytes(Uint8Array.of(network[hash.kind]), hash.bytes))
  const witness = witnessOf(script)
  if (!witness) return undefined
  const coder = witness.version === 0 ? bech32 : bech32m
  return coder.encode(network.bech32, [witness.version, ...coder.toWords(witness.program)])
}

/** The output script of an address; undefined if it is none of the network. */
export function scriptOfAddress(address: string, network: BitcoinNetwork): Uint8Array | undefined {
  return witnessScript(address, network) ?? hashScript(address, network)
}

/** Pay to the hash of a key (`OP_DUP OP_HASH160 <20> OP_EQUALVERIFY OP_CHECKSIG`) or of a script (BIP-16). */
function hashOf(script: Uint8Array): { kind: 'pubKeyHash' | 'scriptHash'; bytes: Uint8Array } | undefined {
  const [a, b, c] = script
  if (
    script.length === 25 &&
    a === 0x76 &&
    b === 0xa9 &&
    c === 20 &&
    script[23] === 0x88 &&
    script[24] === 0xac
  )
    return { kind: 'pubKeyHash', bytes: script.subarray(3, 23) }
  if (script.length === 23 && a === 0xa9 && b === 20 && script[22] === 0x87)
    return { kind: 'scriptHash', bytes: script.subarray(2, 22) }
  return undefined
}

/** `OP_0` or `OP_1` to `OP_16`, and a program of 2 to 40 bytes (BIP-141); a program of version 0 has 20 or 32. */
function witnessOf(script: Uint8Array): { version: number; program: Uint8Array } | undefined {
  const [opcode = 0xff, length] = script
  if (script.length < 4 || script.length > 42 || length !== script.length - 2) return undefined
  const version = opcode === 0 ? 0 : opcode - 0x50
  const isVersion = version === 0 ? length === 20 || length === 32 : version >= 1 && version <= 16
  return isVersion ? { version, program: script.subarray(2) } : undefined
}

/** Version 0 in bech32 (BIP-173), 1 to 16 in bech32m (BIP-350). */
function witnessScript(address: string, network: BitcoinNetwork): Uint8Array | undefined {
  const first = bech32.decodeUnsafe(address)
  const decoded = first ?? bech32m.decodeUnsafe(address)
  const version = decoded?.words[0]
  if (!decoded || decoded.prefix !== network.bech32 || version === undefined) return undefined
  if ((version === 0) !== (first !== undefined)) return undefined
  const program = bech32.fromWordsUnsafe(decoded.words.slice(1))
  if (!program) return undefined
  const script = concatBytes(Uint8Array.of(version === 0 ? 0 : version + 0x50, program.length), program)
  return witnessOf(script) && script
}

/** The longest base58 address; decoding takes quadratic time. */
const longestBase58 = 36

function hashScript(address: string, network: BitcoinNetwork): Uint8Array | undefined {
  if (address.length > longestBase58) return undefined
  let bytes: Uint8Array
  try {
    bytes = base58check.decode(address)
  } catch {
    return undefined
  }
  const hash = bytes.subarray(1)
  if (hash.length !== 20) return undefined
  if (bytes[0] === network.pubKeyHash)
    return concatBytes(Uint8Array.of(0x76, 0xa9, 20), hash, Uint8Array.of(0x88, 0xac))
  if (bytes[0] === network.scriptHash) return concatBytes(Uint8Array.of(0xa9, 20), hash, Uint8Array.of(0x87))
  return undefined
}
