import type { Event } from './forms.ts'

/**
 * The used part of a token's contract (EIP-20) in Solidity's ABI: the first four bytes of the hash of the function's
 * signature, then 32 bytes per argument. The transfer() of USDT returns nothing, where EIP-20 demands a bool; we do not
 * read its result.
 */

/** Keccak-256 of Transfer(address,address,uint256). */
export const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

/** decimals() */
export const decimalsCall = '0x313ce567'

/** transfer(address,uint256) */
export function transferCall(to: string, units: bigint): string {
  return `0xa9059cbb${wordOf(BigInt(to))}${wordOf(units)}`
}

/** A 32-byte word, as hexadecimal digits. */
function wordOf(value: bigint): string {
  return value.toString(16).padStart(64, '0')
}

/** A token transfer; addresses in lower case. */
export type Movement = { from: string; to: string; units: bigint }

/**
 * More than exists of any token, and than a ledger's column (bigint) can hold. A call can request it, and fails when
 * mined.
 */
const beyondAll = 2n ** 63n

/** The transfer that a call requests; undefined if it is no plain `transfer`, or an impossible one. */
export function transferAsked(from: string, input: string): Movement | undefined {
  const [, to, units] = /^0xa9059cbb0{24}([0-9a-f]{40})([0-9a-f]{64})$/.exec(input) ?? []
  if (to === undefined) return undefined
  const moved = { from, to: `0x${to}`, units: BigInt(`0x${units}`) }
  return moved.units < beyondAll ? moved : undefined
}

/** The transfer that an event reports; undefined for any other event. */
export function transferDone({ topics, data }: Event): Movement | undefined {
  const [kind, from, to] = topics
  if (kind !== transferTopic || topics.length !== 3 || data.length !== 66) return undefined
  return { from: addressIn(from!), to: addressIn(to!), units: BigInt(data) }
}

/** An address is the last 20 bytes of its word. */
function addressIn(word: string): string {
  return `0x${word.slice(-40)}`
}
