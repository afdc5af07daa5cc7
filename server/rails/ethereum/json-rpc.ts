import { bytesToHex, keccak256 } from 'viem'
import type { z } from 'zod'
import {
  type Block,
  type Chain,
  ChainError,
  type FeeEstimate,
  type NextNonce,
  nonceSlot,
  type SafeVersion,
  type Scanned,
  type Spend,
  type Token,
  type Transfer,
  type Watched,
} from '#server/rails/chain.ts'
import { assetDecimals, scaleOf } from '#shared/money.ts'
import type { TokenContracts } from '#shared/token-contracts.ts'
import { authorizedSpends } from './authorizations.ts'
import { etherBalances, tokenBalances } from './balances.ts'
import { contractEther, costOf } from './contract-ether.ts'
import { decimalsCall, type Movement, transferAsked, transferDone, transferTopic } from './erc20.ts'
import * as forms from './forms.ts'
import { holdings } from './holdings.ts'
import { type Node, nodeAt } from './node.ts'
import { acceptsSignature, reserves } from './reserves.ts'
import { executionsIn, safeNonceAt, safeTopics, safeVersionAt } from './safe-chain.ts'

/** Settings of Ethereum's sync. */
export type EthereumChainSettings = {
  /** JSON-RPC over HTTP. */
  rpcUrl: string
  /** EIP-155. A node of another chain is refused. */
  chainId: number
  confirmations: number
  /** A token without a contract is not synced. */
  contracts: TokenContracts
}

/** As exchanges and shops wait; finality by proof of stake takes 64 blocks. */
export const defaultConfirmations = 12
/** Two epochs: deeper blocks are final while two thirds of the validators are honest (consensus-specs, Casper FFG). */
const MAX_REORG_DEPTH = 64
/** Full blocks requested at once. */
const BLOCKS_AT_ONCE = 10
/** Milliseconds for which a node that was on the right chain and fully synced is trusted to be so still. */
const CHECKED_MS = 5 * 60_000

const weiPerGwei = scaleOf(18 - assetDecimals.ETH)

type FullBlock = NonNullable<z.output<typeof forms.fullBlock>>
type Transaction = FullBlock['transactions'][number]
/** A token and its contract's address in lower case. */
type WatchedToken = { token: 'USDT' | 'USDC'; contract: string }

/** Fifty slots (12 seconds each). */
const STALE_MINUTES = 10
/** `Chain.restSeconds`: two or three blocks. */
const REST_SECONDS = 30
/** Their blocks come with transactions: Foundry's and Hardhat's, and Geth's for developers. */
const localChains: ReadonlySet<number> = new Set([31_337, 1_337])

/**
 * Ethereum by a node's JSON-RPC: ether sent to an address by a transaction, and Transfer events of USDT and USDC.
 *
 * Ether that a contract forwards (an "internal" transfer) has no transaction or event of its own: `contractEther` reads it from
 * balances. `pending` is the node's pending block: ether, and tokens by a plain call of `transfer`. Other nodes may know
 * more, and a provider without a pending block shows none.
 */
export function ethereumChain({ rpcUrl, chainId, confirmations, contracts }: EthereumChainSettings): Chain {
  const node = nodeAt(rpcUrl)
  const tokens = (['USDT', 'USDC'] as const).flatMap(token => {
    const contract = contracts[token]?.toLowerCase()
    return contract === undefined ? [] : [{ token, contract }]
  })
  const { check, wasChecked, doubt } = nodeCheck(node, chainId, tokens)
  /** Asks the node and checks it, in one batch. */
  const checked = async <T>(work: () => Promise<T>) => (await Promise.all([work(), check()]))[0]
  /**
   * The same without a check if there was one lately, for the requests of every sync: a tip, and blocks that must follow from those that we
   * know. What does not follow is compared by `blockAt`, which always checks.
   */
  const routine = async <T>(work: () => Promise<T>) => {
    try {
      return await (wasChecked() ? work() : checked(work))
    } catch (error) {
      doubt()
      throw error
    }
  }
  /** The same for work of many requests, which never starts on a wrong node. */
  const checkedFirst = async <T>(work: () => Promise<T>) => {
    await check()
    return work()
  }
  const safeAt = rememberedFor(CHECKED_MS, address => safeVersionAt(node, chainId, address))
  const blockAt = async (at: string) => {
    const block = await node.ask('eth_getBlockByNumber', [at, false], forms.block)
    return block ? blockOf(block) : undefined
  }
  const tip = async () => (await blockAt('latest')) ?? missing('the node has no block')
  return {
    confirmations,
    maxReorgDepth: Math.max(MAX_REORG_DEPTH, confirmations),
    staleMinutes: localChains.has(chainId) ? null : STALE_MINUTES,
    restSeconds: REST_SECONDS,
    tip: () => routine(tip),
    blockAt: height => checked(() => blockAt(hex(height))),
    scan: (range, watched) => routine(() => scan({ node, chainId }, tokens, range, watched)),
    pending: watched => routine(() => pending(node, tokens, watched)),
    balances: addresses => checkedFirst(async () => balances(node, tokens, addresses, (await tip()).height)),
    holdings: (addresses, to) =>
      checkedFirst(async () => {
        const { height } = await tip()
        return { height, rows: await holdings(node, addresses, { tokens, to, block: hex(height) }) }
      }),
    reserves: addresses => checkedFirst(async () => reserves(node, tokens, addresses, await tip())),
    acceptsSignature: (contract, message, signature) =>
      checked(() => acceptsSignature(node, contract, message, signature)),
    contractEther: (accounts, of) => routine(() => contractEther({ node, tokens }, accounts, of)),
    nextNonce: address => routine(async () => nextNonce(node, address, await safeAt(address))),
    broadcast: raw => checkedFirst(() => broadcast(node, raw)),
    fees: () => checked(() => fees(node)),
  }
}

