// @ts-check
import { fromBase58Check } from './bitcoin-address.mjs'
import { concat, equal, hex, utf8 } from './bytes.mjs'
import { Invalid } from './errors.mjs'
import { keccak256 } from './keccak.mjs'
import { recoverKey } from './secp256k1.mjs'

/** Messages signed by the key of an account of Ethereum (EIP-191) or TRON (TIP-191). Pure. */

/** @typedef {import('./bytes.mjs').Hashes} Hashes */

const SIGNATURE = /^0x([0-9a-f]{64})([0-9a-f]{64})(00|01|1b|1c)$/
/** The first byte of every address of TRON. */
const TRON_PREFIX = 0x41

/**
 * The 20 bytes of the account whose key has signed.
 * @param {string} network as the signed text names it
 * @param {string} message
 * @param {string} signature
 * @throws {Invalid}
 */
function signer(network, message, signature) {
  const [, r = '', s = '', v = ''] = SIGNATURE.exec(signature) ?? []
  if (v === '') throw new Invalid('the signature is not 65 bytes in lower-case hexadecimal, after 0x')
  const text = utf8(message)
  const digest = keccak256(concat(utf8(`\x19${network} Signed Message:\n${text.length}`), text))
  const isOdd = v === '01' || v === '1c'
  return keccak256(recoverKey({ r: BigInt(`0x${r}`), s: BigInt(`0x${s}`), isOdd }, digest)).subarray(12)
}

/**
 * EIP-191, version 0x45.
 * @param {{ address: string, message: string, signature: string }} signed
 * @throws {Invalid} if it is not the address's signature of the message
 */
export function verifyEthereumMessage({ address, message, signature }) {
  if (!/^0x[0-9a-fA-F]{40}$/.test(address)) throw new Invalid(`${address} is not an Ethereum address`)
  if (`0x${hex(signer('Ethereum', message, signature))}` !== address.toLowerCase())
    throw new Invalid(OF_ANOTHER)
}

/**
 * TIP-191.
 * @param {Hashes} hashes
 * @param {{ address: string, message: string, signature: string }} signed
 * @throws {Invalid} if it is not the address's signature of the message
 */
export function verifyTronMessage(hashes, { address, message, signature }) {
  const content = fromBase58Check(hashes, address)
  if (content.length !== 21 || content[0] !== TRON_PREFIX)
    throw new Invalid(`${address} is not a TRON address`)
  if (!equal(content.subarray(1), signer('TRON', message, signature))) throw new Invalid(OF_ANOTHER)
}

const OF_ANOTHER = 'it is a signature of another message or address'
