import type { z } from 'zod'
import {
  type Account,
  type Chain,
  ChainError,
  type ContractEther,
  type Place,
  type Transfer,
} from '#server/rails/chain.ts'
import { assetDecimals, scaleOf } from '#shared/money.ts'
import { etherBalances } from './balances.ts'
import * as forms from './forms.ts'
import type { Node } from './node.ts'

/** How many blocks back a node without an archive knows balances (geth's default is 128). */
export const STATES = 100

const weiPerGwei = scaleOf(18 - assetDecimals.ETH)
/** A smaller rise is not looked into: stored transfers are cut to gwei, and dust is credited to nobody. */
const leastRise = 10_000n * weiPerGwei

type IsOwn = (address: string) => boolean
/** In wei. */
type Balance = { height: number; wei: bigint }
type FullBlock = NonNullable<z.output<typeof forms.fullBlock>>
type Transaction = FullBlock['transactions'][number]

/** What an account's transactions have cost it: see `Scanned.sent`. @throws ChainError */
export async function costOf(node: Node, { hash, value }: Transaction, block: string): Promise<bigint> {
  const receipt = await node.ask('eth_getTransactionReceipt', [hash], forms.costs)
  if (receipt?.blockHash !== block) throw new ChainError(`${hash} is not in block ${block} any more`)
  const { gasUsed, effectiveGasPrice, blobGasUsed, blobGasPrice, status } = receipt
  const fee = gasUsed * effectiveGasPrice + (blobGasUsed ?? 0n) * (blobGasPrice ?? 0n)
  return status === 1n ? value + fee : fee
}

/**
 * Ether that contracts sent: the rise of a balance that no known movement explains. The rise is measured between two blocks named by their
 * hashes; the blocks of the arrivals are then searched for by halving, and each is proved by that block alone.
 * @throws ChainError also if the blocks found do not explain the whole rise
 */
export async function contractEther(
  node: Node,
  accounts: readonly Account[],
  { block, tip, isOwn }: Parameters<NonNullable<Chain['contractEther']>>[1],
): Promise<ContractEther> {
  const addresses = accounts.map(({ address }) => address)
  const wei = await etherBalances(node, addresses, { blockHash: block.hash })
  const found: ContractEther = { balances: new Map(), transfers: [] }
  for (const [at, account] of accounts.entries()) {
    const now = { height: block.height, wei: wei[at]! }
    found.balances.set(account.address, now.wei / weiPerGwei)
    if (account.since === null) continue
    const since = { height: account.since.height, wei: account.since.units * weiPerGwei }
    const rise = riseOf(account, since, now)
    if (rise < leastRise) continue
    const transfers = await arrivalsOf(node, account, { since, now, oldest: tip - STATES, isOwn })
    const explained = transfers.reduce((sum, { units }) => sum + units * weiPerGwei, 0n)
    if (explained < rise - leastRise)
      throw new ChainError(`the balance of ${account.address} changed while it was read`)
    found.transfers.push(...transfers)
  }
  return found
}

/** What the balance rose by from one block to another beyond all known movements, in wei; negative if it fell. */
function riseOf({ moved }: Account, from: Balance, to: Balance): bigint {
  const known = movedIn(moved, from, to).reduce((sum, { units }) => sum + units, 0n)
  return to.wei - from.wei - known * weiPerGwei
}

function movedIn(moved: Account['moved'], from: Balance, to: Balance) {
  return moved.filter(({ height }) => height > from.height && height <= to.height)
}

async function arrivalsOf(
  node: Node,
  account: Account,
  { since, now, oldest, isOwn }: { since: Balance; now: Balance; oldest: number; isOwn: IsOwn },
): Promise<Transfer[]> {
  const { address } = account
  if (since.height >= oldest) return search(node, account, { from: since, to: now, isOwn })
  // The node has forgotten the blocks before: the first one that it knows shows the payments until then.
  const first = { height: oldest, wei: await balanceAt(node, address, hex(oldest)) }
  const earlier = riseOf(account, since, first)
  const later = await search(node, account, { from: first, to: now, isOwn })
  if (earlier < leastRise) return later
  return [transferOf(address, { wei: earlier, senders: [], block: await placeAt(node, oldest) }), ...later]
}

