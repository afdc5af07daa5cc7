// @ts-check
import { hash160, scriptOfAddress } from './bitcoin-address.mjs'
import {
  counted,
  hash256,
  legacyHash,
  outpointName,
  parseTransaction,
  Reader,
  readStack,
  serialise,
  taprootMessage,
  witnessHash,
} from './bitcoin-transaction.mjs'
import { concat, equal, fromBase64, hex, utf8 } from './bytes.mjs'
import { Invalid, Unavailable } from './errors.mjs'
import { taggedHash, toNumber, verifyEcdsa, verifySchnorr } from './secp256k1.mjs'

/**
 * Messages signed by the keys of an address of Bitcoin (BIP-322, version 2.0.0): simple, full and proof of funds. It
 * understands addresses of one key and of several (P2PKH, P2WPKH, P2SH-P2WPKH, P2TR by its key, P2WSH of a multisignature
 * script). Pure.
 */

/** @typedef {import('./bytes.mjs').Hashes} Hashes */
/** @typedef {import('./bitcoin-transaction.mjs').Output} Output */
/** @typedef {import('./bitcoin-transaction.mjs').Transaction} Transaction */
/** @typedef {{ outpoint: string, script: Uint8Array, amount: bigint }} Coin an output that is proven to be spendable */

const OP_RETURN = Uint8Array.of(0x6a)
const EMPTY = new Uint8Array()

/**
 * The transaction that a message's signature spends.
 * @param {Hashes} hashes
 * @param {Uint8Array} script
 * @param {Uint8Array} message
 * @returns {Transaction}
 */
export function toSpend(hashes, script, message) {
  const digest = taggedHash(hashes, 'BIP0322-signed-message', message)
  const input = { id: new Uint8Array(32), index: 0xffffffff, sequence: 0, witness: [] }
  return {
    version: 0,
    inputs: [{ ...input, script: concat(Uint8Array.of(0, 32), digest) }],
    outputs: [{ amount: 0n, script }],
    lockTime: 0,
  }
}

/**
 * @param {Hashes} hashes
 * @param {{ address: string, message: string, signature: string }} signed
 * @returns {Coin[]} what a proof of funds also shows to be spendable
 * @throws {Invalid} if it is not the address's signature of the message
 * @throws {Unavailable} if the kind of address or signature is not understood
 */
export function verifyBitcoinMessage(hashes, { address, message, signature }) {
  const challenge = { amount: 0n, script: scriptOfAddress(hashes, address).script }
  const spent = hash256(hashes, serialise(toSpend(hashes, challenge.script, utf8(message))))
  const { transaction, coins } = parseSignature(hashes, signature, { spent, challenge })
  requireForm(transaction, spent)
  const all = [challenge, ...coins]
  for (const at of transaction.inputs.keys()) requireSigned(hashes, transaction, at, all)
  return coins.map((coin, at) => ({ ...coin, outpoint: nameOf(transaction, at + 1) }))
}

/**
 * @param {Transaction} transaction
 * @param {number} at
 */
function nameOf({ inputs }, at) {
  const input = inputs[at]
  return input === undefined ? '' : outpointName(input)
}

/**
 * @param {Hashes} hashes
 * @param {string} signature
 * @param {{ spent: Uint8Array, challenge: Output }} of
 * @returns {{ transaction: Transaction, coins: Output[] }}
 */
function parseSignature(hashes, signature, { spent }) {
  const bytes = fromBase64(signature.slice(3))
  if (signature.startsWith('ful')) return { transaction: parseTransaction(bytes), coins: [] }
  if (signature.startsWith('pof')) return parseProofOfFunds(hashes, bytes)
  if (!signature.startsWith('smp'))
    throw new Invalid('it is not a BIP-322 2.0.0 signature: it begins with neither smp, ful nor pof')
  const reader = new Reader(bytes)
  const witness = readStack(reader)
  if (!reader.isAtEnd) throw new Invalid('bytes follow the end of the signature')
  const input = { id: spent, index: 0, script: EMPTY, sequence: 0, witness }
  const outputs = [{ amount: 0n, script: OP_RETURN }]
  return { transaction: { version: 0, inputs: [input], outputs, lockTime: 0 }, coins: [] }
}

/**
 * @param {Transaction} transaction
 * @param {Uint8Array} spent
 */
