/** The amount of browser work. */
export type BrowserScale = {
  /** Visits of each menu page per round. */
  rounds: number
  /** Repetitions of each typical interaction. */
  interactions: number
}

/** The size of everything. */
export type Scale = {
  /** Rounds that count; one more warms up. */
  rounds: number
  /** Length of a round. */
  seconds: number
  /** TPC-B's scale: 100,000 of its accounts each. */
  tpcbScale: number
  /** The two ledgers of the page comparison; all acts run on the large one. */
  small: Books
  large: Books
  /** Investments of the plan whose earnings are added. */
  planInvestments: number
  /** The ledger whose investors get emails. */
  mailed: Books
  flood: FloodScale
  backlog: BacklogScale
  /** Browser work, if any. */
  browser?: BrowserScale
}
/** Floods of pages. */
export type FloodScale = {
  /** Rounds that count; one more warms up. Each floods every page. */
  rounds: number
  /** Pages, from the beginning of the list. */
  pages: number
  connections: number
}
/** A backlog of emails. */
export type BacklogScale = {
  notices: number
  /** Rounds that count; one more warms up. */
  rounds: number
  seconds: number
}
export type Books = {
  entries: number
  /** Lines of the one long statement. */
  linesOfOne: number
  /** The other investors: few enough in both ledgers that each has more than a page. */
  others: number
}

/**
 * The README's figures: some four minutes on two cores. Many short rounds instead of a few long ones, so that brief
 * other load affects few of them.
 */
export const full: Scale = {
  rounds: 11,
  seconds: 1,
  tpcbScale: 10,
  small: { entries: 1_000, linesOfOne: 100, others: 2 },
  large: { entries: 1_000_000, linesOfOne: 100_000, others: 2_000 },
  planInvestments: 100_000,
  mailed: { entries: 40_000, linesOfOne: 100, others: 2_000 },
  flood: { rounds: 3, pages: Number.POSITIVE_INFINITY, connections: 250 },
  backlog: { notices: 100_000, rounds: 5, seconds: 10 },
  browser: { rounds: 11, interactions: 20 },
}

/** Only checks that the command works: a few seconds, no browser, no usable figures. */
export const smoke: Scale = {
  rounds: 1,
  seconds: 0.2,
  tpcbScale: 1,
  small: { entries: 1_000, linesOfOne: 100, others: 2 },
  large: { entries: 4_000, linesOfOne: 200, others: 10 },
  planInvestments: 4_000,
  mailed: { entries: 1_000, linesOfOne: 100, others: 10 },
  flood: { rounds: 1, pages: 2, connections: 10 },
  backlog: { notices: 5_000, rounds: 1, seconds: 1 },
}
