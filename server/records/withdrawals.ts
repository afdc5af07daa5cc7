import { type Kysely, type Selectable, sql } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import type { WithdrawalWallet } from '#shared/coins.ts'
import { type Withdrawal, withdrawalStatuses } from '#shared/contract/entities.ts'
import { usdToJson } from '#shared/money.ts'
import { countOf, type Listed, type ListFilter, listed, matches, statusFilter } from './paging.ts'

export type WithdrawalRow = Selectable<Schema['app.withdrawals']> & {
  user_name: string | null
  /** Admins who have approved. */
  approvals: number
}

// A left join, although every row has its user: PostgreSQL then leaves it out where only rows are counted.
function withdrawals(db: Kysely<Schema>) {
  return db.selectFrom('app.withdrawals as w').leftJoin('app.users as u', 'u.id', 'w.user_id')
}

function rowsOf(query: ReturnType<typeof withdrawals>) {
  const approvals = sql<number>`(
    SELECT count(*)::int FROM app.withdrawal_approvals WHERE withdrawal_id = w.id)`
  return query.selectAll('w').select(['u.name as user_name', approvals.as('approvals')])
}

/** Withdrawals, the newest first; searched by number, wallet, address, transaction id, name, e-mail and ids. */
export function listWithdrawals(db: Kysely<Schema>, filter: ListFilter): Promise<Listed<WithdrawalRow>> {
  const { userId, q } = filter
  const status = statusFilter(filter.status, withdrawalStatuses)
  const matching = withdrawals(db)
    .$if(userId !== undefined, query => query.where('w.user_id', '=', userId!))
    .$if(status !== undefined, query => query.where('w.status', '=', status!))
    .where(({ ref }) => {
      const own = [ref('w.invoice_id'), ref('w.wallet'), ref('w.address'), ref('w.transaction_id')]
      return matches(q, [...own, ref('u.name'), ref('u.email')], [ref('w.id'), ref('w.user_id')])
    })
  return listed(filter, {
    rows: (limit, below) =>
      rowsOf(matching)
        .$if(below !== undefined, query => query.where('w.id', '<', below!))
        .orderBy('w.id', 'desc')
        .limit(limit)
        .execute(),
    count: mostMs => countOf(db, matching, mostMs),
  })
}

export function findWithdrawal(db: Kysely<Schema>, id: string): Promise<WithdrawalRow | undefined> {
  return rowsOf(withdrawals(db)).where('w.id', '=', id).executeTakeFirst()
}

/** @throws NoResultError where there is no such withdrawal */
export function withdrawalById(db: Kysely<Schema>, id: string): Promise<WithdrawalRow> {
  return rowsOf(withdrawals(db)).where('w.id', '=', id).executeTakeFirstOrThrow()
}

export function withdrawalsById(db: Kysely<Schema>, ids: string[]): Promise<WithdrawalRow[]> {
  return rowsOf(withdrawals(db)).where('w.id', 'in', ids).execute()
}

export function presentWithdrawal(row: WithdrawalRow): Withdrawal {
  return {
    _id: row.id,
    invoiceId: row.invoice_id,
    user: row.user_id,
    userName: row.user_name,
    amount: usdToJson(row.amount_cents),
    status: row.status,
    wallet: row.wallet as WithdrawalWallet,
    walletAddress: row.address,
    approvals: row.approvals,
    approvalsNeeded: row.approvals_needed,
    transactionId: row.transaction_id,
    declineReason: row.decline_reason,
    createdAt: row.created_at.toISOString(),
    approvedAt: row.approved_at?.toISOString() ?? null,
    paidAt: row.paid_at?.toISOString() ?? null,
  }
}
