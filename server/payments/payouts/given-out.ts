import { type Kysely, sql } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import type { DepositMethod } from '#shared/coins.ts'
import { cameFor } from './came.ts'
import { isUnended, type Moment, sentUntil } from './expiry.ts'

/**
 * Files of batches that were given out, and do not pay a withdrawal any more. What is signed of one stays valid wherever it is, until the
 * rules of its network exclude it.
 */

/** Of an item `p` of batch `b`: whether its file was given out, or it was sent all the same. */
const isGivenOut = sql<boolean>`(
  b.exported_at IS NOT NULL OR b.sender IS NULL AND b.seen_at IS NOT NULL OR p.seen_transaction IS NOT NULL)`

/**
 * Whether nothing of a batch `b` of Bitcoin can be mined any more: one of its outpoints was spent, as deep as a payment counts. Two
 * transactions that spend the same outpoint cannot both be mined; the one that was may be the batch's own (came.ts).
 */
export const isSpent = sql<boolean>`EXISTS (
  SELECT FROM app.payout_inputs i
    JOIN app.chain_transfers o ON o.method = 'bitcoin' AND o.transaction_id = split_part(i.outpoint, ':', 1)
                              AND o.position = split_part(i.outpoint, ':', 2)::integer
    JOIN app.chain_cursors c ON c.method = o.method
   WHERE i.batch_id = b.id AND o.spent_height <= c.synced_height - c.confirmations + 1)`

/**
 * Of an item `p` of batch `b`: whether it is not paid by it any more, its file was given out or sent, and can still be mined. On Ethereum
 * until its nonce was used, as deep as a payment counts.
 */
export const canStillPay = (now: Moment) => sql<boolean>`(p.state = 'released' AND ${isGivenOut}
  AND CASE b.method
        WHEN 'ethereum' THEN p.nonce >= coalesce((SELECT n.confirmed_nonce FROM app.sender_nonces n
                                                   WHERE n.method = b.method AND n.address = p.sender), 0)
        WHEN 'usdt' THEN ${isUnended(now)}
        ELSE NOT ${isSpent}
      END)`

/** A file that can still pay a withdrawal, or has: another payment would be the second one. */
export type FileOut = {
  withdrawal_id: string
  invoice_id: string
  batch_id: string
  number: string
  method: DepositMethod
  /** Ethereum: who signs it, with which nonce. */
  sender: string | null
  nonce: number | null
  /** TRON; null also there where its file names no end. */
  until: Date | null
  /** What was seen of it all the same. */
  seen_transaction: string | null
  /** The network shows that transaction now. */
  is_shown: boolean
}

/** Those of some withdrawals, in the order of these, the oldest first. */
export async function filesOut(
  db: Kysely<Schema>,
  withdrawals: readonly string[],
  now: Date,
): Promise<FileOut[]> {
  const { rows } = await sql<FileOut>`
    SELECT p.withdrawal_id, w.invoice_id, b.id AS batch_id, b.number, b.method, p.sender, p.nonce,
           coalesce(came.id, p.seen_transaction) AS seen_transaction, came.id IS NOT NULL AS is_shown,
           CASE b.method WHEN 'usdt' THEN ${sentUntil} END AS until
      FROM app.payout_items p
      JOIN app.payout_batches b ON b.id = p.batch_id
      JOIN app.withdrawals w ON w.id = p.withdrawal_id
     CROSS JOIN LATERAL (SELECT CASE WHEN b.status = 'cancelled' AND p.state = 'released' AND ${isGivenOut} THEN ${cameFor} END AS id) came
     WHERE p.withdrawal_id = ANY (${[...withdrawals]}::uuid[]) AND (came.id IS NOT NULL OR ${canStillPay(now)})
     ORDER BY p.withdrawal_id, b.id`.execute(db)
  return rows
}
