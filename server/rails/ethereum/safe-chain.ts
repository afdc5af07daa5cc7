import {
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  keccak256,
  parseAbi,
  toEventSelector,
} from 'viem'
import { ChainError, nonceSlot, type SafeVersion, type Spend, safeVersions } from '#server/rails/chain.ts'
import { STATES } from './contract-ether.ts'
import * as forms from './forms.ts'
import type { Node } from './node.ts'
import { multiSendOf } from './safe.ts'

const abi = parseAbi(['function VERSION() view returns (string)'])
const versionCall = encodeFunctionData({ abi, functionName: 'VERSION' })
/** Where each of these versions stores its nonce (libraries/SafeStorage.sol). */
const NONCE_AT = '0x5'
/** What app.sender_nonces holds. */
const MOST_NONCE = 0x7fff_ffffn

/** Each uses the Safe's nonce. Version 1.3.0 has the hash in the data, 1.4.1 as a topic. */
const executed = toEventSelector('ExecutionSuccess(bytes32,uint256)')
const failed = toEventSelector('ExecutionFailure(bytes32,uint256)')
/** A module acted for the Safe, without a nonce. */
const byModule = toEventSelector('ExecutionFromModuleSuccess(address)')
export const safeTopics = [executed, failed, byModule]

/** An account of a key may delegate to code (EIP-7702). */
const delegation = '0xef0100'

/**
 * The version of a Safe; null for the address of a key.
 * @throws ChainError for any other contract, and if MultiSendCallOnly is not there: a delegatecall to nothing succeeds and pays nobody
 */
export async function safeVersionAt(
  node: Node,
  chainId: number,
  address: string,
): Promise<SafeVersion | null> {
  const codeAt = (at: string) => node.ask('eth_getCode', [at, 'latest'], forms.bytes)
  const code = await codeAt(address)
  if (code === '0x' || code.startsWith(delegation)) return null
  const stated = await versionAt(node, address)
  const version = safeVersions.find(one => one === stated)
  if (version === undefined)
    throw new ChainError(`${address} is a contract, but no Safe of version ${safeVersions.join(' or ')}`)
  const multiSend = multiSendOf(version, chainId)
  if (keccak256((await codeAt(multiSend.address)) as Hex) !== multiSend.codeHash)
    throw new ChainError(`MultiSendCallOnly of Safe ${version} is not at ${multiSend.address} on this chain`)
  return version
}

/** What a contract says as its version; undefined if it says none. */
async function versionAt(node: Node, address: string): Promise<string | undefined> {
  const answer = await node
    .ask('eth_call', [{ to: address, data: versionCall }, 'latest'], forms.bytes)
    .catch((error: Error) => {
      throw new ChainError(`${address} is a contract, and not to be read as a Safe: ${error.message}`)
    })
  try {
    return decodeFunctionResult({ abi, functionName: 'VERSION', data: answer as Hex })
  } catch {
    return undefined
  }
}

/**
 * The next nonce of a Safe, from its storage: code that its owners have put in its place cannot refuse to answer.
 * @param block its tag, its height in hexadecimal, or its hash (EIP-1898)
 * @returns undefined if such code has written there what no nonce can be
 * @throws ChainError
 */
export async function safeNonceAt(
  node: Node,
  safe: string,
  block: string | { blockHash: string },
): Promise<number | undefined> {
  const nonce = await node.ask('eth_getStorageAt', [safe, NONCE_AT, block], forms.word)
  return nonce > MOST_NONCE ? undefined : Number(nonce)
}

type SafeEvent = forms.Event & { transactionHash: string }

/**
 * The nonces that Safes use in a block, and what their modules did. Events do not name the nonce, but they use them in their order, so the
 * nonce after the block says each. Code that owners let act for the Safe can emit more of them, but only before the one of that execution:
 * the first ones that have no nonce are told like what a module does.
 * @param events of the block, in its order
 */
export async function executionsIn(
  node: Node,
  block: NonNullable<Spend['block']>,
  { events, payers }: { events: readonly SafeEvent[]; payers: ReadonlySet<string> },
): Promise<Spend[]> {
  const ours = events.filter(
    ({ address, topics: [kind] }) => payers.has(address) && safeTopics.some(topic => topic === kind),
  )
  const used = ours.filter(({ topics: [kind] }) => kind !== byModule)
  const next = new Map<string, number>()
  for (const safe of new Set(used.map(({ address }) => address))) {
    const after = (await nonceAfter(node, safe, block)) ?? 0
    next.set(safe, after - used.filter(({ address }) => address === safe).length)
  }
  return ours.map(event => {
    const { address: sender, transactionHash: transactionId, topics } = event
    // What uses no nonce is its own slot, so that it can be told like any other.
    const ofItsOwn = { slot: `${sender}:${transactionId}`, sender, transactionId, block }
    if (topics[0] === byModule) return ofItsOwn
    const nonce = next.get(sender)!
    next.set(sender, nonce + 1)
    if (nonce < 0) return ofItsOwn
    return { slot: nonceSlot(sender, nonce), sender, transactionId, block, safeTxHash: hashIn(event) }
  })
}

/** The Safe transaction that was executed; null if it failed, and so did nothing but use the nonce. */
function hashIn({ topics: [kind, indexed], data }: SafeEvent): string | null {
  return kind === failed ? null : (indexed ?? data.slice(0, 66))
}

/** Blocks in one request for events: what providers allow. */
const BLOCKS_AT_ONCE = 1_000

/** The Safe's next nonce after a block. A node without an archive has forgotten the state of old ones, but no events. */
async function nonceAfter(
  node: Node,
  safe: string,
  { height, hash }: NonNullable<Spend['block']>,
): Promise<number | undefined> {
  const latest = await node.ask('eth_blockNumber', [], forms.height)
  if (height > latest - STATES) return safeNonceAt(node, safe, { blockHash: hash })
  const known = latest - STATES
  let nonce = await safeNonceAt(node, safe, hex(known))
  if (nonce === undefined) return undefined
  for (let from = height + 1; from <= known; from += BLOCKS_AT_ONCE) {
    const to = Math.min(known, from + BLOCKS_AT_ONCE - 1)
    const filter = { fromBlock: hex(from), toBlock: hex(to), address: safe, topics: [[executed, failed]] }
    nonce -= (await node.ask('eth_getLogs', [filter], forms.events)).length
  }
  return nonce
}

function hex(height: number): string {
  return `0x${height.toString(16)}`
}