type Search = { from: Balance; to: Balance; isOwn: IsOwn }

/** Halves the blocks until each rise is in one block. */
async function search(node: Node, account: Account, { from, to, isOwn }: Search): Promise<Transfer[]> {
  // What is stored was cut to gwei: a rise of so little may be nothing.
  const cutOff = BigInt(2 + movedIn(account.moved, from, to).length) * weiPerGwei
  if (riseOf(account, from, to) < cutOff) return []
  if (to.height - from.height === 1) return provedBy(node, account, { height: to.height, isOwn })
  const height = (from.height + to.height) >> 1
  const middle = { height, wei: await balanceAt(node, account.address, hex(height)) }
  return [
    ...(await search(node, account, { from, to: middle, isOwn })),
    ...(await search(node, account, { from: middle, to, isOwn })),
  ]
}

/** The arrival in one block, exactly: its balances before and after it, and all its transactions from and to the address. */
async function provedBy(
  node: Node,
  { address, moved }: Account,
  { height, isOwn }: { height: number; isOwn: IsOwn },
): Promise<Transfer[]> {
  const block = await node.ask('eth_getBlockByNumber', [hex(height), true], forms.fullBlock)
  if (block?.number !== height) throw new ChainError(`block ${height} is not there any more`)
  const { hash, parentHash, transactions } = block
  const [before, after] = await Promise.all(
    [parentHash, hash].map(blockHash => balanceAt(node, address, { blockHash })),
  )
  let wei = after! - before!
  for (const transaction of transactions) wei -= await movedBy(node, transaction, { address, block: hash })
  for (const known of moved) if (known.byContract && known.height === height) wei -= known.units * weiPerGwei
  if (wei < weiPerGwei) return []
  return [transferOf(address, { wei, senders: sendersIn(block, isOwn), block: placeOf(block) })]
}

/** What a transaction itself moved to the address, or cost it. */
async function movedBy(
  node: Node,
  transaction: Transaction,
  { address, block }: { address: string; block: string },
): Promise<bigint> {
  const { hash, from, to, value } = transaction
  const spent = from === address ? await costOf(node, transaction, block) : 0n
  if (to !== address || value === 0n) return -spent
  const receipt = await node.ask('eth_getTransactionReceipt', [hash], forms.costs)
  if (receipt?.blockHash !== block) throw new ChainError(`${hash} is not in block ${block} any more`)
  return receipt.status === 1n ? value - spent : -spent
}

/** Our own account or contract, if one of ours may have sent the ether: calls by it or of it in the block. */
function sendersIn({ transactions }: FullBlock, isOwn: IsOwn): string[] {
  const calls = transactions.filter(({ input }) => input !== '0x')
  const ours = calls.flatMap(({ from, to }) => [from, to ?? from].filter(isOwn))
  return ours.slice(0, 1)
}

/** It has no transaction of its own: the block's hash names it. */
function transferOf(
  address: string,
  { wei, senders, block }: { wei: bigint; senders: string[]; block: Place },
): Transfer {
  const units = wei / weiPerGwei
  return {
    transactionId: block.hash,
    position: 0,
    address,
    token: 'ETH',
    units,
    from: senders,
    block,
    byContract: true,
  }
}

function balanceAt(node: Node, address: string, block: string | { blockHash: string }): Promise<bigint> {
  return node.ask('eth_getBalance', [address, block], forms.quantity)
}

async function placeAt(node: Node, height: number): Promise<Place> {
  const block = await node.ask('eth_getBlockByNumber', [hex(height), false], forms.block)
  if (block?.number !== height) throw new ChainError(`block ${height} is not there any more`)
  return placeOf(block)
}

function placeOf({
  number: height,
  hash,
  timestamp,
}: Pick<FullBlock, 'number' | 'hash' | 'timestamp'>): Place {
  return { height, hash, time: new Date(timestamp * 1000) }
}

function hex(height: number): string {
  return `0x${height.toString(16)}`
}
