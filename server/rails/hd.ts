import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { createBase58check } from '@scure/base'
import { HARDENED_OFFSET, HDKey } from '@scure/bip32'
import { extendedKeyKind, type Network } from '#shared/addresses.ts'

/**
 * Extended public keys of an account, from which addresses are derived without a private key (BIP-32). Accepted as
 * wallets export them: `xpub…` and `tpub…` (BIP-32), `zpub…` and `vpub…` (SLIP-132), with or without origin
 * (`[fingerprint/path]xpub…`, BIP-380), or in a descriptor `wpkh(…)` (BIP-382) or `tr(…)` (BIP-386).
 */
export type AccountKey = {
  readonly network: Network
  /** The kind of address that its form implies; undefined for a plain xpub or tpub. */
  readonly script: AccountScript | undefined
  /** Its origin in the wallet, by which a hardware wallet knows its keys; undefined if it was exported without. */
  readonly origin: KeyOrigin | undefined
  readonly key: HDKey
}

/** P2WPKH (BIP-84) and P2TR by key (BIP-86), by their descriptors' names. */
export type AccountScript = 'wpkh' | 'tr'

/** Fingerprint of the wallet's root and the path from there; a hardened step has 2^31 added (BIP-32). */
export type KeyOrigin = { readonly fingerprint: number; readonly path: readonly number[] }

/**
 * Why a text is no account's key, as the text after the variable's name. It never repeats the input, which may be a
 * private key.
 */
export class AccountKeyError extends Error {}

/** @throws AccountKeyError */
export function parseAccountKey(text: string): AccountKey {
  const given = text.trim()
  refusePrivate(given)
  const { script: described, expression } = withoutFunction(given)
  const parts = /^(?:\[([^\]]*)\])?([1-9A-HJ-NP-Za-km-z]+)(\/.*)?$/.exec(expression)
  if (!parts) throw new AccountKeyError('is neither an extended public key nor a descriptor of one')
  const [, originText, extended = '', steps = ''] = parts
  checkSteps(steps, { required: described !== undefined })
  const { network, script: versioned, key } = parseExtended(extended)
  const origin = originText === undefined ? undefined : parseOrigin(originText, key)
  checkDepth(key)
  const scripts = [described, versioned, purposeScript(origin)].filter(script => script !== undefined)
  if (new Set(scripts).size > 1)
    throw new AccountKeyError(
      'says two kinds of addresses at once: wpkh(…), zpub and 84h are one, tr(…) and 86h another',
    )
  return { network, script: scripts[0], origin, key }
}

/** An account whose payouts several people sign: the keys of all, and how many of them have to. */
export type SharedKeys = { readonly threshold: number; readonly keys: readonly AccountKey[] }

/** Signers of one output script (BIP-383 allows 20; a script has room for 15 within the rules of relay). */
const MOST_SIGNERS = 15

/**
 * Reads `wsh(sortedmulti(k,[fingerprint/path]xpub…/<0;1>/*,…))#checksum` (BIP-380, BIP-383). Origins and checksum are required: nothing
 * else would notice a mistyped number, and coins at other addresses are lost.
 * @throws AccountKeyError
 */
export function parseSharedKeys(text: string): SharedKeys {
  const given = text.trim()
  refusePrivate(given)
  const [, k = '', list = '', checksum] =
    /^wsh\(sortedmulti\((\d{1,2}),([^()]+)\)\)(?:#(.*))?$/s.exec(given) ?? []
  if (list === '')
    throw new AccountKeyError(
      'must be wsh(sortedmulti(k,key,key,…))#checksum: no other shared account is supported',
    )
  if (checksum === undefined)
    throw new AccountKeyError('needs its checksum (BIP-380), eight letters after a #')
  checkChecksum(given, checksum)
  const keys = list.split(',').map(parseSignerKey)
  const threshold = Number(k)
  if (keys.length < 2 || keys.length > MOST_SIGNERS || threshold < 1 || threshold > keys.length)
    throw new AccountKeyError(`must name 2 to ${MOST_SIGNERS} keys, and how many of them sign`)
  if (new Set(keys.map(({ network }) => network)).size > 1)
    throw new AccountKeyError('has keys of different networks')
  if (new Set(keys.map(({ key }) => bytesToHex(key.publicKey!))).size < keys.length)
    throw new AccountKeyError('has the same key twice')
  return { threshold, keys }
}

/** A signer's key of a shared account, such as that of 48h/0h/0h/2h (BIP-48). */
function parseSignerKey(expression: string): AccountKey {
  const parts = /^\[([^\]]*)\]([1-9A-HJ-NP-Za-km-z]+)(\/.*)?$/.exec(expression)
  if (!parts) throw new AccountKeyError('must have each key as [fingerprint/path]xpub…/<0;1>/*')
  const [, origin = '', extended = '', steps = ''] = parts
  checkSteps(steps, { required: true })
  const { network, script, key } = parseExtended(extended)
  if (script !== undefined) throw new AccountKeyError('must have its keys as xpub… or tpub…')
  if (key.depth === 0 || key.depth > 4 || key.index < HARDENED_OFFSET)
    throw new AccountKeyError('has a key that is not an account’s (such as 48h/0h/0h/2h)')
  return { network, script, key, origin: parseOrigin(origin, key) }
}

