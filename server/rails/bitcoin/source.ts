import type { Reserves } from '#server/rails/chain.ts'

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
  /** @returns the node's reason if it refuses the transaction, else null, also if it has it already */
  broadcast(raw: Uint8Array): Promise<string | null>
  /** Satoshi per 1,000 virtual bytes to confirm within these blocks; null without an estimate. */
  feeRate(blocks: number): Promise<bigint | null>
  /** Confirmed unspent outputs of these addresses, in the block that is named. */
  outputs(addresses: readonly Payable[]): Promise<Pick<Reserves, 'block' | 'outputs'>>
  /** Confirmed unspent satoshi at these addresses. */
  unspent(addresses: readonly Payable[]): Promise<bigint>
}