function requireForm({ version, inputs: [first], outputs }, spent) {
  const [output] = outputs
  if (first === undefined || !equal(first.id, spent) || first.index !== 0)
    throw new Invalid('it is a signature of another message or address')
  if (outputs.length !== 1 || output?.amount !== 0n || !equal(output.script, OP_RETURN))
    throw new Invalid('it signs a payment, not a message alone')
  if (version !== 0 && version !== 2) throw new Unavailable(`its version ${version} is not known here`)
}

/** PSBT (BIP-174): the keys that matter here. */
const PSBT = { magic: '70736274ff', unsigned: 0, previous: 0, output: 1, script: 7, witness: 8 }

/**
 * The pairs of a map of a PSBT whose key is one byte.
 * @param {Reader} reader
 */
function readMap(reader) {
  /** @type {Map<number, Uint8Array>} */
  const map = new Map()
  for (let key = reader.counted(); key.length > 0; key = reader.counted()) {
    const value = reader.counted()
    if (key.length === 1 && key[0] !== undefined) map.set(key[0], value)
  }
  return map
}

/**
 * @param {Hashes} hashes
 * @param {Uint8Array} bytes a finalized PSBT
 */
function parseProofOfFunds(hashes, bytes) {
  const reader = new Reader(bytes)
  if (hex(reader.take(5)) !== PSBT.magic) throw new Invalid('it is not a PSBT')
  const transaction = parseTransaction(readMap(reader).get(PSBT.unsigned) ?? EMPTY)
  /** @type {Map<string, Transaction>} a transaction may be there once for all its outputs */
  const known = new Map()
  const spent = transaction.inputs.map(input => {
    const map = readMap(reader)
    input.script = map.get(PSBT.script) ?? EMPTY
    const witness = map.get(PSBT.witness)
    if (witness !== undefined) input.witness = readStack(new Reader(witness))
    const previous = map.get(PSBT.previous)
    if (previous !== undefined) {
      const parsed = parseTransaction(previous)
      known.set(hex(hash256(hashes, serialise(parsed))), parsed)
    }
    return { input, stated: map.get(PSBT.output) }
  })
  const coins = spent.slice(1).map(({ input, stated }) => {
    const whole = known.get(hex(input.id))?.outputs[input.index]
    if (whole !== undefined) return whole
    if (stated === undefined) throw new Invalid(`it does not say what ${outpointName(input)} is`)
    const output = new Reader(stated)
    const amount = output.u64()
    const script = output.counted()
    // Its signature does not sign the amount, so the transaction that pays it is needed.
    if (script.length === 25) throw new Invalid(`it does not show the transaction of ${outpointName(input)}`)
    return { amount, script }
  })
  return { transaction, coins }
}

/**
 * @param {Hashes} hashes
 * @param {Transaction} transaction
 * @param {number} at
 * @param {Output[]} spent
 */
function requireSigned(hashes, transaction, at, spent) {
  const input = transaction.inputs[at]
  const output = spent[at]
  if (input === undefined || output === undefined) throw new Invalid('it does not say what it spends')
  const { script, witness } = input
  const wrapped = programIn(output.script, script, hashes)
  const place = at === 0 ? 'the message' : `the coin ${outpointName(input)}`
  const refused = () => new Invalid(`the signature of ${place} is not the one of its address`)
  if (wrapped === null) {
    const [signature = EMPTY, publicKey = EMPTY] = pushes(script)
    const isKeys = hex(output.script) === hex(keyHashScript(hash160(hashes, publicKey)))
    if (output.script.length !== 25) throw new Unavailable('its kind of address is not understood here')
    const digest = legacyHash(hashes, transaction, at, output.script)
    if (!isKeys || witness.length > 0 || !isEcdsaOf(signature, digest, publicKey)) throw refused()
    return
  }
  const { version, program } = wrapped
  if (version === 1) {
    const [signature = EMPTY] = witness
    if (witness.length === 0) throw refused()
    if (witness.length > 1) throw new Unavailable('its scripts are not understood here')
    const type = signature.length === 65 ? (signature[64] ?? 0) : 0
    if (signature.length === 65 && type !== 1) throw refused()
    const text = taprootMessage(hashes, transaction, at, { spent, type })
    const digest = taggedHash(hashes, 'TapSighash', text)
    if (!verifySchnorr(hashes, signature.subarray(0, 64), digest, program)) throw refused()
    return
  }
  const digestOf = (/** @type {Uint8Array} */ code) =>
    witnessHash(hashes, transaction, at, { script: code, amount: output.amount })
  if (program.length === 20) {
    const [signature = EMPTY, publicKey = EMPTY] = witness
    const isKeys = witness.length === 2 && equal(hash160(hashes, publicKey), program)
    if (!isKeys || !isEcdsaOf(signature, digestOf(keyHashScript(program)), publicKey)) throw refused()
    return
  }
  const code = witness.at(-1) ?? EMPTY
  if (!equal(hashes.sha256(code), program)) throw refused()
  requireMultisig(code, witness.slice(0, -1), digestOf(code), refused)
}

