import { type Kysely, sql } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import { defineList } from '#server/queries/list.ts'
import { matches } from '#server/queries/paging.ts'
import { type Token, tokenDecimals } from '#server/rails/chain.ts'
import type { DepositMethod, PayoutWallet } from '#shared/coins.ts'
import { payoutStatuses } from '#shared/contract/entities.ts'
import type { PayoutBatch, PayoutDetail, PayoutItem } from '#shared/contract/payouts.ts'
import { assetDecimals, formatDecimal, usdToJson } from '#shared/money.ts'

function batches(db: Kysely<Schema>) {
  return db.selectFrom('app.payout_batches as b')
}

const needsReview = sql<boolean>`EXISTS (SELECT FROM app.payout_items f WHERE f.batch_id = b.id AND f.alert IS NOT NULL AND f.reviewed_at IS NULL)`

/** All columns but the file itself. */
function rowsOf(query: ReturnType<typeof batches>) {
  const nameOf = (column: 'created_by' | 'assignee_id' | 'cancelled_by') =>
    sql<string>`(SELECT u.name FROM app.users u WHERE u.id = ${sql.ref(`b.${column}`)})`
  const items = <T>(what: string) =>
    sql<T>`(SELECT ${sql.raw(what)} FROM app.payout_items p JOIN app.withdrawals w ON w.id = p.withdrawal_id WHERE p.batch_id = b.id)`
  return query
    .select(['b.id', 'b.number', 'b.method', 'b.wallet', 'b.asset', 'b.network', 'b.status', 'b.sender'])
    .select(['b.units', 'b.fee_rate', 'b.fee_units', 'b.change_address', 'b.change_units'])
    .select([
      'b.file_name',
      'b.file_sha256',
      'b.created_by',
      'b.created_at',
      'b.assignee_id',
      'b.exported_at',
    ])
    .select(['b.seen_at', 'b.paid_at', 'b.cancelled_at', 'b.cancel_reason', 'b.expires_at'])
    .select([
      sql<number>`octet_length(b.file)`.as('file_size'),
      nameOf('created_by').as('created_by_name'),
      nameOf('assignee_id').as('assignee_name'),
      nameOf('cancelled_by').as('cancelled_by_name'),
      items<number>('count(*)::integer').as('count'),
      items<number>("count(*) FILTER (WHERE p.state = 'paid')::integer").as('paid'),
      items<number>('(count(*) FILTER (WHERE p.alert IS NOT NULL AND p.reviewed_at IS NULL))::integer').as(
        'alerts',
      ),
      items<bigint>('sum(w.amount_cents)::bigint').as('amount_cents'),
    ])
}

type BatchRow = Awaited<ReturnType<ReturnType<typeof rowsOf>['execute']>>[number]

/** Payout batches, the newest first. `faulty`: with an alert that nobody has reviewed. */
export const payoutList = defineList({
  from: batches,
  columns: rowsOf,
  present: (rows: BatchRow[]) => rows.map(presentBatch),
  id: 'b.id',
  status: {
    known: [...payoutStatuses, 'faulty'],
    column: 'b.status',
    special: { faulty: () => needsReview },
    unindexed: ['faulty'],
  },
  search: { texts: ['b.number', 'b.wallet'], ids: ['b.id'], related: paysFor },
})

/** Batches with an item that the search finds. */
function paysFor(q: string) {
  const texts = ['w.invoice_id', 'p.transaction_id', 'p.address'].map(name => sql.ref<string | null>(name))
  return sql<boolean>`EXISTS (
    SELECT FROM app.payout_items p JOIN app.withdrawals w ON w.id = p.withdrawal_id
     WHERE p.batch_id = b.id AND ${matches(q, texts, [sql.ref('w.id')])})`
}

function presentBatch(row: BatchRow): PayoutBatch {
  const coins = (units: bigint) => formatDecimal(units, assetDecimals[row.asset])
  return {
    _id: row.id,
    number: row.number,
    wallet: row.wallet,
    asset: row.asset,
    network: row.network,
    status: row.status,
    count: row.count,
    paid: row.paid,
    alerts: row.alerts,
    amount: usdToJson(row.amount_cents),
    amountCrypto: coins(row.units),
    fee: row.fee_rate === null ? null : { rate: row.fee_rate, amountCrypto: coins(row.fee_units!) },
    change:
      row.change_address === null
        ? null
        : { address: row.change_address, amountCrypto: coins(row.change_units!) },
    sender: row.sender,
    file: { name: row.file_name, sha256: row.file_sha256.toString('hex'), size: row.file_size },
    createdBy: { _id: row.created_by, name: row.created_by_name },
    assignee: { _id: row.assignee_id, name: row.assignee_name },
    exportedAt: row.exported_at?.toISOString() ?? null,
    createdAt: row.created_at.toISOString(),
    seenAt: row.seen_at?.toISOString() ?? null,
    paidAt: row.paid_at?.toISOString() ?? null,
    cancelledAt: row.cancelled_at?.toISOString() ?? null,
    cancelledBy: row.cancelled_by_name,
    cancelReason: row.cancel_reason,
    expiresAt: row.expires_at?.toISOString() ?? null,
  }
}

/** A batch with its withdrawals and inputs, or undefined. */
export async function payoutDetail(
  db: Kysely<Schema>,
  id: string,
): Promise<Omit<PayoutDetail, 'refusals'> | undefined> {
  const row = await rowsOf(batches(db)).where('b.id', '=', id).executeTakeFirst()
  if (!row) return undefined
  const [items, inputs] = await Promise.all([
    itemsOf(db, id, row.method),
    db
      .selectFrom('app.payout_inputs')
      .select(['outpoint', 'units'])
      .where('batch_id', '=', id)
      .orderBy('outpoint')
      .execute(),
  ])
  return {
    ...presentBatch(row),
    items: items.map(item => presentItem(item, row.asset)),
    inputs: inputs.map(({ outpoint, units }) => ({
      outpoint,
      amountCrypto: formatDecimal(units, assetDecimals[row.asset]),
    })),
  }
}

