/**
 * The side of a rail that looks at its network: what has been paid where, and how deep it lies. It asks a node or a
 * service over HTTP, so it is used in jobs alone, never inside a database transaction. It holds no key, knows nothing of
 * people, the books or the database, and keeps nothing between two calls that the answers would depend on.
 */
export type Chain = {
  /** How many confirmations a transfer needs before it counts; the block that holds it is the first. */
  readonly confirmations: number
  /** How far back a block may still be replaced by another one, in blocks: as many are compared with what was seen before. */
  readonly maxReorgDepth: number
  /** The highest block. @throws ChainFault */
  tip(): Promise<Block>
  /** The block of this height in the chain that counts now; undefined above its tip. @throws ChainFault */
  blockAt(height: number): Promise<Block | undefined>
  /**
   * What pays a watched address, or spends a watched outpoint, in the blocks of these heights, both included, which are one chain;
   * `blocks` are those blocks, in their order, each the parent of the next. @throws ChainFault
   */
  scan(range: { from: number; to: number }, watched: Watched): Promise<Scanned>
  /** What pays a watched address, or spends a watched outpoint, and is in no block yet, as far as the network knows it. @throws ChainFault */
  pending(watched: Watched): Promise<Pick<Scanned, 'transfers' | 'spends'>>
  /** What lies at these addresses by the network's own account, by token, in its minor units. @throws ChainFault */
  balances(addresses: readonly string[]): Promise<Map<Token, bigint>>
  /**
   * Where the transactions that an address sends are numbered, how far it is; not there on the other networks.
   * @param height up to which the blocks are read: what is in higher ones is not settled @throws ChainFault
   */
  nonces?(address: string, height: number): Promise<Nonces>
}

/** How far the numbers are that an address gives its transactions. */
export type Nonces = {
  /** Of its next one, after all that is known of it, also what is in no block yet. */
  next: number
  /** Every one below it is used, with enough confirmations. */
  settled: number
}

/** One block. */
export type Block = { height: number; hash: string; parentHash: string; time: Date }

/** Addresses as `addressKey` of shared/addresses.ts writes them, and outpoints as `outpointOf`. */
export type Watched = { addresses: ReadonlySet<string>; outpoints: ReadonlySet<string> }

export type Scanned = {
  blocks: Block[]
  transfers: Transfer[]
  spends: Spend[]
  /** Bitcoin: the transactions of the transfers in these blocks by their ids, whole but for witnesses. */
  transactions?: Map<string, Uint8Array>
}

/** What can come to an address. USDC is never asked for; where it comes, it is told and not lost. */
export const tokens = ['BTC', 'ETH', 'USDT', 'USDC'] as const
export type Token = (typeof tokens)[number]

/** One payment to one address. */
export type Transfer = {
  /** In lower case, as the network's explorers write it. */
  transactionId: string
  /**
   * Which of its transaction's transfers it is. With the transaction's id it names the transfer for good, also when the
   * transaction is mined again in another block: Bitcoin's output index; 0 of a native transfer of Ethereum, and of a token's the
   * place of its event among those of the transaction, counted from 1.
   */
  position: number
  /** As `addressKey` writes it. */
  address: string
  token: Token
  /** Minor units of the token: satoshi, gwei (what is finer is cut off), 10^-6 USDT or USDC. */
  units: bigint
  /** What it spends, by which a payout is known: outpoints (`outpointOf`) of Bitcoin, else the one sender's address. */
  from: readonly string[]
  /** null: seen, in no block yet. */
  block: Omit<Block, 'parentHash'> | null
}

/** A watched outpoint was spent. */
export type Spend = { outpoint: string; transactionId: string; block: Omit<Block, 'parentHash'> | null }

/** Bitcoin's name of one output: '<transaction id>:<index>'. */
export function outpointOf(transactionId: string, index: number): string {
  return `${transactionId}:${index}`
}

/**
 * A node or service that does not answer, answers something else than is documented, or changed its chain while it was asked. Nothing
 * was learnt; the next look asks again.
 */
export class ChainFault extends Error {
  /** Milliseconds for which it wants to be left alone; undefined where it said nothing of that. */
  readonly waitMs: number | undefined
  /** Whether the answer took too long: what was asked for may still be done. */
  readonly isLate: boolean
  /** In the node's own words, for the log alone: some providers repeat their address there, with the key. */
  readonly details: string | undefined

  constructor(
    message: string,
    { waitMs, isLate = false, details }: { waitMs?: number; isLate?: boolean; details?: string } = {},
  ) {
    super(message)
    this.waitMs = waitMs
    this.isLate = isLate
    this.details = details
  }
}
