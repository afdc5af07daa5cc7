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
import { transferAsked } from './erc20.ts'
import * as forms from './forms.ts'
import type { Node } from './node.ts'

/** How many blocks back a node without an archive knows balances (geth's default is 128). */
export const STATES = 100

const weiPerGwei = scaleOf(18 - assetDecimals.ETH)
/** A smaller rise is not looked into: stored transfers are cut to gwei, and dust is credited to nobody. */
const leastRise = 10_000n * weiPerGwei

/** In wei. */
type Balance = { height: number; wei: bigint }
type FullBlock = NonNullable<z.output<typeof forms.fullBlock>>
type Transaction = FullBlock['transactions'][number]

/** What a transaction has cost its sender, in wei: see `Scanned.sent`. @throws ChainError */
export async function costOf(
  node: Node,
  { hash, value }: Transaction,
  block: string,
): Promise<{ total: bigint; fee: bigint }> {
  const receipt = await node.ask('eth_getTransactionReceipt', [hash], forms.costs)
  if (receipt?.blockHash !== block) throw new ChainError(`${hash} is not in block ${block} any more`)
  const { gasUsed, effectiveGasPrice, blobGasUsed, blobGasPrice, status } = receipt
  const fee = gasUsed * effectiveGasPrice + (blobGasUsed ?? 0n) * (blobGasPrice ?? 0n)
  return { total: status === 1n ? value + fee : fee, fee }
}

/**
 * Ether that contracts sent: the rise of a balance that no known movement explains. The rise is measured between two blocks named by their
 * hashes; the blocks of the arrivals are then searched for by halving, and each is proved by that block alone.
 * @throws ChainError also if the blocks found do not explain the whole rise
 */
export async function contractEther(
  { node, tokens }: { node: Node; tokens: readonly { contract: string }[] },
  accounts: readonly Account[],
  { block, tip, isOwn }: Parameters<NonNullable<Chain['contractEther']>>[1],
): Promise<ContractEther> {
  const addresses = accounts.map(({ address }) => address)
  const sentBy = (transaction: Transaction) => ownSender(node, { tokens, isOwn }, transaction)
  const wei = await etherBalances(node, addresses, { blockHash: block.hash })
  const found: ContractEther = { balances: new Map(), transfers: [] }
  for (const [at, account] of accounts.entries()) {
    const now = { height: block.height, wei: wei[at]! }
    found.balances.set(account.address, now.wei / weiPerGwei)
    if (account.since === null) continue
    const since = { height: account.since.height, wei: account.since.units * weiPerGwei }
    const rise = riseOf(account, since, now)
    if (rise < leastRise) continue
    const transfers = await arrivalsOf(node, account, { since, now, oldest: tip - STATES, sentBy })
    const explained = transfers.reduce((sum, { units }) => sum + units * weiPerGwei, 0n)
    if (explained < rise - leastRise)
      throw new ChainError(`the balance of ${account.address} has more than the blocks read so far explain`)
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
  { since, now, oldest, sentBy }: { since: Balance; now: Balance; oldest: number; sentBy: SentBy },
): Promise<Transfer[]> {
  const { address } = account
  if (since.height >= oldest) return search(node, account, { from: since, to: now, sentBy })
  // The node has forgotten the blocks before: the first one that it knows shows the payments until then.
  const first = { height: oldest, wei: await balanceAt(node, address, hex(oldest)) }
  const earlier = riseOf(account, since, first)
  const later = await search(node, account, { from: first, to: now, sentBy })
  if (earlier < leastRise) return later
  return [transferOf(address, { wei: earlier, senders: [], block: await placeAt(node, oldest) }), ...later]
}

type Search = { from: Balance; to: Balance; sentBy: SentBy }

/** Halves the blocks until each rise is in one block. */
async function search(node: Node, account: Account, { from, to, sentBy }: Search): Promise<Transfer[]> {
  // What is stored was cut to gwei: a rise of so little may be nothing.
  const cutOff = BigInt(2 + movedIn(account.moved, from, to).length) * weiPerGwei
  if (riseOf(account, from, to) < cutOff) return []
  if (to.height - from.height === 1) return provedBy(node, account, { height: to.height, sentBy })
  const height = (from.height + to.height) >> 1
  const middle = { height, wei: await balanceAt(node, account.address, hex(height)) }
  return [
    ...(await search(node, account, { from, to: middle, sentBy })),
    ...(await search(node, account, { from: middle, to, sentBy })),
  ]
}

/** The arrival in one block, exactly: its balances before and after it, and all its transactions from and to the address. */
async function provedBy(
  node: Node,
  { address, moved }: Account,
  { height, sentBy }: { height: number; sentBy: SentBy },
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
  return [transferOf(address, { wei, senders: await sendersIn(block, sentBy), block: placeOf(block) })]
}

/** What a transaction itself moved to the address, or cost it. */
async function movedBy(
  node: Node,
  transaction: Transaction,
  { address, block }: { address: string; block: string },
): Promise<bigint> {
  const { hash, from, to, value } = transaction
  const spent = from === address ? (await costOf(node, transaction, block)).total : 0n
  if (to !== address || value === 0n) return -spent
  const receipt = await node.ask('eth_getTransactionReceipt', [hash], forms.costs)
  if (receipt?.blockHash !== block) throw new ChainError(`${hash} is not in block ${block} any more`)
  return receipt.status === 1n ? value - spent : -spent
}

/** The account or contract of ours that may have sent ether through a contract in a transaction; undefined if none. */
type SentBy = (transaction: Transaction) => Promise<string | undefined>

/** Our own account or contract, if one of ours may have sent the ether of the block. */
async function sendersIn({ transactions }: FullBlock, sentBy: SentBy): Promise<string[]> {
  for (const transaction of transactions) {
    const sender = await sentBy(transaction)
    if (sender !== undefined) return [sender]
  }
  return []
}

/**
 * A call by our account, other than of a token's `transfer`, or of our contract. Anybody can call the address of a key of ours, which
 * moves nothing.
 */
async function ownSender(
  node: Node,
  { tokens, isOwn }: { tokens: readonly { contract: string }[]; isOwn: (address: string) => boolean },
  { from, to, input }: Transaction,
): Promise<string | undefined> {
  if (input === '0x') return undefined
  const isTransfer =
    tokens.some(({ contract }) => contract === to) && transferAsked(from, input) !== undefined
  if (isOwn(from) && !isTransfer) return from
  if (!to || !isOwn(to)) return undefined
  const code = await node.ask('eth_getCode', [to, 'latest'], forms.bytes)
  return code === '0x' ? undefined : to
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
