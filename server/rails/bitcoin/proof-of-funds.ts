import { sha256 } from '@noble/hashes/sha2.js'
import { concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { RawTx, Transaction } from '@scure/btc-signer'
import type { UnspentOutput } from '#server/rails/chain.ts'
import { type BitcoinAccount, scriptOfAddress } from './addresses.ts'
import type { BitcoinNetwork } from './networks.ts'
import { derivationOf } from './psbt.ts'

/** Marks a PSBT as one that signs a message (BIP-322, PSBT_GLOBAL_GENERIC_SIGNED_MESSAGE). */
const SIGNED_MESSAGE = 0x09
const OP_RETURN = Uint8Array.of(0x6a)

/** Where addresses are below an account of ours. */
export type Derived = {
  account: BitcoinAccount | null
  places: ReadonlyMap<string, { branch: number; index: number }>
}

/**
 * The unsigned proof of funds of a message (BIP-322), a PSBT: its first input is the message's, of the first output's address,
 * and the others are the outputs themselves. It can be broadcast to no network.
 * @param outputs of segregated witness addresses, at least one
 * @param account of the outputs at `places`, whose paths the PSBT states: by them a device finds its keys
 */
export function proofOfFunds(
  message: string,
  outputs: readonly [UnspentOutput, ...UnspentOutput[]],
  network: BitcoinNetwork,
  { account, places }: Derived = { account: null, places: new Map() },
): Uint8Array {
  const scriptOf = ({ address }: UnspentOutput) => scriptOfAddress(address, network)!
  const derived = ({ address }: UnspentOutput) => {
    const place = places.get(address)
    return account === null || place === undefined ? {} : derivationOf(account, place.branch, place.index)
  }
  const script = scriptOf(outputs[0])
  const transaction = new Transaction({ version: 0, allowUnknownOutputs: true })
  const spent = toSpend(message, script)
  transaction.addInput({
    txid: sha256(sha256(spent)).reverse(),
    index: 0,
    sequence: 0,
    witnessUtxo: { script, amount: 0n },
    ...derived(outputs[0]),
  })
  for (const output of outputs) {
    const witnessUtxo = { script: scriptOf(output), amount: output.satoshi }
    transaction.addInput({
      txid: hexToBytes(output.transactionId),
      index: output.position,
      witnessUtxo,
      ...derived(output),
    })
  }
  transaction.addOutput({ script: OP_RETURN, amount: 0n })
  return withMessage(transaction.toPSBT(0), utf8ToBytes(message))
}

/** The transaction that a message's signature spends. */
function toSpend(message: string, script: Uint8Array): Uint8Array {
  const tag = sha256(utf8ToBytes('BIP0322-signed-message'))
  const digest = sha256(concatBytes(tag, tag, utf8ToBytes(message)))
  const finalScriptSig = concatBytes(Uint8Array.of(0, 32), digest)
  const input = { txid: new Uint8Array(32), index: 0xffffffff, finalScriptSig, sequence: 0 }
  return RawTx.encode({
    version: 0,
    segwitFlag: false,
    inputs: [input],
    outputs: [{ amount: 0n, script }],
    witnesses: [],
    lockTime: 0,
  })
}

/** Adds the message to the global map, whose first key is the transaction and which ends with a zero (BIP-174). */
function withMessage(psbt: Uint8Array, message: Uint8Array): Uint8Array {
  const view = new DataView(psbt.buffer, psbt.byteOffset)
  // Magic, then the key's length and its type, then the length of the value.
  const at = 5 + 2
  const first = psbt[at]!
  const [size, length] =
    first < 0xfd
      ? [1, first]
      : first === 0xfd
        ? [3, view.getUint16(at + 1, true)]
        : [5, view.getUint32(at + 1, true)]
  const end = at + size + length
  const added = concatBytes(Uint8Array.of(1, SIGNED_MESSAGE), sized(message))
  return concatBytes(psbt.subarray(0, end), added, psbt.subarray(end))
}

function sized(bytes: Uint8Array): Uint8Array {
  const { length } = bytes
  const count = length < 0xfd ? [length] : [0xfd, length & 0xff, length >> 8]
  return concatBytes(Uint8Array.from(count), bytes)
}