/**
 * The witness program of an output, also below a script hash (BIP-141); null for other kinds.
 * @param {Uint8Array} script
 * @param {Uint8Array} satisfying
 * @param {Hashes} hashes
 * @returns {{ version: number, program: Uint8Array } | null}
 */
function programIn(script, satisfying, hashes) {
  const isScriptHash = script.length === 23 && script[0] === 0xa9
  const [redeeming, ...others] = isScriptHash ? pushes(satisfying) : []
  const inner = redeeming ?? script
  if (isScriptHash && (redeeming === undefined || !equal(hash160(hashes, redeeming), script.subarray(2, 22))))
    throw new Invalid('its script is not the one of the address')
  // Taproot has rules only outside a script hash (BIP-341): inside, anybody could spend.
  const isKey = inner[0] === 0x51 && inner.length === 34 && !isScriptHash
  const isProgram =
    (isKey || (inner[0] === 0 && [22, 34].includes(inner.length))) && inner[1] === inner.length - 2
  if (others.length > 0) throw new Invalid('its script pushes more than one script')
  if (!isProgram) {
    if (isScriptHash) throw new Unavailable('its script is not understood here')
    return null
  }
  if (!isScriptHash && satisfying.length > 0) throw new Invalid('a script is where only a witness may be')
  return { version: inner[0] === 0 ? 0 : 1, program: inner.subarray(2) }
}

/** @param {Uint8Array} hash */
function keyHashScript(hash) {
  return concat(Uint8Array.of(0x76, 0xa9), counted(hash), Uint8Array.of(0x88, 0xac))
}

/**
 * What a script pushes: each below 76 bytes, as keys and signatures are.
 * @param {Uint8Array} script
 */
function pushes(script) {
  const reader = new Reader(script)
  const found = []
  while (!reader.isAtEnd) {
    const length = reader.count()
    if (length < 1 || length > 75) throw new Unavailable('its script is not understood here')
    found.push(reader.take(length))
  }
  return found
}

/**
 * m of n keys sign, in the order of the keys.
 * @param {Uint8Array} script
 * @param {Uint8Array[]} stack
 * @param {Uint8Array} digest
 * @param {() => Invalid} refused
 */
function requireMultisig(script, stack, digest, refused) {
  const [m, n] = [(script[0] ?? 0) - 0x50, (script.at(-2) ?? 0) - 0x50]
  const keys = Array.from({ length: Math.max(n, 0) }, (_, at) => script.subarray(2 + 34 * at, 35 + 34 * at))
  const form = concat(Uint8Array.of(0x50 + m), ...keys.map(counted), Uint8Array.of(0x50 + n, 0xae))
  if (m < 1 || m > n || n > 16 || !equal(form, script))
    throw new Unavailable('its script is not understood here')
  const [nothing = EMPTY, ...signatures] = stack
  if (stack.length !== m + 1 || nothing.length > 0) throw refused()
  let key = 0
  for (const signature of signatures) {
    while (key < n && !isEcdsaOf(signature, digest, keys[key] ?? EMPTY)) key += 1
    if (key === n) throw refused()
    key += 1
  }
}

/**
 * @param {Uint8Array} signature in DER (BIP-66), then its kind
 * @param {Uint8Array} digest
 * @param {Uint8Array} publicKey
 */
function isEcdsaOf(signature, digest, publicKey) {
  if (signature.at(-1) !== 1) return false
  const der = signature.subarray(0, -1)
  const length = der[3] ?? 0
  const r = der.subarray(4, 4 + length)
  const s = der.subarray(6 + length)
  const head = Uint8Array.of(0x30, der.length - 2, 2, length)
  if (!equal(der, concat(head, r, Uint8Array.of(2, s.length), s))) return false
  return verifyEcdsa({ r: toNumber(r), s: toNumber(s) }, digest, publicKey)
}