/** Asks once for each address and time: what is there hardly ever changes. */
function rememberedFor<T>(
  milliseconds: number,
  ask: (address: string) => Promise<T>,
): (address: string) => Promise<T> {
  const known = new Map<string, { value: T; until: number }>()
  return async address => {
    const last = known.get(address)
    if (last !== undefined && performance.now() < last.until) return last.value
    const value = await ask(address)
    known.set(address, { value, until: performance.now() + milliseconds })
    return value
  }
}

/** A node that has the transaction refuses it in words of its own, and a mined one for its used nonce: so ask for it by its id. */
async function broadcast(node: Node, raw: Uint8Array): Promise<{ refused: string | null }> {
  const refused = await node.refusal('eth_sendRawTransaction', [bytesToHex(raw)])
  if (refused === null) return { refused }
  const known = await node.ask('eth_getTransactionByHash', [keccak256(raw)], forms.known)
  return { refused: known ? null : refused }
}

/** Twice the base fee stays enough for five full blocks more, each of which raises it by an eighth at most (EIP-1559). */
async function fees(node: Node): Promise<FeeEstimate | null> {
  const [block, tip] = await Promise.all([
    node.ask('eth_getBlockByNumber', ['latest', false], forms.priced),
    node.ask('eth_maxPriorityFeePerGas', [], forms.quantity),
  ])
  if (block?.baseFeePerGas == null) return null
  return { price: 2n * block.baseFeePerGas + tip, tip }
}

/** Checks that the node is on the right chain and fully synced, and that its tokens have six decimals. */
function nodeCheck(node: Node, chainId: number, tokens: readonly WatchedToken[]) {
  // A contract's decimals never change: check them until they were right once.
  let tokensFit = false
  let checkedAt: number | undefined
  const check = async () => {
    const [id, syncing] = await Promise.all([
      node.ask('eth_chainId', [], forms.quantity),
      node.ask('eth_syncing', [], forms.syncing),
      ...(tokensFit ? [] : tokens.map(token => requireDecimals(node, token))),
    ])
    if (id !== BigInt(chainId)) throw new ChainError(`the node is on chain ${id}, not on ${chainId}`)
    if (syncing !== false) throw new ChainError('the node is still syncing')
    tokensFit = true
    checkedAt = performance.now()
  }
  return {
    check,
    wasChecked: () => checkedAt !== undefined && performance.now() - checkedAt < CHECKED_MS,
    /** The next request checks the node again. */
    doubt: () => {
      checkedAt = undefined
    },
  }
}

async function requireDecimals(node: Node, { token, contract }: WatchedToken): Promise<void> {
  const decimals = await node.ask(
    'eth_call',
    [{ to: contract, data: decimalsCall }, 'latest'],
    forms.maybeWord,
  )
  if (decimals === undefined) missing(`there is no ${token} at ${contract} on this chain`)
  if (decimals !== BigInt(assetDecimals.USDT)) {
    missing(`${contract} has ${decimals} decimals, ${token} has ${assetDecimals.USDT}`)
  }
}

