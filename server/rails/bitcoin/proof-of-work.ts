import { ChainFault } from '#server/rails/chain.ts'
import type { Header } from './wire.ts'

/** The target of difficulty 1, the easiest on the main network and on its test networks (`powLimit` of Bitcoin Core's chainparams.cpp). */
const easiest = 0xffffn << 208n
/** Blocks between two changes of the target. */
const PERIOD = 2016
/** A target changes to four times what it was, at most (CalculateNextWorkRequired of Bitcoin Core's pow.cpp). */
const MOST_CHANGE = 4n

/**
 * How much work the blocks of a network must show. `least` is the lowest difficulty that is believed; all blocks of a period have
 * one target, as on the main network (test networks have blocks of difficulty 1 in between).
 */
export type Work = { least: bigint }

/**
 * Holds a block's hash against the target in its header, so that a backend that makes a block up has to work for it.
 * @param work null: of a network where blocks cost nothing
 * @throws ChainFault
 */
export function requireWork({ hash, bits }: Header, work: Work | null): void {
  if (work === null) return
  const target = targetOf(bits)
  if (target > easiest / work.least) throw new ChainFault(`block ${hash} asks for too little work`)
  if (BigInt(`0x${hash}`) > target) throw new ChainFault(`block ${hash} shows no proof of work`)
}

/**
 * Holds a block's target against its parent's, so that a made-up block costs as much as a true one.
 * @throws ChainFault
 */
export function requireSameWork(header: Header, height: number, parent: Header): void {
  if (header.bits === parent.bits) return
  const isInTurn = height % PERIOD === 0 && targetOf(header.bits) <= targetOf(parent.bits) * MOST_CHANGE
  if (!isInTurn) throw new ChainFault(`block ${header.hash} asks for another work than the block before it`)
}

/** The compact form of a 256-bit number (`nBits`): its length in bytes, and the first three of them. Zero where it is none. */
function targetOf(bits: number): bigint {
  const mantissa = BigInt(bits & 0x7f_ffff)
  const isNegative = (bits & 0x80_0000) !== 0
  const shift = 8n * (BigInt(bits >>> 24) - 3n)
  if (isNegative) return 0n
  return shift >= 0n ? mantissa << shift : mantissa >> -shift
}
