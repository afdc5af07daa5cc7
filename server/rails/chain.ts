import { assetDecimals } from '#shared/money.ts'
/**
 * Reads a network: its transfers and their blocks. It asks a node or service over HTTP, so only jobs use it, never inside a database
 * transaction. It knows no key, person, ledger or database, and its answers do not depend on earlier calls.
 */
export type Chain = {
  /** Confirmations that a transfer needs; its own block is the first. */
  readonly confirmations: number
  /** Deepest reorg that we follow, in blocks. */
  readonly maxReorgDepth: number
  /**
   * How old the tip of a node that follows the network can be, in minutes: a multiple of its block time that chance exceeds less than once in
   * a thousand years. null where blocks come on demand.
   */
  readonly staleMinutes: number | null
  /**
   * How often the network is polled while nobody is about to pay, in seconds: providers bill each request. Unconfirmed transactions and
   * nonces are then not read either. null: as often as otherwise.
   */
  readonly restSeconds: number | null
  /** @throws ChainError */
  tip(): Promise<Block>
  /** The block of this height in the active chain; undefined above its tip. @throws ChainError */
  blockAt(height: number): Promise<Block | undefined>
  /**
   * Transfers to watched addresses and the slots used by watched outpoints and senders in these heights, both included. `blocks` form one
   * chain, in their order. @throws ChainError
   */
  scan(range: { from: number; to: number }, watched: Watched): Promise<Scanned>
  /** The same among unconfirmed transactions, as far as the node knows them. @throws ChainError */
  pending(watched: Watched): Promise<Pick<Scanned, 'transfers' | 'spends'>>
  /** Balances of these addresses as the network states them, by token, in minor units. @throws ChainError */
  balances(addresses: readonly string[]): Promise<Map<Token, bigint>>
  /**
   * What addresses hold, and what it takes to send that to `to`; only on networks with accounts.
   * @returns a row for each coin that an address has, in the block of this height @throws ChainError
   */
  holdings?(addresses: readonly string[], to: string): Promise<{ height: number; rows: Holding[] }>
  /**
   * Ether that contracts sent to accounts of ours up to a block, which no transaction shows; only on Ethereum.
   * @param of the block, in the chain and with enough confirmations; the height of the tip; whether an address is ours, payout senders
   *   included
   * @throws ChainError
   */
  contractEther?(
    accounts: readonly Account[],
    of: { block: { height: number; hash: string }; tip: number; isOwn: (address: string) => boolean },
  ): Promise<ContractEther>
  /** What addresses hold in one block, for a proof of reserves. @throws ChainError */
  reserves?(addresses: readonly string[]): Promise<Reserves>
  /** True if a contract accepts a signature of a message (EIP-1271); only on Ethereum. @throws ChainError */
  acceptsSignature?(contract: string, message: string, signature: string): Promise<boolean>
  /** The next nonce of an address that pays; only on networks that have them. @throws ChainError */
  nextNonce?(address: string): Promise<NextNonce>
  /**
   * Gives a signed transaction to the network; one that it knows or has mined already counts as accepted.
   * @param raw as `readSigned` of each network returns it @returns the node's reason if it refuses the transaction
   * @throws ChainError if the node cannot be asked
   */
  broadcast(raw: Uint8Array): Promise<{ refused: string | null }>
  /** What the network asks for now; null where the node has no estimate. @throws ChainError */
  fees(): Promise<FeeEstimate | null>
}

/** Fees by which a transaction confirms within minutes. */
export type FeeEstimate = {
  /**
   * Bitcoin: satoshi per 1,000 virtual bytes, for six blocks; Ethereum: the highest wei per gas (`maxFeePerGas`); TRON: what a unit of
   * energy burns, in sun.
   */
  price: bigint
  /** Ethereum: the part of it for the validator (`maxPriorityFeePerGas`); null elsewhere. */
  tip: bigint | null
}

/** What an address has of a coin. */
export type Holding = {
  /** As `addressKey` writes it. */
  address: string
  token: Exclude<Token, 'BTC'>
  /** Minor units of the token. */
  units: bigint
  /** Gas of a transfer on Ethereum, energy on TRON; null if the recipient or the token refuses one, or if it is not among the largest holdings. */
  gas: bigint | null
  /** Ethereum: after all known transactions, unconfirmed ones included; null if it is not among the largest holdings. */
  nextNonce: number | null
}

/** TRON tells of the present only: its block is the one before the balances were read. */
export type Reserves = {
  block: { height: number; hash: string }
  /** Those that hold something; `isContract` on Ethereum only. */
  holdings: { address: string; token: Token; units: bigint; isContract: boolean }[]
  /** Bitcoin: the outputs behind them. */
  outputs: UnspentOutput[]
}

export type UnspentOutput = { address: string; transactionId: string; position: number; satoshi: bigint }

