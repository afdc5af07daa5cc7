import { type CompiledQuery, type Kysely, type Selectable, sql } from 'kysely'
import type { Tx } from '#server/context.ts'
import { type PlanRow, percentOf } from '#server/plans/queries.ts'
import type { Schema } from '#server/platform/database/schema.ts'
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
import { type Investment, investmentStatuses } from '#shared/contract/entities.ts'
import type { InvestmentFilter } from '#shared/contract/tables.ts'
import { usdToJson } from '#shared/money.ts'
import { accruedAfter, after30Days, firstDayBeyond } from '#shared/plans.ts'

/** An investment with the plan in the version that it was made under, and the earnings on it. */
export type InvestmentRow = Omit<Selectable<Schema['app.investments']>, 'covered_until'> & {
  user_name: string | null
  plan_name: string
  percentage_bp: PlanRow['percentage_bp']
  duration: string
  duration_days: number
  /** Paid earnings, in cents. */
  earned_cents: bigint
  /** Earnings that wait for the second approval, in cents. */
  earning_cents: bigint
}

const dayMilliseconds = 86_400_000

// Left joins, although every row has its partners: PostgreSQL then leaves them out where only rows are counted.
function investments(db: Kysely<Schema>) {
  return db
    .selectFrom('app.investments as i')
    .leftJoin('app.users as u', 'u.id', 'i.user_id')
    .leftJoin('app.plan_versions as p', 'p.id', 'i.plan_version_id')
}

function rowsOf(query: ReturnType<typeof investments>) {
  const earnings = (status: 'paid' | 'pending') => sql<bigint>`(
    SELECT coalesce(sum(amount_cents), 0)::bigint FROM app.earnings
     WHERE investment_id = i.id AND status = ${status})`
  return query
    .selectAll('i')
    .select(({ ref }) => [
      'u.name as user_name',
      ref('p.name').$notNull().as('plan_name'),
      ref('p.percentage_bp').$notNull().as('percentage_bp'),
      ref('p.duration').$notNull().as('duration'),
      ref('p.duration_days').$notNull().as('duration_days'),
      earnings('paid').as('earned_cents'),
      earnings('pending').as('earning_cents'),
    ])
}

/** What a list of investments can be narrowed to: a status, or active ones past their ending date. */
const listedStatuses = [...investmentStatuses, 'matured'] as const

const sortColumns: SortColumns = {
  created: { value: sql.ref('i.created_at'), type: 'timestamptz' },
  amount: { value: sql.ref('i.amount_cents'), type: 'bigint' },
  status: { value: sql.ref('i.status'), type: 'text' },
  // What has not begun ends after everything that has.
  ending: { value: sql`coalesce(i.ending_at, 'infinity')`, type: 'timestamptz' },
}

function chosen(db: Kysely<Schema>, filter: InvestmentFilter & Whose, now: Date) {
  const { userId, q, plan, method } = filter
  const status = statusFilter(filter.status, listedStatuses)
  const matching = investments(db)
    .$if(userId !== undefined, query => query.where('i.user_id', '=', userId!))
    .$if(status !== undefined, query =>
      status === 'matured'
        ? query.where('i.status', '=', 'active').where('i.ending_at', '<=', now)
        : query.where('i.status', '=', status!),
    )
    .$if(method !== undefined, query => query.where('i.method', '=', method!))
    .$if(plan !== undefined, query => query.where('i.plan_version_id', 'in', versionsNamed(db, plan!)))
    .where(({ ref }) => inPeriod(ref('i.created_at'), filter))
    .where(({ ref }) => ofAmount(ref('i.amount_cents'), filter))
    .where(({ ref }) => {
      const texts = [ref('i.invoice_id'), ref('p.name'), ref('u.name'), ref('u.email')]
      return matches(q, texts, [ref('i.id'), ref('i.user_id')])
    })
  return { matching, sorting: sortingOf(orderOfPeriod(filter, '-created'), sortColumns, sql.ref('i.id')) }
}

/** The versions of the plan that has this name, in any case. */
function versionsNamed(db: Kysely<Schema>, name: string) {
  return db
    .selectFrom('app.plan_versions')
    .select('id')
    .where(({ fn, ref }) => fn('lower', [ref('name')]), '=', name.toLowerCase())
}

/** Investments, the newest first unless sorted; searched by number, plan, name, e-mail and ids. */
export function listInvestments(
  db: Kysely<Schema>,
  filter: ListFilter & InvestmentFilter,
  now: Date,
): Promise<Listed<InvestmentRow>> {
  const { matching, sorting } = chosen(db, filter, now)
  return listed(filter, {
    rows: (...place) => pageOf(rowsOf(matching), sorting, ...place).execute(),
    count: mostMs => countOf(db, matching, mostMs),
    sort: sortOf(sorting),
    isNarrowed: isNarrowed(filter),
  })
}

/** All of them, to be read row by row. */
export function allInvestments(
  db: Kysely<Schema>,
  filter: InvestmentFilter,
  now: Date,
): CompiledQuery<InvestmentRow> {
  const { matching, sorting } = chosen(db, filter, now)
  return inOrder(rowsOf(matching), sorting).compile()
}

export function findInvestment(db: Kysely<Schema>, id: string): Promise<InvestmentRow | undefined> {
  return rowsOf(investments(db)).where('i.id', '=', id).executeTakeFirst()
}

