import { type CompiledQuery, type Kysely, type Selectable, sql } from 'kysely'
import type { Tx } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { formatRate } from '#server/prices/reading.ts'
import { inPeriod, isNarrowed, ofAmount, orderOfPeriod } from '#server/queries/filters.ts'
import {
  countOf,
  type Listed,
  type ListFilter,
  listed,
  matches,
  statusFilter,
  type Whose,
} from '#server/queries/paging.ts'
import { inOrder, pageOf, type SortColumns, sortingOf, sortOf } from '#server/queries/sorting.ts'
import type { WithdrawalWallet } from '#shared/coins.ts'
import { type Withdrawal, withdrawalStatuses } from '#shared/contract/entities.ts'
import type { WithdrawalFilter } from '#shared/contract/tables.ts'
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

const sortColumns: SortColumns = {
  created: { value: sql.ref('w.created_at'), type: 'timestamptz' },
  amount: { value: sql.ref('w.amount_cents'), type: 'bigint' },
  status: { value: sql.ref('w.status'), type: 'text' },
  wallet: { value: sql.ref('w.wallet'), type: 'text' },
}

function chosen(db: Kysely<Schema>, filter: WithdrawalFilter & Whose) {
  const { userId, q, wallet } = filter
  const status = statusFilter(filter.status, withdrawalStatuses)
  const matching = withdrawals(db)
    .$if(userId !== undefined, query => query.where('w.user_id', '=', userId!))
    .$if(status !== undefined, query => query.where('w.status', '=', status!))
    .$if(wallet !== undefined, query => query.where('w.wallet', '=', wallet!))
    .where(({ ref }) => inPeriod(ref('w.created_at'), filter))
    .where(({ ref }) => ofAmount(ref('w.amount_cents'), filter))
    .where(({ ref }) => {
      const own = [ref('w.invoice_id'), ref('w.wallet'), ref('w.address'), ref('w.transaction_id')]
      return matches(q, [...own, ref('u.name'), ref('u.email')], [ref('w.id'), ref('w.user_id')])
    })
  return { matching, sorting: sortingOf(orderOfPeriod(filter, '-created'), sortColumns, sql.ref('w.id')) }
}

/** Withdrawals, the newest first unless sorted; searched by number, wallet, address, transaction id, name, email and ids. */
export function listWithdrawals(
  db: Kysely<Schema>,
  filter: ListFilter & WithdrawalFilter,
): Promise<Listed<WithdrawalRow>> {
  const { matching, sorting } = chosen(db, filter)
  return listed(filter, {
    rows: (...place) => pageOf(rowsOf(matching), sorting, ...place).execute(),
    count: mostMs => countOf(db, matching, mostMs),
    sort: sortOf(sorting),
    isNarrowed: isNarrowed(filter),
  })
}

/** All matching withdrawals, to be streamed. */
export function allWithdrawals(db: Kysely<Schema>, filter: WithdrawalFilter): CompiledQuery<WithdrawalRow> {
  const { matching, sorting } = chosen(db, filter)
  return inOrder(rowsOf(matching), sorting).compile()
}

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
