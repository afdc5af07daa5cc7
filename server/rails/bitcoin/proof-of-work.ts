import { ChainError } from '#server/rails/chain.ts'
import type { Header } from './wire.ts'

/**
 * The target of difficulty 1, the easiest on the main network and its test networks (`powLimit` of Bitcoin Core's
 * chainparams.cpp).
 */
const easiest = 0xffffn << 208n
/** Blocks between two changes of the target. */
const PERIOD = 2016
/** A target changes at most by a factor of four (CalculateNextWorkRequired of Bitcoin Core's pow.cpp). */
const MOST_CHANGE = 4n

/**
 * Required proof of work. `least` is the lowest accepted difficulty; all blocks of a period have one target, as on the
 * main network (test networks have blocks of difficulty 1 in between).
 */
export type Work = { least: bigint }

/**
 * Checks a block's hash against the target in its header, so that a backend cannot invent blocks for free.
 * @param work null: on a network without proof of work
 * @throws ChainError
 */
export function requireWork({ hash, bits }: Header, work: Work | null): void {
  if (work === null) return
  const target = targetOf(bits)
  if (target > easiest / work.least) throw new ChainError(`block ${hash} asks for too little work`)
  if (BigInt(`0x${hash}`) > target) throw new ChainError(`block ${hash} shows no proof of work`)
}

/**
 * Checks a block's target against its parent's, so that an invented block costs as much as a real one.
 * @throws ChainError
 */
export function requireSameWork(header: Header, height: number, parent: Header): void {
  if (header.bits === parent.bits) return
  const isInTurn = height % PERIOD === 0 && targetOf(header.bits) <= targetOf(parent.bits) * MOST_CHANGE
  if (!isInTurn) throw new ChainError(`block ${header.hash} asks for another work than the block before it`)
}

/** The compact form of a 256-bit number (`nBits`): its length in bytes, and its first three bytes. Zero if invalid. */
function targetOf(bits: number): bigint {
  const mantissa = BigInt(bits & 0x7f_ffff)
  const isNegative = (bits & 0x80_0000) !== 0
  const shift = 8n * (BigInt(bits >>> 24) - 3n)
  if (isNegative) return 0n
  return shift >= 0n ? mantissa << shift : mantissa >> -shift
}
