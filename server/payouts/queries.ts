import { type Kysely, sql } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import { defineList } from '#server/queries/list.ts'
import { matches } from '#server/queries/paging.ts'
import { type Token, tokenDecimals } from '#server/rails/chain.ts'
import type { BatchWallet, PayoutWallet } from '#shared/batch-coins.ts'
import type { RailName } from '#shared/coins.ts'
import { payoutStatuses } from '#shared/contract/entities.ts'
import type { PayoutBatch, PayoutDetail, PayoutItem, PayoutMove } from '#shared/contract/payouts.ts'
import { assetDecimals, formatDecimal, usdToJson } from '#shared/money.ts'
import { waitsFor, waitsForTopUp } from './slots.ts'

function batches(db: Kysely<Schema>) {
  return db.selectFrom('app.payout_batches as b')
}

const needsReview = sql<boolean>`EXISTS (SELECT FROM app.payout_items f WHERE f.batch_id = b.id AND f.alert IS NOT NULL AND f.reviewed_at IS NULL)`

function rowsOf(query: ReturnType<typeof batches>) {
  const nameOf = (column: 'created_by' | 'cancelled_by') =>
    sql<string>`(SELECT u.name FROM app.users u WHERE u.id = ${sql.ref(`b.${column}`)})`
  const items = <T>(what: string) =>
    sql<T>`(SELECT ${sql.raw(what)} FROM app.payout_items p LEFT JOIN app.withdrawals w ON w.id = p.withdrawal_id WHERE p.batch_id = b.id)`
  return query
    .select([
      'b.id',
      'b.number',
      'b.purpose',
      'b.rail',
      'b.wallet',
      'b.asset',
      'b.network',
      'b.status',
      'b.sender',
      'b.by_safe',
    ])
    .select(['b.units', 'b.created_by', 'b.created_at', 'b.ended_at', 'b.cancelled_at', 'b.cancel_reason'])
    .select([
      nameOf('created_by').as('created_by_name'),
      nameOf('cancelled_by').as('cancelled_by_name'),
      items<number>("(count(*) FILTER (WHERE p.kind <> 'top_up'))::integer").as('count'),
      items<number>("(count(*) FILTER (WHERE p.kind <> 'top_up' AND p.state = 'paid'))::integer").as('paid'),
      items<number>('(count(*) FILTER (WHERE p.alert IS NOT NULL AND p.reviewed_at IS NULL))::integer').as(
        'alerts',
      ),
      items<bigint | null>('sum(w.amount_cents)::bigint').as('amount_cents'),
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
  const texts = ['w.invoice_id', 'p.transaction_id', 'p.address', 'y.sender'].map(name =>
    sql.ref<string | null>(name),
  )
  return sql<boolean>`EXISTS (
    SELECT FROM app.payout_items p
      JOIN app.payout_payments y ON y.batch_id = p.batch_id AND y.position = p.payment
      LEFT JOIN app.withdrawals w ON w.id = p.withdrawal_id
     WHERE p.batch_id = b.id AND ${matches(q, texts, [sql.ref('w.id')])})`
}

function presentBatch(row: BatchRow): PayoutBatch {
  const coins = (units: bigint) => formatDecimal(units, tokenDecimals[row.asset])
  return {
    _id: row.id,
    number: row.number,
    purpose: row.purpose,
    wallet: row.wallet,
    asset: row.asset,
    network: row.network,
    status: row.status,
    count: row.count,
    paid: row.paid,
    alerts: row.alerts,
    amount: row.amount_cents === null ? null : usdToJson(row.amount_cents),
    amountCrypto: coins(row.units),
    sender: row.sender,
    bySafe: row.by_safe,
    createdBy: { _id: row.created_by, name: row.created_by_name },
    createdAt: row.created_at.toISOString(),
    endedAt: row.ended_at?.toISOString() ?? null,
    cancelledAt: row.cancelled_at?.toISOString() ?? null,
    cancelledBy: row.cancelled_by_name,
    cancelReason: row.cancel_reason,
  }
}

/** A batch with its withdrawals or moves, payments and files, or undefined. */
export async function payoutDetail(
  db: Kysely<Schema>,
  id: string,
): Promise<Omit<PayoutDetail, 'feeRateNow'> | undefined> {
  const row = await rowsOf(batches(db)).where('b.id', '=', id).executeTakeFirst()
  if (!row) return undefined
  const [items, payments, files] = await Promise.all([
    itemsOf(db, id, row.rail),
    paymentsOf(db, id),
    filesOf(db, id, row.wallet),
  ])
  return {
    ...presentBatch(row),
    items: items.flatMap(item => (item.kind === 'withdrawal' ? presentItem(item) : [])),
    moves: items.flatMap(item => (item.kind === 'withdrawal' ? [] : presentMove(item))),
    payments,
    files,
  }
}

async function filesOf(db: Kysely<Schema>, id: string, wallet: BatchWallet): Promise<PayoutDetail['files']> {
  const rows = await db
    .selectFrom('app.payout_files')
    .select([
      'version',
      'purpose',
      'name',
      'sha256',
      'fee_rate',
      'fee_units',
      'change_address',
      'change_units',
    ])
    .select(['created_at', 'exported_at', sql<number>`octet_length(content)`.as('size')])
    .select(
      sql<
        string | null
      >`(SELECT d.planned_id FROM app.payout_drafts d JOIN app.payout_batches b ON b.id = d.batch_id AND b.by_safe
        WHERE d.batch_id = payout_files.batch_id AND d.version = payout_files.version)`.as('safe_tx_hash'),
    )
    .where('batch_id', '=', id)
    .orderBy('version')
    .execute()
  return rows.map(row => ({
    version: row.version,
    purpose: row.purpose,
    name: row.name,
    sha256: row.sha256.toString('hex'),
    size: row.size,
    safeTxHash: row.safe_tx_hash,
    fee: presentFee(row.fee_units, row.fee_rate, feeAsset(wallet)),
    change:
      row.change_address === null
        ? null
        : {
            address: row.change_address,
            amountCrypto: formatDecimal(row.change_units!, assetDecimals.BTC),
          },
    createdAt: row.created_at.toISOString(),
    exportedAt: row.exported_at?.toISOString() ?? null,
  }))
}

/** The coin in which a coin's network fees are paid. */
export function feeAsset(wallet: BatchWallet): 'BTC' | 'ETH' {
  return wallet === 'Bitcoin (BTC)' ? 'BTC' : 'ETH'
}

/** @param units satoshi or gwei; null where the signing wallet's resources pay */
export function presentFee(
  units: bigint | null,
  rate: number | null,
  asset: 'BTC' | 'ETH',
): PayoutDetail['files'][number]['fee'] {
  return units === null ? null : { rate, asset, amountCrypto: formatDecimal(units, assetDecimals[asset]) }
}

async function paymentsOf(db: Kysely<Schema>, id: string): Promise<PayoutDetail['payments']> {
  const [rows, drafts] = await Promise.all([
    db
      .selectFrom('app.payout_payments as p')
      .innerJoin('app.payout_batches as b', 'b.id', 'p.batch_id')
      .leftJoin('app.chain_cursors as c', 'c.rail', 'b.rail')
      .select(['p.position', 'p.status', 'p.expires_at', 'p.used_by', 'c.synced_height', 'c.confirmations'])
      .select(sql<boolean>`coalesce(p.used_by IS NULL AND ${waitsForTopUp}, false)`.as('waits_for_top_up'))
      .select(waitsFor.as('waits_for'))
      .select(
        sql<number | null>`(SELECT min(s.block_height) FROM app.payout_slots k
            JOIN app.chain_spends s ON s.rail = b.rail AND s.slot = k.slot AND s.transaction_id = p.used_by
           WHERE k.batch_id = p.batch_id AND k.payment = p.position)`.as('block_height'),
      )
      .select(
        sql<
          { slot: string; units: string | null }[]
        >`(SELECT json_agg(json_build_object('slot', k.slot, 'units', k.units::text) ORDER BY k.slot)
            FROM app.payout_slots k WHERE k.batch_id = p.batch_id AND k.payment = p.position)`.as('slots'),
      )
      .where('p.batch_id', '=', id)
      .orderBy('p.position')
      .execute(),
    signedDrafts(db, id),
  ])
  return rows.map(row => ({
    position: row.position,
    status: row.status,
    slots: row.slots.map(({ slot, units }) => ({
      slot,
      // Only outpoints have a value.
      amountCrypto: units === null ? null : formatDecimal(BigInt(units), assetDecimals.BTC),
    })),
    expiresAt: row.expires_at?.toISOString() ?? null,
    waitsForTopUp: row.waits_for_top_up,
    waitsFor: row.waits_for,
    usedBy: row.used_by,
    confirmations: confirmationsOf(row),
    signed: drafts.flatMap(({ payment, ...draft }) => (payment === row.position ? draft : [])),
  }))
}

function confirmationsOf({
  block_height: height,
  synced_height: tip,
  confirmations: needed,
}: {
  block_height: number | null
  synced_height: number | null
  confirmations: number | null
}): PayoutDetail['payments'][number]['confirmations'] {
  if (height === null || tip === null || needed === null) return null
  return { have: Math.max(0, tip - height + 1), needed }
}

async function signedDrafts(db: Kysely<Schema>, id: string) {
  const rows = await db
    .selectFrom('app.payout_drafts')
    .select([
      'payment',
      'version',
      'transaction_id',
      'signatures',
      'signatures_needed',
      'broadcast_at',
      'refused',
    ])
    .where('batch_id', '=', id)
    .where(({ or, eb }) => or([eb('signed', 'is not', null), eb('collected', 'is not', null)]))
    .orderBy('version')
    .execute()
  return rows.map(row => ({
    payment: row.payment,
    version: row.version,
    transactionId: row.transaction_id,
    signatures: row.signatures === null ? null : { have: row.signatures, needed: row.signatures_needed! },
    broadcastAt: row.broadcast_at?.toISOString() ?? null,
    refused: row.refused,
  }))
}

function itemsOf(db: Kysely<Schema>, batchId: string, rail: RailName) {
  return db
    .selectFrom('app.payout_items as p')
    .innerJoin('app.payout_payments as y', join =>
      join.onRef('y.batch_id', '=', 'p.batch_id').onRef('y.position', '=', 'p.payment'),
    )
    .leftJoin('app.withdrawals as w', 'w.id', 'p.withdrawal_id')
    .leftJoin('app.users as u', 'u.id', 'w.user_id')
    .select([
      'p.kind',
      'p.token',
      'y.sender',
      'p.withdrawal_id',
      'p.address',
      'p.units',
      'p.state',
      'p.transaction_id',
      'p.payment',
    ])
    .select(['p.alert', 'p.alert_transaction', 'p.alert_units', 'p.alert_at'])
    .select(['w.invoice_id', 'w.user_id', 'w.amount_cents', 'u.name as user_name', 'u.frozen_at'])
    .select(['p.reviewed_at', 'p.review_note'])
    .select(sql<boolean>`app.listing_of(p.address) IS NOT NULL`.as('listed'))
    .select(sql<string | null>`(SELECT l.name FROM app.users l WHERE l.id = p.reviewed_by)`.as('reviewed_by'))
    .select(
      sql<boolean>`NOT EXISTS (SELECT FROM app.chain_spends s
        WHERE s.rail = ${rail} AND s.transaction_id = p.alert_transaction AND s.dropped_at IS NULL)`.as(
        'alert_dropped',
      ),
    )
    .where('p.batch_id', '=', batchId)
    .orderBy('p.position')
    .execute()
}

type ItemRow = Awaited<ReturnType<typeof itemsOf>>[number]

function presentItem(row: ItemRow): PayoutItem {
  return {
    withdrawal: row.withdrawal_id!,
    invoiceId: row.invoice_id!,
    user: row.user_id!,
    userName: row.user_name,
    amount: usdToJson(row.amount_cents!),
    address: row.address,
    amountCrypto: formatDecimal(row.units, tokenDecimals[row.token]),
    state: row.state,
    transactionId: row.transaction_id,
    frozen: row.frozen_at !== null && row.state === 'open',
    listed: row.listed && row.state === 'open',
    alert: alertOf(row),
    payment: row.payment,
  }
}

function presentMove(row: ItemRow): PayoutMove {
  return {
    kind: row.kind as PayoutMove['kind'],
    from: row.sender!,
    address: row.address,
    asset: row.token as PayoutMove['asset'],
    amountCrypto: formatDecimal(row.units, tokenDecimals[row.token]),
    state: row.state,
    transactionId: row.transaction_id,
    alert: alertOf(row),
    payment: row.payment,
  }
}

function alertOf(row: ItemRow): PayoutItem['alert'] {
  if (row.alert === null) return null
  return {
    kind: row.alert,
    transactionId: row.alert_transaction!,
    amountCrypto: formatDecimal(row.alert_units!, tokenDecimals[row.token]),
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
      sql<boolean>`EXISTS (SELECT FROM app.deposits d WHERE d.user_id = w.user_id AND d.debt_cents > 0)`.as(
        'in_debt',
      ),
    )
    .select(sql<boolean>`app.name_stop(w.user_id) IS NOT NULL`.as('name_stopped'))
    .select(
      sql<
        string | null
      >`(SELECT b.number FROM app.payout_items f JOIN app.payout_batches b ON b.id = f.batch_id
        WHERE f.withdrawal_id = w.id AND f.alert IS NOT NULL AND f.reviewed_at IS NULL ORDER BY b.id LIMIT 1)`.as(
        'flagged',
      ),
    )
    .where('w.wallet', '=', wallet)
    .limit(limit)
    .execute()
}
