/**
 * Keys of PostgreSQL's advisory locks: numbers without a meaning, each for one purpose, so that no transaction waits
 * for an unrelated one. Functions of the database take some of them by their numbers. Keys that are made of a text by
 * `hashtextextended` are spread over 64 bits, and meet none of these.
 */
export const lockKeys = {
  /** Of the session by which a process keeps the embedded server running, in shared mode. */
  embeddedServer: 7_762_484,
  /** One process migrates. */
  migration: 7_762_485,
  /** One at a time takes snapshots of the balances: ledger.take_snapshots. */
  snapshots: 7_762_486,
  /** One at a time spends of the recorded returns. */
  recordedReturns: 7_762_487,
  /** One at a time folds statements: ledger.fold_statements. */
  statements: 7_762_488,
  /** One at a time changes who is staff, or decides what needs two. */
  staff: 7_762_489,
  /** One at a time makes a payout batch. */
  payouts: 7_762_495,
  /** One process loads the demonstration's sample. */
  sample: 7_762_490,
} as const

/** First key of locks that have two keys, which PostgreSQL keeps apart from those above: workers that live, by a hash of their ids. */
export const livingWorkers = 7_762_486

/** The same: who looks at a network, by the payment method's place in the list. */
export const chainWatchers = 7_762_487

/** The same: who reads what lies on a network. */
export const coverageReaders = 7_762_488