function itemsOf(db: Kysely<Schema>, batchId: string, method: DepositMethod) {
  return db
    .selectFrom('app.payout_items as p')
    .innerJoin('app.withdrawals as w', 'w.id', 'p.withdrawal_id')
    .innerJoin('app.users as u', 'u.id', 'w.user_id')
    .leftJoin('app.chain_cursors as c', join => join.on('c.method', '=', method))
    .select(['p.withdrawal_id', 'p.address', 'p.units', 'p.state', 'p.transaction_id'])
    .select(['p.alert', 'p.alert_transaction', 'p.alert_token', 'p.alert_units', 'p.alert_at'])
    .select(['w.invoice_id', 'w.user_id', 'w.amount_cents', 'u.name as user_name', 'u.frozen_at'])
    .select(['p.nonce', 'p.reviewed_at', 'p.review_note', 'c.synced_height', 'c.confirmations'])
    .select(sql<string | null>`(SELECT l.name FROM app.users l WHERE l.id = p.reviewed_by)`.as('reviewed_by'))
    .select(
      sql<number | null>`(SELECT t.block_height FROM app.chain_transfers t
        WHERE t.method = ${method} AND t.transaction_id = p.transaction_id AND t.position = p.transfer_position
          AND t.dropped_at IS NULL LIMIT 1)`.as('block_height'),
    )
    .select(
      sql<boolean>`NOT EXISTS (SELECT FROM app.chain_transfers t
        WHERE t.method = ${method} AND t.transaction_id = p.alert_transaction AND t.dropped_at IS NULL)`.as(
        'alert_dropped',
      ),
    )
    .where('p.batch_id', '=', batchId)
    .orderBy('p.position')
    .execute()
}

type ItemRow = Awaited<ReturnType<typeof itemsOf>>[number]

function presentItem(row: ItemRow, asset: PayoutBatch['asset']): PayoutItem {
  const { block_height: height, synced_height: tip, confirmations: needed } = row
  const confirmations =
    height === null || tip === null || needed === null
      ? null
      : { have: Math.max(0, tip - height + 1), needed }
  return {
    withdrawal: row.withdrawal_id,
    invoiceId: row.invoice_id,
    user: row.user_id,
    userName: row.user_name,
    amount: usdToJson(row.amount_cents),
    address: row.address,
    amountCrypto: formatDecimal(row.units, assetDecimals[asset]),
    state: row.state,
    transactionId: row.transaction_id,
    confirmations,
    frozen: row.frozen_at !== null && row.state === 'open',
    alert: alertOf(row),
    nonce: row.nonce,
  }
}

function alertOf(row: ItemRow): PayoutItem['alert'] {
  if (row.alert === null) return null
  return {
    kind: row.alert,
    transactionId: row.alert_transaction!,
    token: row.alert_token!,
    amountCrypto: formatDecimal(row.alert_units!, tokenDecimals[row.alert_token as Token]),
    at: row.alert_at!.toISOString(),
    dropped: row.alert_dropped,
    reviewed:
      row.reviewed_at === null
        ? null
        : { at: row.reviewed_at.toISOString(), by: row.reviewed_by!, note: row.review_note! },
  }
}

/** Minor units of a coin with its name: '0.00166667 BTC'. */
export function coinAmount(units: bigint, token: string): string {
  return `${formatDecimal(units, tokenDecimals[token as Token])} ${token}`
}

/** Approved withdrawals that no open batch pays. */
function unpaid(db: Kysely<Schema>) {
  return db
    .selectFrom('app.withdrawals as w')
    .where('w.status', '=', 'approved')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('app.payout_items as p')
            .select('p.position')
            .whereRef('p.withdrawal_id', '=', 'w.id')
            .where('p.state', '=', 'open'),
        ),
      ),
    )
    .orderBy('w.approved_at')
    .orderBy('w.id')
}

/** The coin whose approved withdrawal has waited longest for a batch, if one waits. */
export async function longestWaiting(
  db: Kysely<Schema>,
  wallets: readonly PayoutWallet[],
): Promise<PayoutWallet | undefined> {
  if (wallets.length === 0) return undefined
  const row = await unpaid(db).select('w.wallet').where('w.wallet', 'in', wallets).limit(1).executeTakeFirst()
  return wallets.find(wallet => wallet === row?.wallet)
}

/** Approved withdrawals in a coin that no open batch pays, the longest approved first. `flagged`: number of a batch with an alert for it. */
export async function readyWithdrawals(db: Kysely<Schema>, wallet: PayoutWallet, limit: number) {
  return unpaid(db)
    .innerJoin('app.users as u', 'u.id', 'w.user_id')
    .select(['w.id', 'w.invoice_id', 'w.user_id', 'u.name as user_name', 'w.amount_cents', 'w.address'])
    .select(['w.payout_units', 'w.payout_asset', 'u.frozen_at', 'w.approved_at'])
    .select(
      sql<
        string | null
      >`(SELECT b.number FROM app.payout_items f JOIN app.payout_batches b ON b.id = f.batch_id
        WHERE f.withdrawal_id = w.id AND f.alert IS NOT NULL ORDER BY b.id LIMIT 1)`.as('flagged'),
    )
    .where('w.wallet', '=', wallet)
    .limit(limit)
    .execute()
}
