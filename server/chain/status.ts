import { type Kysely, sql } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import type { RailName } from '#shared/coins.ts'

/** The sync state of a network, for the metrics. */
export type WatchingState = {
  rail: RailName
  /** Blocks known and not synced yet. */
  behind: number
  /** Start of the last complete sync. */
  polledAt: Date
  /** True if syncing, crediting or paying fails, or the network is halted. */
  isFailing: boolean
  /** True if only the mempool or the nonces could not be read. */
  isUnconfirmedUnknown: boolean
  /** Deposits that the last sync could not credit or reverse. */
  failed: number
  /** Withdrawals whose payouts it could not assess. */
  failedPayouts: number
  /** Transfers not credited yet, for whatever reason. */
  waiting: bigint
  /** Deposits with an open debt, and their debts in cents. */
  debts: bigint
  debtCents: bigint
  /** True if investors get no new addresses. */
  isStopped: boolean
}

/** One state for each network ever synced. */
export async function watchingState(db: Kysely<Schema>): Promise<WatchingState[]> {
  const { rows } = await sql<WatchingState>`
    SELECT c.rail, c.tip_height - c.synced_height AS behind, c.polled_at AS "polledAt", c.sync_error IS NOT NULL AND c.sync_error_kind <> 'unconfirmed' AS "isFailing",
           c.sync_error IS NOT NULL AND c.sync_error_kind = 'unconfirmed' AS "isUnconfirmedUnknown", c.failed_deposits AS failed,
           cardinality(c.failed_payouts) AS "failedPayouts",
           (SELECT count(*) FROM app.chain_transfers t
             WHERE t.rail = c.rail AND t.credited_units < t.units AND t.ignored_reason IS NULL
               AND t.receiving AND t.dropped_at IS NULL) AS waiting,
           EXISTS (SELECT FROM app.receiving_accounts s WHERE s.rail = c.rail AND s.stopped_at IS NOT NULL) AS "isStopped",
           coalesce(owed.count, 0) AS debts, coalesce(owed.cents, 0)::bigint AS "debtCents"
      FROM app.chain_cursors c
      LEFT JOIN (SELECT app.rail_of(method) AS rail, count(*) AS count, sum(debt_cents) AS cents
                   FROM app.deposits WHERE debt_cents > 0 GROUP BY 1) AS owed USING (rail)`.execute(db)
  return rows
}
