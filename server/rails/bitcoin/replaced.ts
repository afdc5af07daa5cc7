import { bytesToHex } from '@noble/hashes/utils.js'
import { RawTx, Transaction } from '@scure/btc-signer'
import type { BitcoinAccount } from './addresses.ts'
import { type Output, type Unspent, vsizeOf } from './outputs.ts'

/** A transaction that another one takes the place of. */
export type Replaced = { inputs: Unspent[]; payments: Output[]; feeSatoshi: bigint; leastVsize: number }

/** Satoshi per virtual byte by which a replacement raises the fee (incrementalrelayfee of Bitcoin Core). */
const INCREMENTAL_RATE = 1n

/** What a plan spends and pays. */
export function replacedBy(plan: Uint8Array, account: BitcoinAccount): Replaced {
  const transaction = Transaction.fromPSBT(plan)
  const inputs = Array.from({ length: transaction.inputsLength }, (_, at) =>
    spentBy(transaction.getInput(at)),
  )
  const outputs = Array.from({ length: transaction.outputsLength }, (_, at) => transaction.getOutput(at))
  const all = outputs.map(({ script, amount }) => ({ script: script!, satoshi: amount! }))
  return {
    inputs,
    // Only change has a path of the account.
    payments: all.filter((_, at) => !outputs[at]!.bip32Derivation && !outputs[at]!.tapBip32Derivation),
    feeSatoshi:
      inputs.reduce((sum, { satoshi }) => sum + satoshi, 0n) -
      all.reduce((sum, { satoshi }) => sum + satoshi, 0n),
    // `vsizeOf` is an upper bound; a signature is seldom four bytes shorter.
    leastVsize: vsizeOf(account, inputs.length, all) - inputs.length * account.threshold,
  }
}

type Input = ReturnType<Transaction['getInput']>

function spentBy({ txid, index, witnessUtxo, bip32Derivation, tapBip32Derivation }: Input): Unspent {
  const path = bip32Derivation?.[0]?.[1].path ?? tapBip32Derivation![0]![1].der.path
  const [branch, addressIndex] = path.slice(-2) as [number, number]
  const satoshi = witnessUtxo!.amount
  return { transactionId: bytesToHex(txid!), position: index!, satoshi, branch, addressIndex }
}

/** The raw transactions that a plan carries, by id. */
export function previousIn(plan: Uint8Array): [string, Uint8Array][] {
  const transaction = Transaction.fromPSBT(plan)
  const inputs = Array.from({ length: transaction.inputsLength }, (_, at) => transaction.getInput(at))
  return inputs.flatMap(({ txid, nonWitnessUtxo: whole }) =>
    whole ? [[bytesToHex(txid!), RawTx.encode(whole)] as [string, Uint8Array]] : [],
  )
}

/** At the rate, and above each replaced transaction: its fee and the cost of relaying this one (BIP-125), and its rate. */
export function leastFee(vsize: number, feeRate: bigint, replaced: readonly Replaced[]): bigint {
  const size = BigInt(vsize)
  return replaced.reduce((fee, { feeSatoshi, leastVsize }) => {
    const sameRate = (feeSatoshi * size) / BigInt(leastVsize) + 1n
    return [feeSatoshi + INCREMENTAL_RATE * size, sameRate].reduce(
      (most, least) => (least > most ? least : most),
      fee,
    )
  }, feeRate * size)
}
