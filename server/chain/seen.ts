import { type Kysely, sql } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import { holdingFlags } from '#shared/payments.ts'

/** The limit of a bigint column, far above any real amount: a broken node's transfer must not block the others. */
export const MOST_UNITS = 2n ** 63n - 1n

/**
 * Brings deposits in line with changed transfers at their addresses: postponed ones are assessed at once, a wrong asset is flagged, and what
 * nobody has reviewed yet needs a review.
 * @param arrived ids of the transfers that are new, or back
 */
export async function noteTransfers(
  tx: Kysely<Schema>,
  depositIds: readonly string[],
  arrived: readonly bigint[] = [],
): Promise<void> {
  if (depositIds.length === 0) return
  const isFirstWrong = sql`(m.wrong_asset_transfers > 0 AND NOT 'wrong_asset' = ANY (d.flags))`
  const noted = sql`CASE WHEN ${isFirstWrong} THEN array_append(d.flags, 'wrong_asset') ELSE d.flags END`
  const flags = sql`(SELECT coalesce(array_agg(f ORDER BY n), '{}') FROM unnest(${noted}) WITH ORDINALITY AS each (f, n)
                      WHERE m.uncredited_units > 0 OR NOT f = ANY (${[...holdingFlags]}::text[]))`
  await sql`
    UPDATE app.deposits d
       SET assess_after = NULL, flags = ${flags},
           needs_review = (d.needs_review OR ${isFirstWrong} OR new.wrong OR new.more AND d.flags && ${['rate_missing', ...holdingFlags]}::text[])
                          AND (${flags} <> '{}' OR m.deviation IS NOT NULL)
      FROM unnest(${[...depositIds]}::uuid[]) AS changed (id)
     CROSS JOIN LATERAL app.amounts_of(changed.id) m
     CROSS JOIN LATERAL (
       SELECT coalesce(bool_or(t.ignored_reason = 'wrong_asset'), false) AS wrong,
              coalesce(bool_or(t.ignored_reason IS NULL), false) AS more
         FROM app.payment_addresses a
         JOIN app.chain_transfers t ON t.rail = a.rail AND t.address = app.address_key(a.address)
        WHERE a.deposit_id = changed.id AND t.id = ANY (${[...arrived]}::bigint[])) new
     WHERE d.id = changed.id`.execute(tx)
}
