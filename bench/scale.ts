/** How much is done in the browser. */
export type BrowserScale = {
  /** Times that each page of the menu is gone to, once a round. */
  rounds: number
  /** Times that each of the typical interactions is made. */
  interactions: number
}

/** How much of everything. */
export type Scale = {
  /** Rounds that count; one more warms up. */
  rounds: number
  /** Length of a round. */
  seconds: number
  /** TPC-B's scale: 100,000 of its accounts each. */
  tpcbScale: number
  /** The two ledgers whose pages are compared; all acts are done on the large one. */
  small: Books
  large: Books
  watching: WatchingScale
  /** What is done in a browser; nothing where it is left out. */
  browser?: BrowserScale
}
/** Of payments on a chain. */
export type WatchingScale = {
  /** Rounds that count; one more warms up. */
  rounds: number
  /** Blocks of a round, about a second apart. */
  blocks: number
  /** Of a block, payments included. */
  transactions: number
  /** Of a block. */
  payments: number
  /** That are watched, those of the payments included. */
  addresses: number
}
export type Books = {
  entries: number
  /** Lines on the statement of one investor who has many. */
  linesOfOne: number
  /** Investors who share the rest: in both ledgers so many that each has more than a page. */
  others: number
}

/**
 * The figures of README: some four minutes on two cores. Many short rounds and not a few long ones, so that what else
 * the machine does for a moment meets few of them.
 */
export const full: Scale = {
  rounds: 11,
  seconds: 1,
  tpcbScale: 10,
  small: { entries: 1_000, linesOfOne: 100, others: 2 },
  large: { entries: 1_000_000, linesOfOne: 100_000, others: 2_000 },
  watching: { rounds: 5, blocks: 10, transactions: 300, payments: 4, addresses: 10_000 },
  browser: { rounds: 11, interactions: 20 },
}

/** Whether the command works, and no figure at all: a few seconds, without a browser. */
export const smoke: Scale = {
  rounds: 1,
  seconds: 0.2,
  tpcbScale: 1,
  small: { entries: 1_000, linesOfOne: 100, others: 2 },
  large: { entries: 4_000, linesOfOne: 200, others: 10 },
  watching: { rounds: 1, blocks: 2, transactions: 10, payments: 2, addresses: 100 },
}