/**
 * The public key of one address: two steps below the account's, not hardened (BIP-44).
 * @param branch 0 for receiving, 1 for change
 * @param index from 0, below 2^31
 * @returns 33 bytes, compressed
 */
export function childKey({ key }: Pick<AccountKey, 'key'>, branch: number, index: number): Uint8Array {
  for (const step of [branch, index])
    if (!Number.isInteger(step) || step < 0 || step >= HARDENED_OFFSET)
      throw new RangeError(`a step below an account's key is from 0 to 2^31 - 1, not ${step}`)
  const child = key.deriveChild(branch).deriveChild(index)
  // BIP-32 skips the one index in 2^127 that has no key; addresses must not shift.
  if (child.index !== index) throw new RangeError(`there is no key at index ${index}`)
  return child.publicKey!
}

/**
 * The short stable name of an account. It depends on the key and on the kind of address, not on the form of the export.
 * @param addresses the kind of address, such as 'wpkh' or 'ethereum'
 * @returns 16 hexadecimal digits
 */
export function accountName(
  { network, key }: Pick<AccountKey, 'network' | 'key'>,
  addresses: string,
): string {
  const parts = [addresses, network, bytesToHex(key.chainCode!), bytesToHex(key.publicKey!)]
  return bytesToHex(sha256(new TextEncoder().encode(parts.join(':')))).slice(0, 16)
}

/** Also a mistyped key, or one inside another text: it must not appear in a log. */
function refusePrivate(text: string): void {
  const words = text.split(/\s+/)
  const isSeed = words.length >= 12 && words.every(word => /^[a-z]+$/.test(word))
  const isExtended = /(^|[^1-9A-HJ-NP-Za-km-z])[a-zA-Z]prv[1-9A-HJ-NP-Za-km-z]/.test(text)
  const isSingle = text.split(/[^0-9A-Za-z]/).some(part => extendedKeyKind(part) === 'private')
  if (isSeed || isExtended || isSingle) throw new AccountKeyError(privateKey)
}

const privateKey = 'is a private key. This server must never have one; move its funds at once'