async function scan(
  { node, chainId }: { node: Node; chainId: number },
  tokens: readonly WatchedToken[],
  { from, to }: { from: number; to: number },
  watched: Watched,
): Promise<Scanned> {
  const scanned: Scanned = { blocks: [], transfers: [], spends: [], sent: [] }
  for (let first = from; first <= to; first += BLOCKS_AT_ONCE) {
    const heights = Array.from({ length: Math.min(BLOCKS_AT_ONCE, to - first + 1) }, (_, i) => first + i)
    const blocks = await Promise.all(heights.map(height => fullBlock(node, height)))
    for (const block of blocks) {
      const parent = scanned.blocks.at(-1)
      if (parent && block.parentHash !== parent.hash) missing(`the chain changed below block ${block.number}`)
      scanned.blocks.push(blockOf(block))
    }
    const { payers = new Set() } = watched
    const events = await Promise.all(blocks.map(block => eventsIn(node, { tokens, payers }, block)))
    const found = await Promise.all(
      blocks.map((block, at) => transfersIn(node, tokens, { block, events: events[at]! }, watched.addresses)),
    )
    scanned.transfers.push(...found.flat())
    for (const [at, block] of blocks.entries()) {
      const place = placeOf(block)
      scanned.spends.push(...spendsIn(block.transactions, watched, place))
      scanned.spends.push(...(await authorizedSpends({ node, chainId }, block, watched.senders)))
      scanned.spends.push(...(await executionsIn(node, place, { events: events[at]!, payers })))
      scanned.sent!.push(...(await sentIn(node, block, watched)))
    }
    if (
      tokens.length + payers.size > 0 &&
      blocks.some((block, at) => block.transactions.length > 0 && events[at]!.length === 0)
    )
      await requireCurrent(node, blocks.at(-1)!)
  }
  return scanned
}

/** For a block that was replaced, some nodes return no events instead of an error; events name the block, so any of them proves it. */
async function requireCurrent(node: Node, { number, hash }: FullBlock): Promise<void> {
  const now = await node.ask('eth_getBlockByNumber', [hex(number), false], forms.block)
  if (now?.hash !== hash) missing(`the chain changed at block ${number}`)
}

async function fullBlock(node: Node, height: number): Promise<FullBlock> {
  const block = await node.ask('eth_getBlockByNumber', [hex(height), true], forms.fullBlock)
  return block?.number === height ? block : missing(`block ${height} is not there any more`)
}

/**
 * Transfers to the addresses in a block. Events are requested by the block's hash (EIP-234), and receipts name it, so
 * all belong to this block.
 */
async function transfersIn(
  node: Node,
  tokens: readonly WatchedToken[],
  { block, events }: { block: FullBlock; events: readonly ContractEvent[] },
  addresses: ReadonlySet<string>,
): Promise<Transfer[]> {
  const paid = new Map<string, Transaction>()
  for (const transaction of block.transactions) {
    if (carriesEther(transaction, addresses)) paid.set(transaction.hash, transaction)
  }
  const ids = new Set(paid.keys())
  for (const event of events) {
    const moved = transferDone(event)
    if (moved && arrives(moved, addresses)) ids.add(event.transactionHash)
  }
  const found = await Promise.all(
    [...ids].map(async id => {
      const receipt = await node.ask('eth_getTransactionReceipt', [id], forms.receipt)
      if (receipt?.blockHash !== block.hash) return missing(`${id} is not in block ${block.number} any more`)
      // A failed transaction is in its block and moves nothing.
      if (receipt.status !== 1n) return []
      const ether = paid.get(id)
      return [
        ...(ether ? [etherTransfer(ether)] : []),
        ...receipt.logs.flatMap((event, place) => tokenTransfer(tokens, id, event, place, addresses)),
      ]
    }),
  )
  const at = placeOf(block)
  return found.flat().map(transfer => ({ ...transfer, block: at }))
}

function placeOf({ number: height, hash, timestamp }: FullBlock): NonNullable<Spend['block']> {
  return { height, hash, time: new Date(timestamp * 1000) }
}

/** The nonces that transactions of watched senders use. */
function spendsIn(
  transactions: readonly Transaction[],
  { senders }: Watched,
  block: Spend['block'],
): Spend[] {
  return transactions.flatMap(({ hash, from, nonce }) =>
    senders.has(from) ? [{ slot: nonceSlot(from, nonce), sender: from, transactionId: hash, block }] : [],
  )
}

type ContractEvent = z.output<typeof forms.events>[number]

async function sentIn(
  node: Node,
  { number: height, hash, transactions }: FullBlock,
  { own, senders }: Watched,
): Promise<NonNullable<Scanned['sent']>> {
  const ours = transactions.filter(({ from }) => own?.has(from) || senders.has(from))
  return Promise.all(
    ours.map(async transaction => {
      const { total, fee } = await costOf(node, transaction, hash)
      const { from: address, hash: transactionId } = transaction
      return { address, transactionId, units: total / weiPerGwei, feeWei: fee, height }
    }),
  )
}

/** Events of the tokens, and of Safes among the payers; other payers have none. */
async function eventsIn(
  node: Node,
  { tokens, payers }: { tokens: readonly WatchedToken[]; payers: ReadonlySet<string> },
  { number, hash, transactions }: FullBlock,
): Promise<ContractEvent[]> {
  const address = [...tokens.map(({ contract }) => contract), ...payers]
  if (address.length === 0 || transactions.length === 0) return []
  const filter = { blockHash: hash, address, topics: [[transferTopic, ...safeTopics]] }
  const events = await node.ask('eth_getLogs', [filter], forms.events)
  return events.every(event => event.blockHash === hash)
    ? events
    : missing(`the node returns events of another block than ${number}`)
}

