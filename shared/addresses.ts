import { sha256 } from '@noble/hashes/sha2.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { type BytesCoder, base58, base58xrp, bech32, bech32m } from '@scure/base'
import type { WithdrawalWallet } from '#shared/coins.ts'
import { t } from '#shared/i18n/t.ts'
import { tokenContracts } from '#shared/token-contracts.ts'

/**
 * Format and checksum of payout addresses (D7). Live mode takes main-net addresses only. A demonstration also takes
 * those of the coins' own test networks, listed at each coin below. Some addresses name no network (Ethereum's 0x…,
 * TRON's T…, Ripple's classic r…): they are valid on both.
 */

/** The network of an address. */
export type Network = 'main' | 'test'
/** The network of a well-formed address; undefined for any other text. */
type Format = (address: string) => Network | undefined

/** No address is longer, and decoding base58 takes quadratic time. */
const longestAddress = 120

/**
 * Why an address cannot be paid in the wallet's coin, as a sentence for the investor; undefined if it can.
 * @param testNetworks true to accept the coin's test networks (demonstration)
 * @param contracts token contracts besides the published ones
 */
export function addressError(
  wallet: WithdrawalWallet,
  address: string,
  { testNetworks, contracts }: { testNetworks: boolean; contracts?: readonly string[] },
): string | undefined {
  const network = addressNetwork(wallet, address)
  const accepted = network === 'main' || (network === 'test' && testNetworks)
  if (!accepted) return t('This is not a valid {wallet} address', { wallet })
  if (isContract(address, contracts))
    return t(
      'This is the address of a token contract: coins sent to it are lost. Enter an address of your own wallet',
    )
  return isZero(address)
    ? t('This is an address without an owner: coins sent to it are lost. Enter an address of your own wallet')
    : undefined
}

/**
 * Why coins sent to a well-formed address would be lost, as the end of a sentence of a log; undefined if nothing is known.
 * @param contracts token contracts of a network without published ones
 */
export function lossReason(address: string, contracts: readonly string[] = []): string | undefined {
  if (isContract(address, contracts)) {
    return 'is the address of a token contract: coins sent to it are lost'
  }
  return isZero(address) ? 'is an address without an owner: coins sent to it are lost' : undefined
}

function isContract(address: string, contracts: readonly string[] = []): boolean {
  const key = addressKey(address)
  return [...tokenContracts, ...contracts].some(contract => addressKey(contract) === key)
}

/** True for a hash of zeros, to which no one has a key. */
function isZero(address: string): boolean {
  if (/^0x0{40}$/.test(address)) return true
  const classic = checkedPayload(base58, address) ?? checkedPayload(base58xrp, address)
  if (classic) return classic.subarray(1).every(byte => byte === 0)
  const cash = cashAddr(address)
  if (cash) return cash.content.subarray(1).every(byte => byte === 0)
  const words = (bech32.decodeUnsafe(address) ?? bech32m.decodeUnsafe(address))?.words
  return words?.slice(1).every(word => word === 0) === true
}

/** Removes spaces and invisible marks from a pasted address. */
export function pastedAddress(text: string): string {
  return text.replaceAll(/[\s\p{Cf}]/gu, '')
}

/**
 * Comparison key of an address: case means nothing in hexadecimal and bech32. The database uses the same rule
 * (app.address_key).
 */
export function addressKey(address: string): string {
  return address.startsWith('0x') || address === address.toUpperCase() ? address.toLowerCase() : address
}

/** The network an address belongs to; undefined if format or checksum are wrong. */
export function addressNetwork(wallet: WithdrawalWallet, address: string): Network | undefined {
  if (address.length > longestAddress) return undefined
  for (const format of formats[wallet]) {
    const network = format(address)
    if (network !== undefined) return network
  }
  return undefined
}

/** Recognises extended keys (SLIP-132) and private keys (WIF) pasted in place of an address. */
export function extendedKeyKind(text: string): 'public' | 'private' | undefined {
  if (text.length > longestAddress) return undefined
  const payload = checkedPayload(base58, text)
  if (payload?.length === 78) return /^[a-zA-Z]prv/.test(text) ? 'private' : 'public'
  const isPrivate =
    payload !== undefined && /^(80|ef)$/.test(payload[0]!.toString(16)) && payload.length >= 33
  return isPrivate || /^(0x)?[\da-fA-F]{64}$/.test(text) ? 'private' : undefined
}

