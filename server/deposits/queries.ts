import { type Expression, type Kysely, type SqlBool, sql } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import { formatRate } from '#server/prices/reading.ts'
import { defineList } from '#server/queries/list.ts'
import { type Deposit, depositStatuses } from '#shared/contract/entities.ts'
import { assetDecimals, formatDecimal, usdToJson } from '#shared/money.ts'
import type { DepositRow } from './deposit-row.ts'
import { amountsOf, amountsOfMany } from './locks.ts'
import { cancelRefusal, labelOf, monitoringOf } from './stage.ts'

// Every row has its partners, but PostgreSQL removes unused left joins when it only counts.
function deposits(db: Kysely<Schema>) {
  return db
    .selectFrom('app.deposits as d')
    .leftJoin('app.users as u', 'u.id', 'd.user_id')
    .leftJoin('app.investments as i', 'i.id', 'd.investment_id')
    .leftJoin('app.chain_cursors as c', join => join.on(sql<boolean>`c.rail = app.rail_of(d.method)`))
}

const heldUp = sql<
  boolean | null
>`(c.halted OR c.failed_deposits > 0 OR c.sync_error IS NOT NULL AND c.sync_error_kind = 'crediting')`

const isWatched = sql<boolean>`(c.rail IS NOT NULL AND m.has_own_address)`

/** How long a settled payment stays with the open ones, so that who has just paid reads its outcome. */
const outcomeMinutes = 60

/** Pending, credited in part while the rest can still be sent, or just settled. */
function isOpen(now: Date) {
  const since = new Date(now.getTime() - outcomeMinutes * 60_000)
  return sql<SqlBool>`(d.status = 'pending' OR d.settled_at >= ${since}
    OR d.status = 'paid' AND d.investment_id IS NULL AND d.watch_until > ${now}
       AND EXISTS (SELECT FROM app.amounts_of(d.id) m
                    WHERE m.deviation = 'underpaid' AND m.received_units <= m.seen_units))`
}

function rowsOf(query: ReturnType<typeof deposits>, amounts = amountsOf) {
  return query
    .crossJoinLateral(amounts)
    .selectAll(['d', 'm'])
    .select(['u.name as user_name', 'u.frozen_at', 'u.closed_at', 'c.synced_height', 'c.confirmations'])
    .select([heldUp.as('is_held_up'), isWatched.as('is_watched')])
    .select(['i.invoice_id as investment_invoice', 'i.status as investment_status'])
    .select(sql<boolean>`i.cancelled_by IS NOT NULL`.as('investment_cancelled'))
}

/** A transaction's hash as networks and wallets write it: with or without 0x, in either case. */
const hashForm = /^(?:0x)?([\da-f]{64})$/i

/** Both forms of a transaction's hash in which the database may have it; none for another text. */
export function hashesIn(q: string): string[] {
  const hash = hashForm.exec(q)?.[1]?.toLowerCase()
  return hash === undefined ? [] : [hash, `0x${hash}`]
}

/** Deposits at whose address the transaction paid, or that a person credited for it. */
function paidIn(q: string): Expression<SqlBool> {
  const forms = hashesIn(q)
  if (forms.length === 0) return sql`false`
  return sql<SqlBool>`(
    d.id IN (SELECT c.deposit_id FROM app.deposit_credits c WHERE lower(c.transaction_id) = ANY (${forms}::text[]))
    OR app.address_key(d.address) IN (SELECT t.address FROM app.chain_transfers t
                                       WHERE t.rail IN ('bitcoin', 'usdt', 'ethereum') AND t.transaction_id = ANY (${forms}::text[])))`
}

/**
 * The newest first unless sorted. `differing`: the deposits that still need a review; `open`: the pending ones and
 * those that were settled within the last hour.
 */
