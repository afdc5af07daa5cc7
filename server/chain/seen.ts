import { type Kysely, sql } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'

/** The limit of a bigint column, far above any real amount: a broken node's transfer must not block the others. */
export const MOST_UNITS = 2n ** 63n - 1n

/**
 * Updates the deposits' seen and uncredited amounts from the transfers at their addresses. Uncredited units count from the newest block that
 * holds any of them. New amounts clear the review mark and any postponement.
 */
export async function refreshSeen(tx: Kysely<Schema>, depositIds: readonly string[]): Promise<void> {
  if (depositIds.length === 0) return
  // A new wrong asset, more units to review, or nothing left to review.
  const isUnreviewed = sql<boolean>`(now.wrong > d.wrong_asset_transfers
    OR now.open > d.uncredited_units AND d.flags && ARRAY['large', 'rate_missing']
    OR now.wrong = 0 AND now.open = 0 AND d.deviation IS NULL AND d.flags <@ ARRAY['large'])`
  await sql`
    UPDATE app.deposits d
       SET seen_units = now.seen, uncredited_units = now.open, uncredited_block = now.uncredited_block,
           wrong_asset_transfers = now.wrong, assess_after = NULL,
           flags = array_remove(CASE WHEN now.wrong > 0 AND NOT 'wrong_asset' = ANY (d.flags) THEN array_append(d.flags, 'wrong_asset')
                                     ELSE d.flags END, CASE WHEN now.open = 0 THEN 'large' END),
           reviewed_at = CASE WHEN ${isUnreviewed} THEN NULL ELSE d.reviewed_at END,
           reviewed_by = CASE WHEN ${isUnreviewed} THEN NULL ELSE d.reviewed_by END
      FROM (
        SELECT d.id, least(coalesce(sum(t.units) FILTER (WHERE counts), 0), ${MOST_UNITS}) AS seen,
               least(coalesce(sum(t.units - t.manual_units) FILTER (WHERE counts AND is_open), 0), ${MOST_UNITS}) AS open,
               CASE WHEN coalesce(bool_or(t.block_height IS NULL) FILTER (WHERE counts AND is_open), true) THEN NULL
                    ELSE max(t.block_height) FILTER (WHERE counts AND is_open) END AS uncredited_block,
               count(*) FILTER (WHERE t.ignored_reason = 'wrong_asset' AND t.dropped_at IS NULL) AS wrong
          FROM app.deposits d
          JOIN app.payment_addresses a ON a.deposit_id = d.id
          LEFT JOIN app.chain_transfers t
            ON t.address = app.address_key(a.address) AND t.method = a.method AND t.ignored_reason IS DISTINCT FROM 'dust'
         CROSS JOIN LATERAL (
           SELECT t.dropped_at IS NULL AND t.ignored_reason IS NULL AS counts,
                  t.credited_by IS NULL AND t.manual_units < t.units AS is_open
         ) AS it
         WHERE d.id = ANY (${[...depositIds]}::uuid[])
         GROUP BY d.id
      ) AS now
     WHERE d.id = now.id
       AND (d.seen_units, d.uncredited_units, d.uncredited_block, d.wrong_asset_transfers)
           IS DISTINCT FROM (now.seen, now.open, now.uncredited_block, now.wrong)`.execute(tx)
}
