import type { Event } from './forms.ts'

/**
 * What is used of a token's contract (EIP-20), encoded as the contract ABI of Solidity has it: the first four bytes of the hash of
 * the function's signature, then a word of 32 bytes for each argument. That transfer() of the main network's USDT answers nothing,
 * where EIP-20 promises a bool, changes nothing here: its answer is not read.
 */

/** Keccak-256 of Transfer(address,address,uint256). */
export const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

/** decimals() */
export const decimalsCall = '0x313ce567'

/** balanceOf(address) */
export function balanceCall(owner: string): string {
  return `0x70a08231${wordOf(BigInt(owner))}`
}

/** transfer(address,uint256) */
export function transferCall(to: string, units: bigint): string {
  return `0xa9059cbb${wordOf(BigInt(to))}${wordOf(units)}`
}

/** A word of 32 bytes, as hexadecimal digits. */
export function wordOf(value: bigint): string {
  return value.toString(16).padStart(64, '0')
}

/** What a movement of tokens says; addresses in lower case. */
export type Movement = { from: string; to: string; units: bigint }

/**
 * More than there is of any token, and than a ledger's column holds (bigint). A call may ask for it: it fails when it is mined.
 */
const beyondAll = 2n ** 63n

/** What a call asks a token's contract to move; undefined where it is no plain `transfer`, or none that the contract could do. */
export function transferAsked(from: string, input: string): Movement | undefined {
  const [, to, units] = /^0xa9059cbb0{24}([0-9a-f]{40})([0-9a-f]{64})$/.exec(input) ?? []
  if (to === undefined) return undefined
  const moved = { from, to: `0x${to}`, units: BigInt(`0x${units}`) }
  return moved.units < beyondAll ? moved : undefined
}

/** What a Transfer event says was moved; undefined of every other event. */
export function transferDone({ topics, data }: Event): Movement | undefined {
  const [kind, from, to] = topics
  if (kind !== transferTopic || topics.length !== 3 || data.length !== 66) return undefined
  return { from: addressIn(from!), to: addressIn(to!), units: BigInt(data) }
}

/** An address fills the last 20 bytes of its word. */
function addressIn(word: string): string {
  return `0x${word.slice(-40)}`
}
