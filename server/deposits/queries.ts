import { type CompiledQuery, type Kysely, sql } from 'kysely'
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
import { type Deposit, depositStatuses } from '#shared/contract/entities.ts'
import type { DepositFilter } from '#shared/contract/tables.ts'
import { assetDecimals, formatDecimal, usdToJson } from '#shared/money.ts'
import type { DepositRow } from './deposit-row.ts'
import { labelOf, monitoringOf } from './stage.ts'

// Every row has its partners, but PostgreSQL removes unused left joins when it only counts.
function deposits(db: Kysely<Schema>) {
  return db
    .selectFrom('app.deposits as d')
    .leftJoin('app.users as u', 'u.id', 'd.user_id')
    .leftJoin('app.investments as i', 'i.id', 'd.investment_id')
    .leftJoin('app.chain_cursors as c', 'c.method', 'd.method')
}

const heldUp = sql<
  boolean | null
>`(c.halted OR c.failed_deposits > 0 OR c.sync_error IS NOT NULL AND c.sync_error_kind = 'crediting')`

function rowsOf(query: ReturnType<typeof deposits>) {
  return query
    .selectAll('d')
    .select(['u.name as user_name', 'u.frozen_at', 'c.synced_height', 'c.confirmations'])
    .select(heldUp.as('is_held_up'))
    .select(['i.invoice_id as investment_invoice', 'i.status as investment_status'])
}

const sortColumns: SortColumns = {
  created: { value: sql.ref('d.created_at'), type: 'timestamptz' },
  amount: { value: sql.ref('d.amount_cents'), type: 'bigint' },
  status: { value: sql.ref('d.status'), type: 'text' },
  method: { value: sql.ref('d.method'), type: 'text' },
}

/** A status, or `differing`: the deposits that still need a review. */
const listedStatuses = [...depositStatuses, 'differing'] as const

function chosen(db: Kysely<Schema>, filter: DepositFilter & Whose) {
  const { userId, q, method } = filter
  const status = statusFilter(filter.status, listedStatuses)
  const matching = deposits(db)
    .$if(userId !== undefined, query => query.where('d.user_id', '=', userId!))
    .$if(status !== undefined, query =>
      status === 'differing'
        ? query.where(sql<boolean>`(d.deviation IS NOT NULL OR d.flags <> '{}') AND d.reviewed_at IS NULL`)
        : query.where('d.status', '=', status!),
    )
    .$if(method !== undefined, query => query.where('d.method', '=', method!))
    .where(({ ref }) => inPeriod(ref('d.created_at'), filter))
    .where(({ ref }) => ofAmount(ref('d.amount_cents'), filter))
    .where(({ ref }) => {
      const texts = [ref('d.invoice_id'), ref('d.method'), ref('d.address'), ref('u.name'), ref('u.email')]
      return matches(q, texts, [ref('d.id'), ref('d.user_id')])
    })
  return { matching, sorting: sortingOf(orderOfPeriod(filter, '-created'), sortColumns, sql.ref('d.id')) }
}

/** The newest first unless sorted; searches number, method, address, name, email and ids. */
export function listDeposits(
  db: Kysely<Schema>,
  filter: ListFilter & DepositFilter,
): Promise<Listed<DepositRow>> {
  const { matching, sorting } = chosen(db, filter)
  return listed(filter, {
    rows: (...place) => pageOf(rowsOf(matching), sorting, ...place).execute(),
    count: mostMs => countOf(db, matching, mostMs),
    sort: sortOf(sorting),
    isNarrowed: isNarrowed(filter),
  })
}

/** Every matching row, for streaming. */
export function allDeposits(db: Kysely<Schema>, filter: DepositFilter): CompiledQuery<DepositRow> {
  const { matching, sorting } = chosen(db, filter)
  return inOrder(rowsOf(matching), sorting).compile()
}

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
    needsReview: (row.deviation !== null || row.flags.length > 0) && row.reviewed_at === null,
  }
}
