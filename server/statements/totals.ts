import { type Kysely, sql } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'

/** The sums on an investor's own pages, in USD cents, without declined and unpaid records. */
export type Summary = {
  /** `total` includes active and closed investments, not pending ones. */
  investments: { total: bigint; active: bigint; closed: bigint; pending: bigint }
  earnings: { total: bigint }
  /** `approved` includes paid ones (D7); `times` is the number of requests. */
  withdrawals: { total: bigint; approved: bigint; pending: bigint; times: bigint }
  deposits: { total: bigint; pending: bigint }
}

type SummaryRow = {
  active: bigint
  closed: bigint
  investments_pending: bigint
  earned: bigint
  withdrawn: bigint
  withdrawals_approved: bigint
  withdrawals_pending: bigint
  withdrawals_times: bigint
  deposited: bigint
  deposits_pending: bigint
}

/** One query over the user's records, by each table's user index. */
export async function summaryOf(db: Kysely<Schema>, userId: string): Promise<Summary> {
  const { rows } = await sql<SummaryRow>`
    SELECT * FROM
      (SELECT coalesce(sum(amount_cents) FILTER (WHERE status = 'active'), 0)::bigint AS active,
              coalesce(sum(amount_cents) FILTER (WHERE status = 'inactive'), 0)::bigint AS closed,
              coalesce(sum(amount_cents) FILTER (WHERE status = 'pending'), 0)::bigint AS investments_pending
         FROM app.investments WHERE user_id = ${userId}) i,
      (SELECT coalesce(sum(amount_cents) FILTER (WHERE status = 'paid'), 0)::bigint AS earned
         FROM app.earnings WHERE user_id = ${userId}) e,
      (SELECT coalesce(sum(amount_cents) FILTER (WHERE status <> 'declined'), 0)::bigint AS withdrawn,
              coalesce(sum(amount_cents) FILTER (WHERE status IN ('approved', 'paid')), 0)::bigint
                AS withdrawals_approved,
              coalesce(sum(amount_cents) FILTER (WHERE status = 'pending'), 0)::bigint AS withdrawals_pending,
              count(*) AS withdrawals_times
         FROM app.withdrawals WHERE user_id = ${userId}) w,
      -- A pending deposit has no credits.
      (SELECT coalesce(sum(c.cents), 0)::bigint AS deposited,
              coalesce(sum(d.amount_cents) FILTER (WHERE d.status = 'pending'), 0)::bigint AS deposits_pending
         FROM app.deposits d
         LEFT JOIN app.deposit_credits c ON c.deposit_id = d.id AND c.reversed_by IS NULL
        WHERE d.user_id = ${userId}) d`.execute(db)
  const row = rows[0]!
  return {
    investments: {
      total: row.active + row.closed,
      active: row.active,
      closed: row.closed,
      pending: row.investments_pending,
    },
    earnings: { total: row.earned },
    withdrawals: {
      total: row.withdrawn,
      approved: row.withdrawals_approved,
      pending: row.withdrawals_pending,
      times: row.withdrawals_times,
    },
    deposits: { total: row.deposited, pending: row.deposits_pending },
  }
}
