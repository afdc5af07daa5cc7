import { type Kysely, sql } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'

/** A column's limit (bigint), which no amount that exists comes near: whatever a node answers, the rest is written down. */
export const MOST_UNITS = 2n ** 63n - 1n

/**
 * Brings what deposits say of their networks in line with what was seen at their addresses. What is open is not credited yet; it counts
 * from the newest block on that holds any of it, and not at all while some of it is in no block. Each transfer of another coin is looked
 * at anew, and what could not be credited is tried again once anything has changed. What is not open any more waits for nobody's look.
 */
export async function refreshSeen(tx: Kysely<Schema>, depositIds: readonly string[]): Promise<void> {
  if (depositIds.length === 0) return
  // Nobody has looked at what is new, at more of what waits for the firm, or at one that has nothing to be looked at.
  const isUnlooked = sql<boolean>`(now.wrong > d.wrong_asset_transfers
    OR now.open > d.uncredited_units AND d.flags && ARRAY['large', 'rate_missing']
    OR now.wrong = 0 AND now.open = 0 AND d.deviation IS NULL AND d.flags <@ ARRAY['large'])`
  await sql`
    UPDATE app.deposits d
       SET seen_units = now.seen, uncredited_units = now.open, uncredited_block = now.uncredited_block,
           wrong_asset_transfers = now.wrong, assess_after = NULL,
           flags = array_remove(CASE WHEN now.wrong > 0 AND NOT 'wrong_asset' = ANY (d.flags) THEN array_append(d.flags, 'wrong_asset')
                                     ELSE d.flags END, CASE WHEN now.open = 0 THEN 'large' END),
           reviewed_at = CASE WHEN ${isUnlooked} THEN NULL ELSE d.reviewed_at END,
           reviewed_by = CASE WHEN ${isUnlooked} THEN NULL ELSE d.reviewed_by END
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
