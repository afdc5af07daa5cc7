import { type Kysely, type Selectable, sql } from 'kysely'
import type { Tx } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { formatRate } from '#server/prices/reading.ts'
import { defineList } from '#server/queries/list.ts'
import type { WithdrawalWallet } from '#shared/coins.ts'
import { type Withdrawal, withdrawalStatuses } from '#shared/contract/entities.ts'
import { assetDecimals, formatDecimal, usdToJson } from '#shared/money.ts'
import { may, roles } from '#shared/roles.ts'

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

/** True if approval `a` still counts: the same person holds account `d` and may decide now. */
const counts = sql<boolean>`(a.holder = d.holder AND d.access_ended_at IS NULL
  AND d.role IN (${sql.join(roles.filter(role => may(role, 'decide')))}))`

/** The number of a pending withdrawal's approvals that count now. */
export async function countApprovals(tx: Tx, id: string): Promise<number> {
  const { approvals } = await tx
    .selectFrom('app.withdrawal_approvals as a')
    .innerJoin('app.users as d', 'd.id', 'a.admin_id')
    .select(eb => eb.fn.countAll<bigint>().as('approvals'))
    .where('a.withdrawal_id', '=', id)
    .where(counts)
    .executeTakeFirstOrThrow()
  return Number(approvals)
}

function rowsOf(query: ReturnType<typeof withdrawals>) {
  const approvals = sql<number>`(
    SELECT count(*)::int FROM app.withdrawal_approvals a JOIN app.users d ON d.id = a.admin_id
     WHERE a.withdrawal_id = w.id AND (w.status <> 'pending' OR ${counts}))`
  const batch = sql<Withdrawal['batch']>`(
    SELECT json_build_object('_id', b.id, 'number', b.number, 'status', b.status,
             'exclusive', p.state = 'open' AND p.alert IS DISTINCT FROM 'wrong_amount')
      FROM app.payout_items p JOIN app.payout_batches b ON b.id = p.batch_id
     WHERE p.withdrawal_id = w.id AND p.state <> 'released')`
  return query.selectAll('w').select(['u.name as user_name', approvals.as('approvals'), batch.as('batch')])
}

/** The newest first unless sorted. */
export const withdrawalList = defineList({
  from: withdrawals,
  columns: rowsOf,
  present: (rows: WithdrawalRow[]) => rows.map(presentWithdrawal),
  id: 'w.id',
  status: { known: withdrawalStatuses, column: 'w.status' },
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
    payout: presentPayout(row),
    batch: row.batch,
    transactionId: row.transaction_id,
    declineReason: row.decline_reason,
    recovered: usdToJson(row.recovered_cents),
    createdAt: row.created_at.toISOString(),
    approvedAt: row.approved_at?.toISOString() ?? null,
    paidAt: row.paid_at?.toISOString() ?? null,
  }
}

/** The amount in coin, once it is locked. */
function presentPayout(row: WithdrawalRow): Withdrawal['payout'] {
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
