import type pg from 'pg'
import { type Account, firm, type Posting } from '#server/ledger/chart.ts'
import { depositSettled } from '#server/ledger/events.ts'
import { newId } from '#server/platform/id.ts'
import type { Books } from './scale.ts'

/** A deposit has four entries: custody, exchange in coins, exchange in USD, and one line on the investor's statement. */
const ENTRIES_OF_A_DEPOSIT = 4
/** Dollars enough that no round ends for lack of money, in cents. */
const DEPOSIT_CENTS = 10_000_000n
const UNITS_OF_A_CENT = 10_000n
/** Postings in one call of the ledger. */
const LIST = 200
/** Lists under way at the same time, as many as the pool has connections. */
const WRITERS = 3

/** Settled deposits, by the ledger's own function and under its guards: so many of one investor, the others' in turn. */
export async function fillBooks(
  pool: pg.Pool,
  { entries, linesOfOne }: Books,
  { oneOfMany, investors }: { oneOfMany: string; investors: string[] },
): Promise<void> {
  const deposits = entries / ENTRIES_OF_A_DEPOSIT
  // One writer for the one investor: his lists would only wait for each other.
  await Promise.all([
    depositLists(pool, linesOfOne, () => oneOfMany),
    ...Array.from({ length: WRITERS - 1 }, (_, writer) => {
      const own = investors.filter((_, i) => i % (WRITERS - 1) === writer)
      return depositLists(pool, (deposits - linesOfOne) / (WRITERS - 1), n => own[n % own.length]!)
    }),
  ])
}

async function depositLists(pool: pg.Pool, count: number, investorOf: (n: number) => string): Promise<void> {
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
    await postAll(pool, list)
  }
}

async function postAll(pool: pg.Pool, postings: Posting[]): Promise<void> {
  const legs = postings.flatMap((posting, i) => posting.legs.map(leg => ({ ...leg, of: i + 1 })))
  const { rows } = await pool.query<{ refused: boolean }>({
    name: 'post_each',
    text: `SELECT EXISTS (
      SELECT FROM unnest(ledger.post_each($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)) AS refusal
       WHERE refusal IS NOT NULL) AS refused`,
    values: [
      postings.map(({ id }) => id),
      postings.map(({ event }) => event),
      postings.map(({ reference }) => reference.kind),
      postings.map(({ reference }) => reference.id),
      postings.map(({ holdId }) => holdId),
      postings.map(({ actor }) => actor),
      postings.map(({ memo }) => memo),
      legs.map(leg => leg.of),
      legs.map(leg => ownerOf(leg.from)),
      legs.map(leg => leg.from.kind),
      legs.map(leg => ownerOf(leg.to)),
      legs.map(leg => leg.to.kind),
      legs.map(leg => leg.asset),
      legs.map(leg => leg.amount),
    ],
  })
  if (rows[0]?.refused !== false) throw new Error('the ledger refused a deposit')
}

function ownerOf(account: Account): string {
  return 'owner' in account ? account.owner : firm
}
