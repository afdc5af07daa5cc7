import { createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { schnorr, secp256k1 } from '@noble/curves/secp256k1.js'
import { ripemd160 as nobleRipemd160 } from '@noble/hashes/legacy.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { TronWeb } from 'tronweb'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { verifyEthereumMessage, verifyTronMessage } from '#verifier/account-message.mjs'
import { verifyBitcoinMessage } from '#verifier/bitcoin-message.mjs'
import { Invalid, Unavailable } from '#verifier/errors.mjs'
import { keccak256 } from '#verifier/keccak.mjs'
import { nodeHashes } from '#verifier/node-hashes.mjs'
import { ripemd160 } from '#verifier/ripemd160.mjs'
import { recoverKey, verifyEcdsa, verifySchnorr } from '#verifier/secp256k1.mjs'

/** Signed messages, judged by BIP-322's own vectors (github.com/bitcoin/bips, bip-0322, CC0) and by other libraries. */

type Vector = { message: string; address: string; type: string; bip322_signatures: string[] }
type Wrong = { description: string; message: string; address: string; signature: string }
type Vectors = { simple: Vector[]; full?: Vector[]; proof_of_funds?: Vector[]; error: Wrong[] }

const vectors = ['basic', 'generated'].map((name): Vectors => {
  const file = join(import.meta.dirname, 'bip-0322', `${name}-test-vectors.json`)
  return JSON.parse(readFileSync(file, 'utf8'))
})
const valid = vectors.flatMap(({ simple, full = [], proof_of_funds = [] }) =>
  [...simple, ...full, ...proof_of_funds].flatMap(({ message, address, type, bip322_signatures }) =>
    bip322_signatures.map(signature => ({
      type: `${signature.slice(0, 3)} ${type}`,
      message,
      address,
      signature: /^(smp|ful|pof)/.test(signature) ? signature : `smp${signature}`,
    })),
  ),
)
/** Scripts that are neither one key nor several keys of P2WSH: named, and not judged. */
const notUnderstood = /time-lock|ful p2sh-multisig/

describe('BIP-322', () => {
  test.each(valid.filter(({ type }) => !notUnderstood.test(type)))('accepts $type: $message', signed => {
    verifyBitcoinMessage(nodeHashes, signed)
    const other = { ...signed, message: `${signed.message}.` }
    expect(() => verifyBitcoinMessage(nodeHashes, other)).toThrow(Invalid)
  })

  test.each(valid.filter(({ type }) => notUnderstood.test(type)))('does not judge $type', signed => {
    expect(() => verifyBitcoinMessage(nodeHashes, signed)).toThrow(Unavailable)
  })

  test.each(vectors.flatMap(({ error }) => error))('refuses a $description', signed => {
    expect(() => verifyBitcoinMessage(nodeHashes, signed)).toThrow(/./)
  })

  test('refuses a signature with one other bit', () => {
    // A PSBT also has bytes that nobody signs.
    for (const signed of valid.filter(({ type }) => !/^pof/.test(type) && !notUnderstood.test(type))) {
      const bytes = Buffer.from(signed.signature.slice(3), 'base64')
      bytes[Math.floor(bytes.length / 3)]! ^= 1
      const signature = signed.signature.slice(0, 3) + bytes.toString('base64')
      expect(() => verifyBitcoinMessage(nodeHashes, { ...signed, signature }), signed.type).toThrow(/./)
    }
  })
})

test('hashes as other libraries do', () => {
  for (let length = 0; length < 300; length += 7) {
    const bytes = randomBytes(length)
    expect(Buffer.from(keccak256(bytes))).toEqual(Buffer.from(keccak_256(bytes)))
    expect(Buffer.from(ripemd160(bytes))).toEqual(Buffer.from(nobleRipemd160(bytes)))
  }
})

test('verifies signatures of other libraries, and of nothing else', () => {
  for (let round = 0; round < 8; round += 1) {
    const key = secp256k1.utils.randomSecretKey()
    const digest = createHash('sha256').update(randomBytes(8)).digest()
    const publicKey = secp256k1.getPublicKey(key)
    const signed = secp256k1.sign(digest, key, { prehash: false, format: 'recovered' })
    const { r, s, recovery } = secp256k1.Signature.fromBytes(signed, 'recovered')
    expect(verifyEcdsa({ r, s }, digest, publicKey)).toBe(true)
    expect(verifyEcdsa({ r, s: s + 1n }, digest, publicKey)).toBe(false)
    const recovered = recoverKey({ r, s, isOdd: recovery === 1 }, digest)
    expect(Buffer.from(recovered)).toEqual(Buffer.from(secp256k1.getPublicKey(key, false).subarray(1)))
    const signature = schnorr.sign(digest, key)
    const xOnly = schnorr.getPublicKey(key)
    expect(verifySchnorr(nodeHashes, signature, digest, xOnly)).toBe(true)
    signature[round]! ^= 1
    expect(verifySchnorr(nodeHashes, signature, digest, xOnly)).toBe(false)
  }
})

test('accepts what viem and TronWeb sign, of that key and message only', async () => {
  const key = generatePrivateKey()
  const account = privateKeyToAccount(key)
  const message = 'Probity reserves v1'
  const ethereum = { address: account.address, message, signature: await account.signMessage({ message }) }
  const tronWeb = new TronWeb({ fullHost: 'http://127.0.0.1:1' })
  const signature = tronWeb.trx.signMessageV2(message, key.slice(2))
  const address = tronWeb.address.fromPrivateKey(key.slice(2)) as string
  verifyEthereumMessage(ethereum)
  verifyTronMessage(nodeHashes, { address, message, signature })
  expect(() => verifyEthereumMessage({ ...ethereum, message: 'other' })).toThrow(Invalid)
  expect(() => verifyTronMessage(nodeHashes, { address, message: 'other', signature })).toThrow(Invalid)
  const another = privateKeyToAccount(generatePrivateKey()).address
  expect(() => verifyEthereumMessage({ ...ethereum, address: another })).toThrow(Invalid)
  // A signature of one network is none of the other.
  expect(() => verifyEthereumMessage({ ...ethereum, signature })).toThrow(Invalid)
})
