import { type CompiledQuery, type Kysely, type Selectable, sql } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import { formatRate } from '#server/prices/reading.ts'
import { type Deposit, depositStatuses } from '#shared/contract/entities.ts'
import type { DepositFilter } from '#shared/contract/tables.ts'
import { assetDecimals, formatDecimal, usdToJson } from '#shared/money.ts'
import { inPeriod, isNarrowed, ofAmount, orderOfPeriod } from './narrowing.ts'
import { countOf, type Listed, type ListFilter, listed, matches, statusFilter, type Whose } from './paging.ts'
import { inOrder, pageOf, type SortColumns, sortingOf, sortOf } from './sorting.ts'

export type DepositRow = Selectable<Schema['app.deposits']> & {
  user_name: string | null
  investment_invoice: string | null
  investment_status: Selectable<Schema['app.investments']>['status'] | null
}

// Left joins, although every row has its partners: PostgreSQL then leaves them out where only rows are counted.
function deposits(db: Kysely<Schema>) {
  return db
    .selectFrom('app.deposits as d')
    .leftJoin('app.users as u', 'u.id', 'd.user_id')
    .leftJoin('app.investments as i', 'i.id', 'd.investment_id')
}

function rowsOf(query: ReturnType<typeof deposits>) {
  return query
    .selectAll('d')
    .select(['u.name as user_name', 'i.invoice_id as investment_invoice', 'i.status as investment_status'])
}

const sortColumns: SortColumns = {
  created: { value: sql.ref('d.created_at'), type: 'timestamptz' },
  amount: { value: sql.ref('d.amount_cents'), type: 'bigint' },
  status: { value: sql.ref('d.status'), type: 'text' },
  method: { value: sql.ref('d.method'), type: 'text' },
}

function chosen(db: Kysely<Schema>, filter: DepositFilter & Whose) {
  const { userId, q, method } = filter
  const status = statusFilter(filter.status, depositStatuses)
  const matching = deposits(db)
    .$if(userId !== undefined, query => query.where('d.user_id', '=', userId!))
    .$if(status !== undefined, query => query.where('d.status', '=', status!))
    .$if(method !== undefined, query => query.where('d.method', '=', method!))
    .where(({ ref }) => inPeriod(ref('d.created_at'), filter))
    .where(({ ref }) => ofAmount(ref('d.amount_cents'), filter))
    .where(({ ref }) => {
      const texts = [ref('d.invoice_id'), ref('d.method'), ref('d.address'), ref('u.name'), ref('u.email')]
      return matches(q, texts, [ref('d.id'), ref('d.user_id')])
    })
  return { matching, sorting: sortingOf(orderOfPeriod(filter, '-created'), sortColumns, sql.ref('d.id')) }
}

/** Deposits, the newest first unless sorted; searched by number, method, address, name, e-mail and ids. */
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

/** All of them, to be read row by row. */
export function allDeposits(db: Kysely<Schema>, filter: DepositFilter): CompiledQuery<DepositRow> {
  const { matching, sorting } = chosen(db, filter)
  return inOrder(rowsOf(matching), sorting).compile()
}

export function findDeposit(db: Kysely<Schema>, id: string): Promise<DepositRow | undefined> {
  return rowsOf(deposits(db)).where('d.id', '=', id).executeTakeFirst()
}

/** @throws NoResultError where there is no such deposit */
export function depositById(db: Kysely<Schema>, id: string): Promise<DepositRow> {
  return rowsOf(deposits(db)).where('d.id', '=', id).executeTakeFirstOrThrow()
}

export function depositsById(db: Kysely<Schema>, ids: string[]): Promise<DepositRow[]> {
  return rowsOf(deposits(db)).where('d.id', 'in', ids).execute()
}

/** The payment of an investment; undefined where its balance paid it. */
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
    declineReason: row.decline_reason,
    createdAt: row.created_at.toISOString(),
    settledAt: row.settled_at?.toISOString() ?? null,
  }
}

/** Where the payment stands, in one plain sentence (D5). */
function labelOf(row: DepositRow, now: Date): string {
  if (row.status === 'declined') return `Declined: ${row.decline_reason}`
  if (row.status === 'unpaid')
    return 'No payment was confirmed in time. One that arrives after all is still credited.'
  if (row.status === 'paid') return paidLabel(row)
  if (now < row.expires_at) return 'Waiting for the payment at the locked rate.'
  if (now < row.watch_until)
    return 'The 15 minutes have passed. A payment that arrives late is not lost: it is checked and credited.'
  return 'No payment has been confirmed in time. It is being checked.'
}

function paidLabel(row: DepositRow): string {
  if (row.investment_status === null) return 'Paid in full and added to the balance.'
  if (row.investment_status === 'pending') return `Paid in full and kept for ${row.investment_invoice}.`
  if (row.investment_status === 'declined')
    return `Paid in full. ${row.investment_invoice} was declined, so the money was added to the balance.`
  return `Paid in full and invested with ${row.investment_invoice}.`
}