export function investmentsById(db: Kysely<Schema>, ids: string[]): Promise<InvestmentRow[]> {
  return rowsOf(investments(db)).where('i.id', 'in', ids).execute()
}

/** A user's active investments, the oldest first: the order in which earnings are paid on them. */
export function activeInvestments(db: Kysely<Schema>, userId: string): Promise<InvestmentRow[]> {
  return rowsOf(investments(db))
    .where('i.user_id', '=', userId)
    .where('i.status', '=', 'active')
    .orderBy('i.approved_at')
    .orderBy('i.id')
    .execute()
}

/** Active investments of a plan, in all its versions, on which something has accrued by a moment, the oldest request first; a part of them. */
export type PlanPart = {
  planId: string
  exceptUser: string
  asOf: Date
  after: string | undefined
  limit: number
}

/** Locks such a part in the order of its ids, until the transaction ends, and reads what it has locked. */
export async function lockAccruedOfPlan(tx: Tx, part: PlanPart): Promise<InvestmentRow[]> {
  const locked = await accruedOfPlan(tx, part).select('i.id').forUpdate('i').execute()
  if (locked.length === 0) return []
  const ids = locked.map(({ id }) => id)
  return rowsOf(investments(tx)).where('i.id', 'in', ids).orderBy('i.id').execute()
}

export function accruedInvestmentsOfPlan(db: Kysely<Schema>, part: PlanPart): Promise<InvestmentRow[]> {
  return rowsOf(accruedOfPlan(db, part)).execute()
}

function accruedOfPlan(db: Kysely<Schema>, { planId, exceptUser, asOf, after, limit }: PlanPart) {
  return investments(db)
    .where('i.plan_version_id', 'in', ({ selectFrom }) =>
      selectFrom('app.plan_versions').select('id').where('plan_id', '=', planId),
    )
    .where('i.status', '=', 'active')
    .where('i.covered_until', '<=', asOf)
    .where('i.user_id', '<>', exceptUser)
    .where('u.frozen_at', 'is', null)
    .$if(after !== undefined, query => query.where('i.id', '>', after!))
    .orderBy('i.id')
    .limit(limit)
}

/**
 * What the plan's target has come to in whole elapsed days, less the earnings paid on it or waiting, in cents; never
 * negative, and nothing unless the investment is active.
 */
export function accruedUnpaid(row: InvestmentRow, now: Date): bigint {
  if (row.status !== 'active' || row.approved_at === null) return 0n
  const days = Math.floor((now.getTime() - row.approved_at.getTime()) / dayMilliseconds)
  const terms = { percentageBp: row.percentage_bp, durationDays: row.duration_days }
  const unpaid = accruedAfter(terms, row.amount_cents, days) - row.earned_cents - row.earning_cents
  return unpaid > 0n ? unpaid : 0n
}

/** After every term; a date can be kept no later than this. */
const never = new Date('9999-12-31T00:00:00Z')

function coveredUntil(row: InvestmentRow): Date {
  const terms = { percentageBp: row.percentage_bp, durationDays: row.duration_days }
  const day = firstDayBeyond(terms, row.amount_cents, row.earned_cents + row.earning_cents)
  return day === null ? never : new Date(row.approved_at!.getTime() + day * dayMilliseconds)
}

/**
 * Keeps until when nothing accrues on these investments that is not paid or waits. To be called where one begins, and where
 * earnings are added or declined, after that. Locks them in the order of their ids.
 */
export async function keepCoverage(tx: Tx, ids: readonly string[]): Promise<void> {
  // Locked by a statement of its own: what another transaction has added meanwhile is seen by the next one only.
  await tx
    .selectFrom('app.investments')
    .select('id')
    .where('id', 'in', ids)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
  const rows = await rowsOf(investments(tx)).where('i.id', 'in', ids).execute()
  const begun = rows.filter(({ approved_at }) => approved_at !== null)
  await sql`
    UPDATE app.investments i SET covered_until = kept.until
      FROM unnest(${begun.map(({ id }) => id)}::uuid[], ${begun.map(coveredUntil)}::timestamptz[]) AS kept (id, until)
     WHERE i.id = kept.id`.execute(tx)
}

export function presentInvestment(row: InvestmentRow, now: Date): Investment {
  const terms = { percentageBp: row.percentage_bp, durationDays: row.duration_days }
  return {
    _id: row.id,
    invoiceId: row.invoice_id,
    user: row.user_id,
    userName: row.user_name,
    plan: row.plan_name,
    amount: usdToJson(row.amount_cents),
    percentage: percentOf(row.percentage_bp),
    duration: row.duration,
    after30Days: usdToJson(after30Days(terms, row.amount_cents)),
    method: row.method,
    status: row.status,
    matured: row.status === 'active' && row.ending_at !== null && row.ending_at <= now,
    earned: usdToJson(row.earned_cents),
    accrued: usdToJson(accruedUnpaid(row, now)),
    declineReason: row.decline_reason,
    closeReason: row.close_reason,
    createdAt: row.created_at.toISOString(),
    approvedAt: row.approved_at?.toISOString() ?? null,
    endingDate: row.ending_at?.toISOString() ?? null,
    closedAt: row.closed_at?.toISOString() ?? null,
  }
}