function carriesEther({ from, to, value }: Transaction, addresses: ReadonlySet<string>): boolean {
  // Fractions of a gwei are cut off; a transfer to oneself brings nothing.
  return to != null && to !== from && value >= weiPerGwei && addresses.has(to)
}

function arrives({ from, to, units }: Movement, addresses: ReadonlySet<string>): boolean {
  // Zero-value events serve to place look-alike addresses in a history.
  return units > 0n && to !== from && addresses.has(to)
}

function etherTransfer({ hash, from, to, value }: Transaction): Transfer {
  return {
    transactionId: hash,
    position: 0,
    address: to!,
    token: 'ETH',
    units: value / weiPerGwei,
    from: [from],
    block: null,
  }
}

/** @param place of the event among those of its transaction, which is the same in any block */
function tokenTransfer(
  tokens: readonly WatchedToken[],
  transactionId: string,
  event: forms.Event,
  place: number,
  addresses: ReadonlySet<string>,
): Transfer[] {
  const token = tokens.find(({ contract }) => contract === event.address)
  const moved = token && transferDone(event)
  if (!moved || !arrives(moved, addresses)) return []
  return [tokenTransferOf(token, transactionId, moved, place + 1)]
}

function tokenTransferOf(
  { token }: WatchedToken,
  transactionId: string,
  moved: Movement,
  position: number,
): Transfer {
  const { from, to, units } = moved
  return { transactionId, position, address: to, token, units, from: [from], block: null }
}

async function pending(
  node: Node,
  tokens: readonly WatchedToken[],
  watched: Watched,
): Promise<Pick<Scanned, 'transfers' | 'spends'>> {
  const block = await node.ask('eth_getBlockByNumber', ['pending', true], forms.pendingBlock)
  const transactions = block?.transactions ?? []
  const found = {
    transfers: transactions.flatMap(each => pendingTransfer(tokens, each, watched)),
    spends: spendsIn(transactions, watched, null),
  }
  if (block?.number == null || (found.transfers.length === 0 && found.spends.length === 0)) return found
  // Some providers return the latest block, which is not pending.
  const latest = await node.ask('eth_getBlockByNumber', ['latest', false], forms.block)
  return latest && block.number <= latest.number ? { transfers: [], spends: [] } : found
}

function pendingTransfer(
  tokens: readonly WatchedToken[],
  transaction: Transaction,
  { addresses }: Watched,
): Transfer[] {
  if (carriesEther(transaction, addresses)) return [etherTransfer(transaction)]
  const token = tokens.find(({ contract }) => contract === transaction.to)
  const moved = token && transferAsked(transaction.from, transaction.input)
  // A plain transfer emits one event.
  return moved && arrives(moved, addresses) ? [tokenTransferOf(token, transaction.hash, moved, 1)] : []
}

async function balances(
  node: Node,
  tokens: readonly WatchedToken[],
  addresses: readonly string[],
  height: number,
): Promise<Map<Token, bigint>> {
  const [ether, ...ofTokens] = await Promise.all([
    etherBalances(node, addresses, hex(height)),
    ...tokens.map(async ({ token, contract }) => {
      const units = await tokenBalances(node, contract, addresses, hex(height))
      return [token, sumOf(units)] as const
    }),
  ])
  return new Map<Token, bigint>([['ETH', sumOf(ether) / weiPerGwei], ...ofTokens])
}

async function nextNonce(node: Node, address: string, safe: SafeVersion | null): Promise<NextNonce> {
  if (safe !== null) {
    const nonce = await safeNonceAt(node, address, 'latest')
    return { nonce: nonce ?? missing(`${address} stores what no nonce of a Safe can be`), safe }
  }
  const at = (block: string) => node.ask('eth_getTransactionCount', [address, block], forms.count)
  // Some nodes leave out of 'pending' what they have just mined.
  const [pending, latest] = await Promise.all([at('pending'), at('latest')])
  return { nonce: Math.max(pending, latest), safe }
}

function sumOf(values: readonly bigint[]): bigint {
  return values.reduce((sum, value) => sum + value, 0n)
}

function blockOf({ number, hash, parentHash, timestamp }: NonNullable<z.output<typeof forms.block>>): Block {
  return { height: number, hash, parentHash, time: new Date(timestamp * 1000) }
}

function hex(height: number): string {
  return `0x${height.toString(16)}`
}

function missing(words: string): never {
  throw new ChainError(words)
}