/** The content of a descriptor's brackets, or the whole text if it is none. */
function withoutFunction(text: string): { script: AccountScript | undefined; expression: string } {
  const parts = /^([a-z_]+)\((.*)\)(?:#(.*))?$/s.exec(text)
  if (!parts) return { script: undefined, expression: text }
  const [, name, expression = '', checksum] = parts
  if (checksum !== undefined) checkChecksum(text, checksum)
  if (name !== 'wpkh' && name !== 'tr')
    throw new AccountKeyError(
      'must be a descriptor wpkh(…) or tr(…): other kinds of addresses are not supported',
    )
  if (/[(),{}]/.test(expression))
    throw new AccountKeyError('must be a descriptor of one key, without any script: wpkh(key) or tr(key)')
  return { script: name, expression }
}

function checkChecksum(text: string, checksum: string): void {
  if (checksum !== descriptorChecksum(text.slice(0, text.lastIndexOf('#'))))
    throw new AccountKeyError('has a wrong checksum (BIP-380): a character is missing or mistyped')
}

/** `/<0;1>/*` (BIP-389), or `/0/*`, as wallets export the receiving half; nothing after a plain key. */
function checkSteps(steps: string, { required }: { required: boolean }): void {
  if (steps === '/<0;1>/*' || steps === '/0/*' || (steps === '' && !required)) return
  if (/[hH']/.test(steps))
    throw new AccountKeyError('has a hardened step after its key, which only the private key can take')
  throw new AccountKeyError('must end in /<0;1>/* after its key: receiving addresses at 0, change at 1')
}

const base58check = createBase58check(sha256)

/** Version bytes of accounts' keys in BIP-32 and SLIP-132. */
const versions = new Map<number, Pick<AccountKey, 'network' | 'script'>>([
  [0x04_88_b2_1e, { network: 'main', script: undefined }],
  [0x04_35_87_cf, { network: 'test', script: undefined }],
  [0x04_b2_47_46, { network: 'main', script: 'wpkh' }],
  [0x04_5f_1c_f6, { network: 'test', script: 'wpkh' }],
])

/** ypub, upub (P2SH-P2WPKH) and Ypub, Zpub, Upub, Vpub (several signers) of SLIP-132. */
const otherVersions = [
  0x04_9d_7c_b2, 0x04_4a_52_62, 0x02_95_b4_3f, 0x02_aa_7e_d3, 0x02_42_89_ef, 0x02_57_54_83,
]

/** The 78 bytes of BIP-32: version, depth, parent's fingerprint, index, chain code, key. */
function parseExtended(text: string): Pick<AccountKey, 'network' | 'script' | 'key'> {
  const bytes = decoded(text)
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  const version = view.getUint32(0)
  if (otherVersions.includes(version))
    throw new AccountKeyError(
      'is the key of nested (ypub) or shared (Zpub) addresses, which are not supported: export the native segwit or taproot account of one signer',
    )
  // Also an xpub with a private key inside: BIP-32 writes a zero before private keys.
  if (view.getUint8(45) === 0) throw new AccountKeyError(privateKey)
  const form = versions.get(version)
  if (!form)
    throw new AccountKeyError('must be an xpub, zpub, tpub or vpub, or a descriptor of an xpub or tpub')
  try {
    const key = new HDKey({
      depth: view.getUint8(4),
      parentFingerprint: view.getUint32(5),
      index: view.getUint32(9),
      chainCode: bytes.slice(13, 45),
      publicKey: bytes.slice(45),
    })
    return { ...form, key }
  } catch {
    throw new AccountKeyError('is an invalid extended key (BIP-32)')
  }
}

/** Longer texts are no extended key; base58 decoding takes quadratic time. */
const longestKey = 120

function decoded(text: string): Uint8Array {
  try {
    if (text.length <= longestKey) {
      const bytes = base58check.decode(text)
      if (bytes.length === 78) return bytes
    }
  } catch {}
  throw new AccountKeyError('is an incomplete or mistyped extended public key')
}

/** BIP-44's account is the third hardened step; some wallets use an earlier one, none a step that is not hardened. */
function checkDepth({ depth, index }: HDKey): void {
  if (depth === 0)
    throw new AccountKeyError('is the key of a whole wallet: export that of one account (such as 84h/0h/0h)')
  if (depth > 3 || index < HARDENED_OFFSET)
    throw new AccountKeyError('is the key of one branch or address: export that of the account above it')
}

/** @param key must agree with its origin: hardware wallets do not sign payouts with a wrong one */
function parseOrigin(text: string, key: HDKey): KeyOrigin {
  const parts = /^([\da-fA-F]{8})((?:\/\d{1,10}[hH']?)*)$/.exec(text)
  const [, root = '', steps = ''] = parts ?? []
  const path = steps.split('/').slice(1).map(parseStep)
  if (!parts || path.some(step => step >= 2 * HARDENED_OFFSET))
    throw new AccountKeyError('has an origin that is not of the form [fingerprint/84h/0h/0h]')
  const fingerprint = Number.parseInt(root, 16)
  const agrees = path.length === key.depth && (key.depth !== 1 || key.parentFingerprint === fingerprint)
  if (!agrees || (path.at(-1) ?? 0) !== key.index)
    throw new AccountKeyError('has an origin that contradicts the depth or number in its key')
  return { fingerprint, path }
}

function parseStep(text: string): number {
  const number = Number.parseInt(text, 10)
  if (number >= HARDENED_OFFSET) return Number.POSITIVE_INFINITY
  return /\d$/.test(text) ? number : number + HARDENED_OFFSET
}

/** The kind of address by the path's first step (BIP-43): 84h for BIP-84, 86h for BIP-86. */
function purposeScript(origin: KeyOrigin | undefined): AccountScript | undefined {
  const purpose = (origin?.path[0] ?? 0) - HARDENED_OFFSET
  return purpose === 84 ? 'wpkh' : purpose === 86 ? 'tr' : undefined
}

const descriptorLetters =
  '0123456789()[],\'/*abcdefgh@:$%{}IJKLMNOPQRSTUVWXYZ&+-.;<=>?!^_|~ijklmnopqrstuvwxyzABCDEFGH`#"\\ '
const checksumLetters = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'
const checksumGenerator = [0xf5dee51989n, 0xa9fdca3312n, 0x1bab10e32dn, 0x3706b1677an, 0x644d626ffdn]

/** The checksum, eight letters after a descriptor's '#' (BIP-380); undefined for a character outside its alphabet. */
export function descriptorChecksum(expression: string): string | undefined {
  const symbols: number[] = []
  let group = 0
  const values = [...expression].map(letter => descriptorLetters.indexOf(letter))
  if (values.includes(-1)) return undefined
  for (const [at, value] of values.entries()) {
    symbols.push(value & 31)
    group = group * 3 + (value >> 5)
    if (at % 3 !== 2 && at !== values.length - 1) continue
    symbols.push(group)
    group = 0
  }
  let state = 1n
  for (const symbol of [...symbols, 0, 0, 0, 0, 0, 0, 0, 0]) {
    const top = state >> 35n
    state = ((state & 0x7ffffffffn) << 5n) ^ BigInt(symbol)
    for (const [bit, generator] of checksumGenerator.entries())
      if ((top >> BigInt(bit)) & 1n) state ^= generator
  }
  const checksum = state ^ 1n
  return Array.from(
    { length: 8 },
    (_, at) => checksumLetters[Number((checksum >> BigInt(35 - 5 * at)) & 31n)],
  ).join('')
}
