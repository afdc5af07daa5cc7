import { depositSettled } from '#server/ledger/events.ts'
import { postAll } from '#server/ledger/post.ts'
import type { Db } from '#server/platform/database/pool.ts'
import { newId } from '#server/platform/id.ts'
import type { Books } from './scale.ts'

/** A deposit has four entries: custody, exchange in coins, exchange in USD, and one line on the investor's statement. */
const ENTRIES_OF_A_DEPOSIT = 4
/** Dollars enough that no round runs out of money, in cents. */
const DEPOSIT_CENTS = 10_000_000n
const UNITS_OF_A_CENT = 10_000n
/** Postings per call of the ledger. */
const LIST = 200
/** Concurrent lists, one per connection of the pool. */
const WRITERS = 3

/**
 * Settled deposits, posted by the ledger's own function under its guards: this many for one investor, the rest spread
 * over the others.
 */
export async function fillBooks(
  db: Db,
  { entries, linesOfOne }: Books,
  { oneOfMany, investors }: { oneOfMany: string; investors: string[] },
): Promise<void> {
  const deposits = entries / ENTRIES_OF_A_DEPOSIT
  // One writer for the one investor: several would only wait for each other.
  await Promise.all([
    depositLists(db, linesOfOne, () => oneOfMany),
    ...Array.from({ length: WRITERS - 1 }, (_, writer) => {
      const own = investors.filter((_, i) => i % (WRITERS - 1) === writer)
      return depositLists(db, (deposits - linesOfOne) / (WRITERS - 1), n => own[n % own.length]!)
    }),
  ])
}

async function depositLists(db: Db, count: number, investorOf: (n: number) => string): Promise<void> {
  for (let done = 0; done < count; done += LIST) {
    const now = new Date()
    const list = Array.from({ length: Math.min(LIST, count - done) }, (_, i) =>
      depositSettled({
        userId: investorOf(done + i),
        actor: null,
        depositId: newId(now),
        amountCents: DEPOSIT_CENTS,
        payment: { asset: 'USDT', receivedUnits: DEPOSIT_CENTS * UNITS_OF_A_CENT },
      }),
    )
    await postAll(db, list)
  }
}
