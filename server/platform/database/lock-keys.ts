/**
 * Keys of PostgreSQL's advisory locks: arbitrary numbers, each for one purpose, so that no transaction waits for an
 * unrelated one. Database functions use some of them literally. Keys from `hashtextextended` have 64 bits and do not
 * collide with these.
 */
export const lockKeys = {
  /** Shared lock of each process that keeps the embedded server running. */
  embeddedServer: 7_762_484,
  /** One process migrates. */
  migration: 7_762_485,
  /** One at a time takes snapshots of the balances: ledger.take_snapshots. */
  snapshots: 7_762_486,
  /** One at a time spends recorded returns. */
  recordedReturns: 7_762_487,
  /** One at a time folds statements: ledger.fold_statements. */
  statements: 7_762_488,
  /** One at a time changes staff or decides proposals. */
  staff: 7_762_489,
  /** One at a time creates a payout batch. */
  payouts: 7_762_495,
  /** One at a time seals the books: ledger.collect_leaves. */
  seals: 7_762_491,
  /** One at a time writes the public log. */
  publicLog: 7_762_497,
  /** One process at a time counts a beat, and marks it. */
  beats: 7_762_496,
  /** One at a time tells staff what waits. */
  alerts: 7_762_498,
  /** One process at a time reads the mailbox of replies. */
  replies: 7_762_499,
  /** One at a time imports a sanctions list. */
  sanctions: 7_762_500,
  /** One process loads the demonstration's sample. */
  sample: 7_762_490,
} as const

/** First key of two-key locks, which PostgreSQL keeps apart from the others: living workers, by a hash of their ids. */
export const livingWorkers = 7_762_486

/** The same: the process that syncs a network, by the rail's place in the list. */
export const chainWatchers = 7_762_487

/** The same: the process that reads a network's balances. */
export const coverageReaders = 7_762_488

/** The same: the process that reads what deposits' addresses hold. */
export const holdingReaders = 7_762_490

/** The same: one at a time credits what counts towards a network's daily limit. */
export const dailyCredits = 7_762_489
