import { ChainError } from '#server/rails/chain.ts'
import * as forms from './forms.ts'
import type { Node } from './node.ts'

/**
 * Balances of many addresses by one `eth_call`: it runs code as if it created a contract (no `to`), and the node returns what the code
 * returns. Operations by their numbers (Yellow Paper, appendix H).
 */
const op = {
  and: '16',
  gt: '11',
  balance: '31',
  returnDataSize: '3d',
  mstore: '52',
  gas: '5a',
  staticCall: 'fa',
  return: 'f3',
} as const
const push1 = (value: number) => `60${value.toString(16).padStart(2, '0')}`
const push2 = (value: number) => `61${value.toString(16).padStart(4, '0')}`
const push20 = (address: string) => `73${address.slice(2)}`
const push32 = (word: string) => `7f${word}`

/** Addresses in one call: far below the limits of code (EIP-170, EIP-3860) and of what nodes let a call cost. */
const ADDRESSES_AT_ONCE = 250

/**
 * Balances in this block, in the order of the addresses, in wei.
 * @param block its height in hexadecimal, or its hash (EIP-1898)
 * @throws ChainError
 */
export function etherBalances(
  node: Node,
  addresses: readonly string[],
  block: string | { blockHash: string },
): Promise<bigint[]> {
  return inParts(addresses, some => {
    const reads = some.map((address, at) => push20(address) + op.balance + push2(at * 32) + op.mstore)
    return callWords(node, `0x${reads.join('')}${returning(0, some.length)}`, { count: some.length, block })
  })
}

/** The same of a token (EIP-20), in its minor units. */
export function tokenBalances(
  node: Node,
  contract: string,
  addresses: readonly string[],
  block: string,
): Promise<bigint[]> {
  return inParts(addresses, async some => {
    const count = some.length + 1
    const code = tokenCode(contract, some)
    const words = await callWords(node, code, { count, block })
    if (words.pop() !== 1n) throw new ChainError(`${contract} does not say what an address has`)
    return words
  })
}

/** balanceOf(address) of each address; the last word is 1 if the contract answered every time. */
function tokenCode(contract: string, addresses: readonly string[]): string {
  const first = 64
  const end = first + addresses.length * 32
  const calls = addresses.map((address, at) =>
    [
      // The argument follows the function's four bytes.
      push20(address) + push1(4) + op.mstore,
      push1(32) + push2(first + at * 32) + push1(36) + push1(0) + push20(contract) + op.gas + op.staticCall,
      op.and + push1(31) + op.returnDataSize + op.gt + op.and,
    ].join(''),
  )
  const begin = push32('70a08231'.padEnd(64, '0')) + push1(0) + op.mstore + push1(1)
  return `0x${begin}${calls.join('')}${push2(end)}${op.mstore}${returning(first, addresses.length + 1)}`
}

/** Returns words of memory, from this byte. */
function returning(from: number, words: number): string {
  return push2(words * 32) + push1(from) + op.return
}

async function inParts(
  addresses: readonly string[],
  read: (some: readonly string[]) => Promise<bigint[]>,
): Promise<bigint[]> {
  const found: bigint[] = []
  for (let first = 0; first < addresses.length; first += ADDRESSES_AT_ONCE)
    found.push(...(await read(addresses.slice(first, first + ADDRESSES_AT_ONCE))))
  return found
}

async function callWords(
  node: Node,
  data: string,
  { count, block }: { count: number; block: string | { blockHash: string } },
): Promise<bigint[]> {
  const words = await node.ask('eth_call', [{ data }, block], forms.words)
  if (words.length === count) return words
  throw new ChainError(`eth_call: the node answers ${words.length} balances instead of ${count}`)
}
