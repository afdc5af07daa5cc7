/** Payments on chains. */
export type ChainScale = {
  /** Watched addresses, those of the payments included. */
  addresses: number
  /** Rounds that count; one more warms up. */
  rounds: number
  /** Blocks per round, about a second apart. */
  blocks: number
  /** Per block, payments included. */
  transactions: number
  /** Per block. */
  payments: number
  /** Blocks of Bitcoin per round, ten seconds apart, and their transactions. */
  bitcoin: { blocks: number; transactions: number }
  /** Blocks that a worker catches up with, in as many equal parts as there are rounds. */
  backfill: { ethereum: number; bitcoin: number }
}

export const fullChain: ChainScale = {
  addresses: 100_000,
  rounds: 5,
  blocks: 10,
  transactions: 300,
  payments: 4,
  bitcoin: { blocks: 1, transactions: 50 },
  // Each block costs anvil more time than the one before: 10,000 take it minutes.
  backfill: { ethereum: 3_000, bitcoin: 5_000 },
}

/** Only checks that the command works. */
export const smokeChain: ChainScale = {
  addresses: 100,
  rounds: 1,
  blocks: 2,
  transactions: 10,
  payments: 2,
  bitcoin: { blocks: 1, transactions: 1 },
  backfill: { ethereum: 100, bitcoin: 100 },
}
