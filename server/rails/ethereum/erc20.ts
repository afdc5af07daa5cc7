import { type Address, decodeFunctionData, encodeFunctionData, type Hex, toEventSelector } from 'viem'
import type { Event } from './forms.ts'

/** What is used of a token's contract (EIP-20). */

/**
 * The functions. That of the main network's USDT answers nothing where EIP-20 promises a bool; nothing reads that answer here,
 * and a call is written the same way for both.
 */
const abi = [
  {
    type: 'function',
    name: 'transfer',
    stateMutability: 'nonpayable',
    inputs: [
      { name: 'to', type: 'address' },
      { name: 'value', type: 'uint256' },
    ],
    outputs: [],
  },
  {
    type: 'function',
    name: 'balanceOf',
    stateMutability: 'view',
    inputs: [{ name: 'owner', type: 'address' }],
    outputs: [{ name: '', type: 'uint256' }],
  },
  {
    type: 'function',
    name: 'decimals',
    stateMutability: 'view',
    inputs: [],
    outputs: [{ name: '', type: 'uint8' }],
  },
] as const

export const transferTopic = toEventSelector('event Transfer(address indexed, address indexed, uint256)')

export const decimalsCall = encodeFunctionData({ abi, functionName: 'decimals' })

export function balanceCall(owner: string): Hex {
  return encodeFunctionData({ abi, functionName: 'balanceOf', args: [owner as Address] })
}

export function transferCall(to: string, units: bigint): Hex {
  return encodeFunctionData({ abi, functionName: 'transfer', args: [to as Address, units] })
}

/** What a movement of tokens says; addresses in lower case. */
export type Movement = { from: string; to: string; units: bigint }

/** What a call asks a token's contract to move; undefined where it is no plain `transfer`. */
export function transferAsked(from: string, input: string): Movement | undefined {
  if (!/^0xa9059cbb[0-9a-f]{128}$/.test(input)) return undefined
  try {
    const { functionName, args } = decodeFunctionData({ abi, data: input as Hex })
    if (functionName !== 'transfer') return undefined
    return { from, to: args[0].toLowerCase(), units: args[1] }
  } catch {
    // More in a word than an address has: the contract refuses it.
    return undefined
  }
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
