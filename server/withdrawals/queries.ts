import { type Kysely, type Selectable, sql } from 'kysely'
import type { Tx } from '#server/context.ts'
import type { LockedAmount } from '#server/payouts/rate-lock.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { formatRate } from '#server/prices/reading.ts'
import { defineList } from '#server/queries/list.ts'
import type { WithdrawalWallet } from '#shared/coins.ts'
import { type Withdrawal, withdrawalStatuses } from '#shared/contract/entities.ts'
import { assetDecimals, formatDecimal, usdToJson } from '#shared/money.ts'

export type WithdrawalRow = Selectable<Schema['app.withdrawals']> & {
  user_name: string | null
  /** Number of approvals; while pending, only those of admins who may still decide. */
  approvals: number
  batch: Withdrawal['batch']
}

// A left join, although every row has its user: PostgreSQL then drops it from queries that only count rows.
function withdrawals(db: Kysely<Schema>) {
  return db.selectFrom('app.withdrawals as w').leftJoin('app.users as u', 'u.id', 'w.user_id')
}

/** True if this person, not an earlier holder of the account, has approved the withdrawal. */
export async function hasApproved(db: Kysely<Schema>, id: string, person: string): Promise<boolean> {
  const approval = await db
    .selectFrom('app.withdrawal_approvals as a')
    .innerJoin('app.users as u', 'u.id', 'a.admin_id')
    .select('a.admin_id')
    .where('a.withdrawal_id', '=', id)
    .where('a.admin_id', '=', person)
    .whereRef('a.holder', '=', 'u.holder')
    .executeTakeFirst()
  return approval !== undefined
}

/** Who else may decide now. */
export async function otherDeciders(tx: Tx, person: string): Promise<number> {
  const { rows } = await sql<{ others: number }>`
    SELECT count(*)::int AS others FROM app.users
     WHERE type = 'admin' AND id <> ${person} AND app.may_decide(id)`.execute(tx)
  return rows[0]!.others
}

/** The people who approved it, in order. */
export async function approversOf(db: Kysely<Schema>, id: string): Promise<{ name: string; at: Date }[]> {
  return db
    .selectFrom('app.withdrawal_approvals as a')
    .innerJoin('app.users as u', 'u.id', 'a.admin_id')
    .select(['u.name', 'a.created_at as at'])
    .where('a.withdrawal_id', '=', id)
    .orderBy('a.created_at')
    .execute()
}

function rowsOf(query: ReturnType<typeof withdrawals>) {
  const approvals = sql<number>`CASE w.status WHEN 'pending' THEN app.approvals_of(w.id)::int ELSE (
    SELECT count(*)::int FROM app.withdrawal_approvals a WHERE a.withdrawal_id = w.id) END`
  const batch = sql<Withdrawal['batch']>`(
    SELECT json_build_object('_id', b.id, 'number', b.number, 'status', y.status, 'shown', y.used_by IS NOT NULL,
             'exclusive', p.state = 'open')
      FROM app.payout_items p
      JOIN app.payout_batches b ON b.id = p.batch_id
      JOIN app.payout_payments y ON y.batch_id = p.batch_id AND y.position = p.payment
     WHERE p.withdrawal_id = w.id AND p.state <> 'released')`
  const needed = sql<number>`app.approvals_needed(w)`
  return query
    .selectAll('w')
    .select([
      'u.name as user_name',
      approvals.as('approvals'),
      needed.as('approvals_needed'),
      batch.as('batch'),
    ])
}

/** The newest first unless sorted. */
export const withdrawalList = defineList({
  from: withdrawals,
  columns: rowsOf,
  present: (rows: WithdrawalRow[]) => rows.map(presentWithdrawal),
  id: 'w.id',
  status: {
    known: [...withdrawalStatuses, 'cancelled'],
    column: 'w.status',
    special: { cancelled: () => sql`w.cancelled_by IS NOT NULL` },
  },
  exactly: { userId: 'w.user_id', wallet: 'w.wallet' },
  period: { moment: 'w.created_at', sort: '-created' },
  cents: 'w.amount_cents',
  search: {
    texts: ['w.invoice_id', 'w.wallet', 'w.address', 'w.transaction_id', 'u.name', 'u.email'],
    ids: ['w.id', 'w.user_id'],
  },
  sorts: {
    created: { value: 'w.created_at', type: 'timestamptz' },
    amount: { value: 'w.amount_cents', type: 'bigint' },
    status: { value: 'w.status', type: 'text' },
    wallet: { value: 'w.wallet', type: 'text' },
  },
})

export function findWithdrawal(db: Kysely<Schema>, id: string): Promise<WithdrawalRow | undefined> {
  return rowsOf(withdrawals(db)).where('w.id', '=', id).executeTakeFirst()
}

/** @throws NoResultError */
export function withdrawalById(db: Kysely<Schema>, id: string): Promise<WithdrawalRow> {
  return rowsOf(withdrawals(db)).where('w.id', '=', id).executeTakeFirstOrThrow()
}

export function withdrawalsById(db: Kysely<Schema>, ids: string[]): Promise<WithdrawalRow[]> {
  return rowsOf(withdrawals(db)).where('w.id', '=', sql<string>`ANY (${ids}::uuid[])`).execute()
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
    singleApproval: usdToJson(row.single_approval_cents),
    secondApproval: secondApprovalOf(row),
    payout: presentPayout(row),
    batch: row.batch,
    transactionId: row.transaction_id,
    declineReason: row.decline_reason,
    cancelled: row.cancelled_by !== null,
    recovered: usdToJson(row.recovered_cents),
    createdAt: row.created_at.toISOString(),
    approvedAt: row.approved_at?.toISOString() ?? null,
    paidAt: row.paid_at?.toISOString() ?? null,
  }
}

/** Why two people must approve it; null if one is enough. */
function secondApprovalOf(row: WithdrawalRow): Withdrawal['secondApproval'] {
  if (row.approvals_needed < 2) return null
  if (row.amount_cents > row.single_approval_cents) return 'amount'
  return row.second_approval ?? 'investor_day'
}

/** The amount in coin, once it is locked. */
export function presentPayout(row: Pick<WithdrawalRow, keyof LockedAmount>): Withdrawal['payout'] {
  const { payout_asset, payout_units, payout_rate_e8, payout_rate_at, payout_rate_source } = row
  if (payout_asset === null) return null
  return {
    asset: payout_asset,
    amountCrypto: formatDecimal(payout_units!, assetDecimals[payout_asset]),
    rate: formatRate(payout_rate_e8!),
    rateAt: payout_rate_at!.toISOString(),
    rateSource: payout_rate_source!,
  }
}