/** Test networks: Bitcoin's testnet, signet and regtest share 6f/c4; `tb` is testnet and signet, `bcrt` regtest. */
const bitcoinBase58 = base58Format(base58, { main: ['00', '05'], test: ['6f', 'c4'] })

const formats: Record<WithdrawalWallet, readonly Format[]> = {
  'Bitcoin (BTC)': [bitcoinBase58, segwitFormat({ main: ['bc'], test: ['tb', 'bcrt'] })],
  // Legacy addresses are Bitcoin's; `bchtest` is testnet, `bchreg` regtest.
  'Bitcoin Cash (BCH)': [bitcoinBase58, cashAddrFormat],
  'Ethereum Classic (ETC)': [ethereumFormat],
  'Ethereum (ETH)': [ethereumFormat],
  // L…, M… and the older 3… of main-net; m/n…, Q… and 2… of testnet; `tltc` is testnet, `rltc` regtest.
  'Litecoin (LTC)': [
    base58Format(base58, { main: ['30', '32', '05'], test: ['6f', '3a', 'c4'] }),
    segwitFormat({ main: ['ltc'], test: ['tltc', 'rltc'] }),
  ],
  // T… of main-net, which Shasta and Nile use as well; 27… of the older test network.
  'USDT TRC-20': [base58Format(base58, { main: ['41'], test: ['a0'] })],
  'USDT ERC-20': [ethereumFormat],
  // Classic r… is the same on every network; an X-address says X… (main) or T… (test), XLS-5d.
  'Ripple Coin (XRP)': [base58Format(base58xrp, { main: ['00'], test: [] }), xAddressFormat],
  // D… and 9/A… of main-net; n… and 2… of testnet, m/n… of regtest.
  'Dogecoin (DOGE)': [base58Format(base58, { main: ['1e', '16'], test: ['71', 'c4', '6f'] })],
}

/** The network whose list holds `key`. */
function networkOf(key: string, lists: Record<Network, readonly string[]>): Network | undefined {
  if (lists.main.includes(key)) return 'main'
  return lists.test.includes(key) ? 'test' : undefined
}

/** The letters of base58; Ripple's alphabet has them in another order. */
const base58Letters = /^[1-9A-HJ-NP-Za-km-z]+$/

/** Payload of a base58 text that ends in the first four bytes of its double SHA-256; undefined if it does not. */
export function checkedPayload(alphabet: BytesCoder, text: string): Uint8Array | undefined {
  if (!base58Letters.test(text)) return undefined
  const bytes = alphabet.decode(text)
  if (bytes.length < 5) return undefined
  const payload = bytes.subarray(0, -4)
  const checksum = sha256(sha256(payload)).subarray(0, 4)
  return checksum.every((byte, index) => byte === bytes[payload.length + index]) ? payload : undefined
}

/** The text of a payload with its checksum: the opposite of `checkedPayload`. */
export function checkedText(alphabet: BytesCoder, payload: Uint8Array): string {
  return alphabet.encode(Uint8Array.of(...payload, ...sha256(sha256(payload)).subarray(0, 4)))
}

/** Base58Check of a version byte and a 20-byte hash; the versions in hex. */
function base58Format(alphabet: BytesCoder, versions: Record<Network, readonly string[]>): Format {
  return address => {
    const payload = checkedPayload(alphabet, address)
    if (payload?.length !== 21) return undefined
    return networkOf(payload[0]!.toString(16).padStart(2, '0'), versions)
  }
}

/** Segregated witness: version 0 in bech32 (BIP-173), versions 1 to 16 in bech32m (BIP-350). */
function segwitFormat(prefixes: Record<Network, readonly string[]>): Format {
  return address => {
    const first = bech32.decodeUnsafe(address)
    const decoded = first ?? bech32m.decodeUnsafe(address)
    const version = decoded?.words[0]
    if (!decoded || version === undefined || version > 16) return undefined
    const program = bech32.fromWordsUnsafe(decoded.words.slice(1))
    if (!program || program.length < 2 || program.length > 40) return undefined
    if ((version === 0) !== (first !== undefined)) return undefined
    if (version === 0 && program.length !== 20 && program.length !== 32) return undefined
    return networkOf(decoded.prefix, prefixes)
  }
}

/** 0x and 40 hex digits; mixed case is a checksum (EIP-55). */
function ethereumFormat(address: string): Network | undefined {
  if (!/^0x[0-9a-fA-F]{40}$/.test(address)) return undefined
  const digits = address.slice(2)
  if (digits === digits.toLowerCase() || digits === digits.toUpperCase()) return 'main'
  return withChecksum(address) === address ? 'main' : undefined
}