export const depositList = defineList({
  from: deposits,
  columns: query => rowsOf(query),
  columnsOfAll: query => rowsOf(query, amountsOfMany),
  present: (rows: DepositRow[], { now }) => rows.map(row => presentDeposit(row, now)),
  id: 'd.id',
  status: {
    known: [...depositStatuses, 'cancelled', 'differing', 'open'],
    column: 'd.status',
    special: {
      cancelled: () => sql`d.cancelled_by IS NOT NULL`,
      differing: () => sql`d.needs_review`,
      open: isOpen,
    },
  },
  exactly: { userId: 'd.user_id', method: 'd.method' },
  period: { moment: 'd.created_at', sort: '-created' },
  cents: 'd.amount_cents',
  search: {
    texts: ['d.invoice_id', 'd.method', 'd.address', 'u.name', 'u.email'],
    ids: ['d.id', 'd.user_id'],
    related: paidIn,
  },
  sorts: {
    created: { value: 'd.created_at', type: 'timestamptz' },
    amount: { value: 'd.amount_cents', type: 'bigint' },
    status: { value: 'd.status', type: 'text' },
    method: { value: 'd.method', type: 'text' },
  },
})

export function findDeposit(db: Kysely<Schema>, id: string): Promise<DepositRow | undefined> {
  return rowsOf(deposits(db)).where('d.id', '=', id).executeTakeFirst()
}

/** @throws NoResultError if there is no such deposit */
export function depositById(db: Kysely<Schema>, id: string): Promise<DepositRow> {
  return rowsOf(deposits(db)).where('d.id', '=', id).executeTakeFirstOrThrow()
}

export function depositsById(db: Kysely<Schema>, ids: string[]): Promise<DepositRow[]> {
  return rowsOf(deposits(db)).where('d.id', 'in', ids).execute()
}

/** The deposit that pays an investment; undefined if the balance does. */
export function depositOfInvestment(
  db: Kysely<Schema>,
  investmentId: string,
): Promise<DepositRow | undefined> {
  return rowsOf(deposits(db)).where('d.investment_id', '=', investmentId).executeTakeFirst()
}

export function presentDeposit(row: DepositRow, now: Date): Deposit {
  return {
    _id: row.id,
    invoiceId: row.invoice_id,
    user: row.user_id,
    userName: row.user_name,
    amount: usdToJson(row.amount_cents),
    method: row.method,
    status: row.status,
    label: labelOf(row, now),
    ...monitoringOf(row, now),
    investment: row.investment_id,
    payment: {
      asset: row.asset,
      network: row.network,
      address: row.address,
      amountCrypto: formatDecimal(row.crypto_units, assetDecimals[row.asset]),
      rate: formatRate(row.rate_e8),
      rateAt: row.rate_at.toISOString(),
      rateSource: row.rate_source,
      expiresAt: row.expires_at.toISOString(),
      uri: row.payment_uri,
    },
    ...arrivalOf(row),
    declineReason: row.decline_reason,
    cancelled: row.cancelled_by !== null,
    canCancel: row.status === 'pending' && row.frozen_at === null && cancelRefusal(row) === null,
    createdAt: row.created_at.toISOString(),
    settledAt: row.settled_at?.toISOString() ?? null,
  }
}

type ArrivalFields = Pick<
  Deposit,
  | 'credited'
  | 'deviation'
  | 'received'
  | 'arrivedAt'
  | 'arrivalRate'
  | 'arrivalRateSource'
  | 'transactionId'
  | 'needsReview'
>

function arrivalOf(row: DepositRow): ArrivalFields {
  const { credited_cents, received_units } = row
  return {
    credited: credited_cents === null ? null : usdToJson(credited_cents),
    deviation: row.deviation,
    received: received_units === null ? null : formatDecimal(received_units, assetDecimals[row.asset]),
    arrivedAt: row.arrived_at?.toISOString() ?? null,
    arrivalRate: row.credited_rate_e8 === null ? null : formatRate(row.credited_rate_e8),
    arrivalRateSource: row.credited_rate_source,
    transactionId: row.transaction_id,
    needsReview: row.needs_review,
  }
}
