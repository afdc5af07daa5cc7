import { type Kysely, sql } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import type { DepositMethod } from '#shared/coins.ts'
import { confirmableUntil, isUnexpired, type Moment } from './expiry.ts'
import { matchingTransfer } from './matching-transfer.ts'

/** Exported files that no longer pay a withdrawal. What was signed from one stays valid until the network's rules invalidate it. */

/** True if the file of item `p` of batch `b` was exported, or its transaction was seen. */
const wasExported = sql<boolean>`(
  b.exported_at IS NOT NULL OR b.sender IS NULL AND b.seen_at IS NOT NULL OR p.seen_transaction IS NOT NULL)`

/**
 * True if a confirmed transaction spends an input of Bitcoin batch `b`, so that no other one of this batch can confirm. That
 * transaction may be the batch's own (matching-transfer.ts).
 */
export const inputsSpent = sql<boolean>`EXISTS (
  SELECT FROM app.payout_inputs i
    JOIN app.chain_transfers o ON o.method = 'bitcoin' AND o.transaction_id = split_part(i.outpoint, ':', 1)
                              AND o.position = split_part(i.outpoint, ':', 2)::integer
    JOIN app.chain_cursors c ON c.method = o.method
   WHERE i.batch_id = b.id AND o.spent_height <= c.synced_height - c.confirmations + 1)`

/** True if item `p` was released from batch `b`, but its exported transaction can still confirm. */
export const canStillConfirm = (now: Moment) => sql<boolean>`(p.state = 'released' AND ${wasExported}
  AND CASE b.method
        WHEN 'ethereum' THEN p.nonce >= coalesce((SELECT n.confirmed_nonce FROM app.sender_nonces n
                                                   WHERE n.method = b.method AND n.address = p.sender), 0)
        WHEN 'usdt' THEN ${isUnexpired(now)}
        ELSE NOT ${inputsSpent}
      END)`

/** A file that can still confirm for a withdrawal, or already has: any other payment would be the second one. */
export type OutstandingFile = {
  withdrawal_id: string
  invoice_id: string
  batch_id: string
  number: string
  method: DepositMethod
  /** Ethereum: the signing address and the nonce. */
  sender: string | null
  nonce: number | null
  /** TRON: when it expires; null also if the file has no expiry. */
  until: Date | null
  /** Its transaction, if we have ever seen it. */
  seen_transaction: string | null
  /** The network shows that transaction now. */
  is_shown: boolean
}

/** Outstanding files of some withdrawals, in the order of the withdrawals' ids, the oldest first. */
export async function outstandingFiles(
  db: Kysely<Schema>,
  withdrawals: readonly string[],
  now: Date,
): Promise<OutstandingFile[]> {
  const released = await db
    .selectFrom('app.payout_items')
    .select('withdrawal_id')
    .where(sql<boolean>`withdrawal_id = ANY (${[...withdrawals]}::uuid[]) AND state = 'released'`)
    .limit(1)
    .executeTakeFirst()
  // Planning the next query takes milliseconds, and few withdrawals were ever in a batch that was cancelled.
  if (!released) return []
  const { rows } = await sql<OutstandingFile>`
    SELECT p.withdrawal_id, w.invoice_id, b.id AS batch_id, b.number, b.method, p.sender, p.nonce,
           coalesce(matching.id, p.seen_transaction) AS seen_transaction, matching.id IS NOT NULL AS is_shown,
           CASE b.method WHEN 'usdt' THEN ${confirmableUntil} END AS until
      FROM app.payout_items p
      JOIN app.payout_batches b ON b.id = p.batch_id
      JOIN app.withdrawals w ON w.id = p.withdrawal_id
     CROSS JOIN LATERAL (SELECT CASE WHEN b.status = 'cancelled' AND p.state = 'released' AND ${wasExported} THEN ${matchingTransfer} END AS id) matching
     WHERE p.withdrawal_id = ANY (${[...withdrawals]}::uuid[]) AND (matching.id IS NOT NULL OR ${canStillConfirm(now)})
     ORDER BY p.withdrawal_id, b.id`.execute(db)
  return rows
}