/** An account of ours, and what is known to have moved its ether. */
export type Account = {
  address: string
  /** Its balance in an earlier block, in minor units; null if none was read: then all it has counts as known. */
  since: { height: number; units: bigint } | null
  /** In minor units, negative when spent; `byContract` if `contractEther` found it. */
  moved: readonly { height: number; units: bigint; byContract: boolean }[]
}

export type ContractEther = {
  /** In the block asked for, in minor units, by address. */
  balances: Map<string, bigint>
  /** Each in the block that proves it; `transactionId` is its hash. */
  transfers: Transfer[]
}

export type NextNonce = {
  /** After all known transactions, unconfirmed ones included; a Safe's after its last execution. */
  nonce: number
  /** The version of the Safe at the address; null for the address of a key. */
  safe: SafeVersion | null
}

/** Versions of the Safe contract that pay withdrawals. */
export const safeVersions = ['1.3.0', '1.4.1'] as const
export type SafeVersion = (typeof safeVersions)[number]

export type Block = { height: number; hash: string; parentHash: string; time: Date }
export type Place = Omit<Block, 'parentHash'>

/** Addresses as `addressKey` of shared/addresses.ts writes them. */
export type Watched = {
  /** What pays them is reported. */
  addresses: ReadonlySet<string>
  /** Bitcoin: as `outpointOf` names them. */
  outpoints: ReadonlySet<string>
  /** Networks with accounts: every transaction that these sign is reported, failed ones and any call included. */
  senders: ReadonlySet<string>
  /** Ethereum: our addresses, of which `Scanned.sent` reports what left them. */
  own?: ReadonlySet<string>
  /** Ethereum: addresses that pay withdrawals. Where one is a Safe, each of its executions is reported. */
  payers?: ReadonlySet<string>
}

export type Scanned = {
  blocks: Block[]
  transfers: Transfer[]
  spends: Spend[]
  /** Ethereum: what transactions of our own addresses and of senders cost them, their fees included, in minor units. */
  sent?: { address: string; transactionId: string; units: bigint; feeWei: bigint; height: number }[]
  /** Bitcoin: raw transactions of these transfers by id, without witnesses. */
  transactions?: Map<string, Uint8Array>
}

/** Tokens that an address can receive. We never request USDC or TRX, but report them. */
export const tokens = ['BTC', 'ETH', 'USDT', 'USDC', 'TRX'] as const
export type Token = (typeof tokens)[number]

/** Decimal places of a token's minor units in `Transfer`. */
export const tokenDecimals: Record<Token, number> = {
  BTC: assetDecimals.BTC,
  ETH: assetDecimals.ETH,
  USDT: assetDecimals.USDT,
  USDC: assetDecimals.USDC,
  TRX: 6,
}

export type Transfer = {
  /** In lower case, as the network's explorers write it. */
  transactionId: string
  /**
   * Identifies the transfer within its transaction, also after a reorg: Bitcoin's output index; 0 for ether and TRX, and for a token the place
   * of its event in the transaction, from 1.
   */
  position: number
  /** As `addressKey` writes it. */
  address: string
  token: Token
  /** Minor units of the token: satoshi, gwei (rounded down), 10^-6 USDT, USDC or TRX. */
  units: bigint
  /** The spent outpoints (`outpointOf`) on Bitcoin, else the sender's address: identifies our payouts. */
  from: readonly string[]
  /** null while unconfirmed. */
  block: Place | null
  /** Sent by a contract within a transaction that we do not know: the block is the evidence, and its hash the `transactionId`. */
  byContract?: true
}

/** The use of a slot, which the network lets be used once. */
export type Spend = {
  /**
   * Bitcoin: the outpoint (`outpointOf`); Ethereum: sender and nonce (`nonceSlot`), or a Safe and the transaction of its module; TRON: the
   * transaction id.
   */
  slot: string
  /** As `addressKey` writes it; null on Bitcoin. */
  sender: string | null
  transactionId: string
  /** null while unconfirmed. */
  block: Place | null
  /** The Safe transaction (EIP-712) that a Safe executed; null or missing elsewhere, and if that failed. */
  safeTxHash?: string | null
}

/** Names an output of Bitcoin: '<transaction id>:<index>'. */
export function outpointOf(transactionId: string, index: number): string {
  return `${transactionId}:${index}`
}

/** Names a nonce of Ethereum: '<sender in lower case>:<nonce>'. */
export function nonceSlot(sender: string, nonce: number): string {
  return `${sender.toLowerCase()}:${nonce}`
}

/** A node did not answer, gave an undocumented answer, or changed its chain meanwhile. Nothing was stored; the next sync asks again. */
export class ChainError extends Error {
  /** Milliseconds to wait before the next request, if the node said so. */
  readonly waitMs: number | undefined
  /** True if the answer took too long: the node may still carry out the request. */
  readonly isLate: boolean
  /** The node's own words, only for the log: some providers repeat their address there, with the key. */
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
