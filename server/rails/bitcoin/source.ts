export type Payable = { address: string; script: Uint8Array }

/** A backend of Bitcoin. We check its answers against the requested hash; every call throws ChainError. */
export type Source = {
  /** Its highest block; an error while it is still syncing. */
  tip(): Promise<{ height: number; hash: string }>
  /** In the active chain; undefined above its tip. */
  hashAt(height: number): Promise<string | undefined>
  /** The first 80 bytes of a block. */
  header(hash: string): Promise<Uint8Array>
  /** The whole block (BIP-144). */
  block(hash: string): Promise<Uint8Array>
  /** Ids of all unconfirmed transactions. */
  unconfirmed(): Promise<string[]>
  /** Some of them, in the order of the ids; undefined for one that has left the mempool meanwhile. */
  transactions(ids: readonly string[]): Promise<(Uint8Array | undefined)[]>
  /** Confirmed unspent satoshi at these addresses. */
  unspent(addresses: readonly Payable[]): Promise<bigint>
}
