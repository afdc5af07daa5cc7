import type { StatementAccount, StatementLine } from '#shared/contract/entities.ts'
import { usdFromJson } from '#shared/money.ts'

/** What a movement changed on one account: the sum of its postings there, and the balance after them, in cents. */
export type Change = { account: StatementAccount; amount: bigint; balance: bigint }

/** One transaction of an investor's money. */
export type Movement = {
  key: string
  /** The line that names it. */
  line: StatementLine
  /** All postings of it, in the order of the list. */
  postings: readonly StatementLine[]
  /** Debited accounts first; none has a sum of zero, unless it is the only one. */
  changes: readonly Change[]
  /** From one of the investor's accounts to another: nothing came in or went out. */
  isTransfer: boolean
}

/**
 * Folds postings into movements, a transaction each. Postings on one account that cancel each other out stay apart, because
 * there is nothing else to show.
 * @param lines postings in the order of posting, or its reverse
 */
export function movementsOf(lines: readonly StatementLine[]): Movement[] {
  return transactionsOf(lines).flatMap(postings => {
    const changes = changesOf(postings)
    return changes.length > 0
      ? [movementOf(postings, changes)]
      : postings.map(line => movementOf([line], [changeOf(line)]))
  })
}

/** Lines by transaction; those of one are next to each other. */
function transactionsOf(lines: readonly StatementLine[]): StatementLine[][] {
  const groups: StatementLine[][] = []
  for (const line of lines) {
    const last = groups.at(-1)
    if (last?.[0]?.transaction === line.transaction) last.push(line)
    else groups.push([line])
  }
  return groups
}

function movementOf(postings: readonly StatementLine[], changes: readonly Change[]): Movement {
  const line = postings[0]!
  const isTransfer = changes.length > 1 && changes.reduce((sum, { amount }) => sum + amount, 0n) === 0n
  return { key: line._id, line, postings, changes, isTransfer }
}

const cents = (usd: number) => usdFromJson(usd)!

function changeOf({ account, amount, balance }: StatementLine): Change {
  return { account, amount: cents(amount), balance: cents(balance) }
}

function changesOf(postings: readonly StatementLine[]): Change[] {
  const changes = new Map<StatementAccount, Change>()
  for (const posting of postings.toSorted((a, b) => Number(BigInt(a._id) - BigInt(b._id)))) {
    const { account, amount, balance } = changeOf(posting)
    changes.set(account, { account, balance, amount: (changes.get(account)?.amount ?? 0n) + amount })
  }
  return [...changes.values()]
    .filter(({ amount }) => amount !== 0n)
    .toSorted((a, b) => Number(a.amount - b.amount))
}
