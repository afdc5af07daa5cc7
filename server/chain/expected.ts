import { sql } from 'kysely'
import type { Services } from '#server/context.ts'
import type { Chain } from '#server/rails/chain.ts'
import type { RailName } from '#shared/coins.ts'
import { confirmationMinutes, longestPaymentWindowMinutes } from '#shared/limits.ts'

/** Minutes before a deposit expires in which a payment on its way must be known. */
const BEFORE_EXPIRY_MINUTES = 5

/**
 * True if a deposit, or the rest of one, may be paid soon, or a transfer waits for its block or its confirmations. A payment that nobody announced is found in
 * its block all the same.
 */
export async function isPaymentExpected(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  rail: RailName,
): Promise<boolean> {
  const now = clock.now()
  const minutes = (count: number) => new Date(now.getTime() + count * 60_000)
  const { rows } = await sql<{ expected: boolean }>`
    SELECT EXISTS (SELECT FROM app.deposits d
                    WHERE app.rail_of(d.method) = ${rail} AND d.status = 'pending'
                      AND (d.expires_at > ${minutes(-confirmationMinutes)} OR d.watch_until < ${minutes(BEFORE_EXPIRY_MINUTES)}))
        OR EXISTS (SELECT FROM app.deposits d
                    WHERE app.rail_of(d.method) = ${rail} AND d.status = 'paid' AND d.created_at > ${minutes(-confirmationMinutes - longestPaymentWindowMinutes)}
                      AND d.expires_at > ${minutes(-confirmationMinutes)}
                      AND d.amount_cents > (SELECT sum(c.cents) FROM app.deposit_credits c
                                             WHERE c.deposit_id = d.id AND c.reversed_by IS NULL))
        OR EXISTS (SELECT FROM app.chain_transfers t
                    WHERE t.rail = ${rail} AND t.block_height IS NULL AND t.dropped_at IS NULL)
        OR EXISTS (SELECT FROM app.chain_cursors c JOIN app.chain_transfers t USING (rail)
                    WHERE c.rail = ${rail} AND t.block_height > c.synced_height - c.confirmations + 1)
        AS expected`.execute(db)
  return rows[0]!.expected
}

/** True unless the network was polled lately, without error and to its tip: then it is polled again after `chain.restSeconds`. */
export async function isRestOver(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  rail: RailName,
  { restSeconds }: Pick<Chain, 'restSeconds'>,
): Promise<boolean> {
  if (restSeconds === null) return true
  const cursor = await db
    .selectFrom('app.chain_cursors')
    .select(['polled_at', 'synced_height', 'tip_height', 'sync_error'])
    .where('rail', '=', rail)
    .executeTakeFirst()
  if (cursor === undefined || cursor.sync_error !== null || cursor.synced_height < cursor.tip_height)
    return true
  return clock.now().getTime() - cursor.polled_at.getTime() >= restSeconds * 1000
}