/** An address of Ethereum with the checksum of EIP-55. @param address 0x and 40 hexadecimal digits, in any case */
export function withChecksum(address: string): string {
  const lower = address.slice(2).toLowerCase()
  const hash = keccak_256(new TextEncoder().encode(lower))
  const digits = [...lower].map((digit, index) => {
    const nibble = index % 2 === 0 ? hash[index >> 1]! >> 4 : hash[index >> 1]! & 15
    return nibble >= 8 ? digit.toUpperCase() : digit
  })
  return `0x${digits.join('')}`
}

/** An X-address (XLS-5d): two bytes for the network, the account, a flag and a 64-bit tag of which 32 bits are used. */
function xAddressFormat(address: string): Network | undefined {
  const payload = checkedPayload(base58xrp, address)
  if (payload?.length !== 31) return undefined
  const flag = payload[22]!
  const tag = payload.subarray(23)
  if (flag > 1 || tag.subarray(4).some(byte => byte !== 0)) return undefined
  if (flag === 0 && tag.some(byte => byte !== 0)) return undefined
  return networkOf(`${payload[0]},${payload[1]}`, { main: ['5,68'], test: ['4,147'] })
}

const cashAddrCharset = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'
const cashAddrGenerator = [0x98f2bc8e61n, 0x79b76d99e2n, 0xf33e5fb3c4n, 0xae2eabe2a8n, 0x1e4f43e470n]

/** The BCH code over GF(2^5) of the CashAddr specification; 0 for a text with a correct checksum. */
function cashAddrPolymod(values: readonly number[]): bigint {
  let state = 1n
  for (const value of values) {
    const top = state >> 35n
    state = ((state & 0x07ffffffffn) << 5n) ^ BigInt(value)
    for (const [bit, generator] of cashAddrGenerator.entries()) {
      if ((top >> BigInt(bit)) & 1n) state ^= generator
    }
  }
  return state ^ 1n
}

const cashAddrPrefixes = { main: ['bitcoincash'], test: ['bchtest', 'bchreg'] }

/** The parts of a CashAddr with or without its prefix, in one case; undefined if the checksum is wrong. */
export function cashAddr(address: string): { prefix: string; content: Uint8Array } | undefined {
  const text = address.toLowerCase()
  if (address !== text && address !== address.toUpperCase()) return undefined
  const [, given, body = ''] = /^(?:([a-z]+):)?([02-9ac-hj-np-z]{42,61})$/.exec(text) ?? []
  const words = [...body].map(letter => cashAddrCharset.indexOf(letter))
  const known = Object.values(cashAddrPrefixes).flat()
  const prefix = known.find(name => (given ?? name) === name && cashAddrHolds(name, words))
  const content = bech32.fromWordsUnsafe(words.slice(0, -8))
  return prefix !== undefined && content ? { prefix, content } : undefined
}

/**
 * Pay to public key hash (types 0 and 2, 20 bytes) or to script hash (types 1 and 3, 20 or 32 bytes); types 2 and 3 are
 * the token-aware ones of CHIP-2022-02.
 */
function cashAddrFormat(address: string): Network | undefined {
  const parts = cashAddr(address)
  if (parts === undefined) return undefined
  const { prefix, content } = parts
  const hashLength = content.length - 1
  const kind = content[0]! >> 3
  const size = content[0]! & 7
  const fits = (hashLength === 20 && size === 0) || (hashLength === 32 && size === 3 && kind % 2 === 1)
  return kind <= 3 && fits ? networkOf(prefix, cashAddrPrefixes) : undefined
}

function cashAddrHolds(prefix: string, words: readonly number[]): boolean {
  return words.length > 8 && cashAddrPolymod([...lettersOf(prefix), ...words]) === 0n
}

/** The CashAddr of a type byte and a hash, with its prefix. */
export function cashAddrText(prefix: string, content: Uint8Array): string {
  const words = bech32.toWords(content)
  const checksum = cashAddrPolymod([...lettersOf(prefix), ...words, ...Array<number>(8).fill(0)])
  const check = Array.from({ length: 8 }, (_, n) => Number((checksum >> BigInt(5 * (7 - n))) & 31n))
  return `${prefix}:${[...words, ...check].map(word => cashAddrCharset[word]).join('')}`
}

function lettersOf(prefix: string): number[] {
  return [...[...prefix].map(letter => letter.charCodeAt(0) & 31), 0]
}
