import { assetDecimals, formatDecimal } from '#shared/money.ts'
import type { BitcoinAccount } from './addresses.ts'

export type Output = { script: Uint8Array; satoshi: bigint }

/** A spendable output of the account. */
export type Unspent = {
  transactionId: string
  /** Index of the output in its transaction. */
  position: number
  satoshi: bigint
  /** Path of its address in the account. */
  branch: number
  addressIndex: number
}

/** Satoshi per byte of creating and spending an output, below which nodes do not relay it (dustRelayFee of Bitcoin Core). */
const DUST_RATE = 3n
const WITNESS_BYTES_PER_VBYTE = 4

/** Upper bound of what an input adds, in virtual bytes. */
export function inputVsize(account: BitcoinAccount): number {
  return Math.ceil(inputWeight(account) / WITNESS_BYTES_PER_VBYTE)
}

/**
 * Highest weight of an input with its witness (BIP-141): a 72-byte signature and a key, a 65-byte signature (BIP-341), or an empty item, the
 * signatures and a script of all keys.
 */
function inputWeight({ script, keys, threshold }: BitcoinAccount): number {
  const base = (36 + 1 + 4) * WITNESS_BYTES_PER_VBYTE
  if (script === 'tr') return base + 1 + 1 + 65
  if (script === 'wpkh') return base + 1 + 1 + 72 + 1 + 33
  const witnessScript = 1 + keys.length * (1 + 33) + 1 + 1
  return base + 1 + 1 + threshold * (1 + 72) + sizeOfCount(witnessScript) + witnessScript
}

/** Upper bound in virtual bytes: a signature may be shorter. */
export function vsizeOf(account: BitcoinAccount, inputs: number, outputs: readonly Output[]): number {
  const sizes = outputs.map(({ script }) => outputSize(script))
  const base = 4 + sizeOfCount(inputs) + sizeOfCount(outputs.length) + 4
  const fixed = (base + sizes.reduce((sum, size) => sum + size, 0)) * WITNESS_BYTES_PER_VBYTE
  const marker = 2
  return Math.ceil((fixed + marker + inputs * inputWeight(account)) / WITNESS_BYTES_PER_VBYTE)
}

/** In bytes. The script is an address's, so its length takes one byte. */
function outputSize(script: Uint8Array): number {
  return 8 + 1 + script.length
}

function sizeOfCount(count: number): number {
  return count < 0xfd ? 1 : 3
}

/** Lowest amount of an output that nodes relay (GetDustThreshold of Bitcoin Core). */
export function dustOf(script: Uint8Array): bigint {
  const isWitness = script[0] === 0 || (script[0]! >= 0x51 && script[0]! <= 0x60)
  const spending = isWitness ? 32 + 4 + 1 + 26 + 4 : 32 + 4 + 1 + 107 + 4
  return DUST_RATE * BigInt(outputSize(script) + spending)
}

/** For people. */
export function btc(satoshi: bigint): string {
  return `${formatDecimal(satoshi, assetDecimals.BTC)} BTC`
}
