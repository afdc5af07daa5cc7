import { type Kysely, sql } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import type { DepositMethod } from '#shared/coins.ts'

/** How a network is watched, and what waits there. */
export type WatchingState = {
  method: DepositMethod
  /** Blocks that the last look knew of and had not read. */
  behind: number
  /** When the last look began that came to its end. */
  lookedAt: Date
  /** Whether blocks are not read, what came is not credited, or payouts are not marked as paid; or a person has to look before it goes on. */
  isFaulty: boolean
  /** Whether all that is missing is what is in no block yet, or how transactions are numbered. */
  isUnconfirmedUnknown: boolean
  /** Deposits that could not be credited or taken back at the last look. */
  failed: number
  /** Withdrawals whose payouts could not be assessed then. */
  failedPayouts: number
  /** Transfers that are to be credited and are not yet: unconfirmed, confirming, or waiting for something else. */
  waiting: bigint
  /** Deposits that were taken back when part of them was spent, and what is owed of them in cents. */
  debts: bigint
  debtCents: bigint
}

/** Of each network that was ever looked at. */
export async function watchingState(db: Kysely<Schema>): Promise<WatchingState[]> {
  const { rows } = await sql<WatchingState>`
    SELECT c.method, c.tip_height - c.synced_height AS behind, c.polled_at AS "lookedAt", c.sync_error IS NOT NULL AND c.sync_error_kind <> 'unconfirmed' AS "isFaulty",
           c.sync_error IS NOT NULL AND c.sync_error_kind = 'unconfirmed' AS "isUnconfirmedUnknown", c.failed_deposits AS failed,
           cardinality(c.failed_payouts) AS "failedPayouts",
           (SELECT count(*) FROM app.chain_transfers t
             WHERE t.method = c.method AND t.credited_by IS NULL AND t.ignored_reason IS NULL AND t.manual_units < t.units
               AND t.receiving AND t.dropped_at IS NULL) AS waiting,
           coalesce(owed.count, 0) AS debts, coalesce(owed.cents, 0)::bigint AS "debtCents"
      FROM app.chain_cursors c
      LEFT JOIN (SELECT method, count(*) AS count, sum(debt_cents) AS cents
                   FROM app.deposits WHERE debt_cents > 0 GROUP BY method) AS owed USING (method)`.execute(db)
  return rows
}
