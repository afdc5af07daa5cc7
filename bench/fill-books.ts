import { sql } from 'kysely'
import type { Posting } from '#server/ledger/chart.ts'
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
 * Paid deposits, posted by the ledger's own function under its guards: this many for one investor, the rest spread
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
    await db.transaction().execute(tx => postDeposits(tx, list))
  }
}

/** These postings and their records: each has paid what it asked for, in USDT. */
async function postDeposits(db: Db, postings: readonly Posting[]): Promise<void> {
  const ids = postings.map(({ reference }) => reference.id)
  const owners = postings.map(({ legs }) =>
    legs.map(({ to }) => ('owner' in to ? to.owner : null)).find(owner => owner),
  )
  const units = DEPOSIT_CENTS * UNITS_OF_A_CENT
  await sql`
    INSERT INTO app.deposits (id, invoice_id, user_id, amount_cents, method, asset, network, address, crypto_units, rate_e8,
                              rate_at, rate_source, payment_uri, expires_at, watch_until)
    SELECT id, id::text, owner, ${DEPOSIT_CENTS}, 'usdt', 'USDT', 'TRON (TRC-20)', id::text, ${units}, 100000000,
           now(), 'bench', '', now(), now()
      FROM unnest(${ids}::uuid[], ${owners}::uuid[]) AS d (id, owner)`.execute(db)
  await postAll(db, postings)
  await sql`
    INSERT INTO app.deposit_credits (deposit_id, entered_by, units, exchanged_units, cents, rate_e8, rate_at, rate_source, posting)
    SELECT id, owner, ${units}, ${units}, ${DEPOSIT_CENTS}, 100000000, now(), 'bench', posting
      FROM unnest(${ids}::uuid[], ${owners}::uuid[], ${postings.map(({ id }) => id)}::uuid[]) AS d (id, owner, posting)`.execute(
    db,
  )
  await sql`UPDATE app.deposits SET status = 'paid', settled_at = now() WHERE id = ANY (${ids}::uuid[])`.execute(
    db,
  )
}
