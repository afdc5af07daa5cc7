export type Payable = { address: string; script: Uint8Array }

/** What a backend is asked for. Whatever it answers is held against the hash that was asked for; every call throws ChainFault. */
export type Source = {
  /** The highest block that it has; a fault while it is still catching up with the network. */
  tip(): Promise<{ height: number; hash: string }>
  /** In the chain that counts now; undefined above its tip. */
  hashAt(height: number): Promise<string | undefined>
  /** The first 80 bytes of a block. */
  header(hash: string): Promise<Uint8Array>
  /** The whole block (BIP-144). */
  block(hash: string): Promise<Uint8Array>
  /** Ids of all transactions that are in no block yet. */
  unconfirmed(): Promise<string[]>
  /** Some of them, in the order of their ids; undefined where it has left the memory pool meanwhile. */
  transactions(ids: readonly string[]): Promise<(Uint8Array | undefined)[]>
  /** Satoshi that lie unspent at these addresses, in blocks. */
  unspent(addresses: readonly Payable[]): Promise<bigint>
}
