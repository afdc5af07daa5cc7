import { type Kysely, type Selectable, sql } from 'kysely'
import { shownReason } from '#server/audit/own-reasons.ts'
import type { Tx } from '#server/context.ts'
import { type PlanRow, percentOf } from '#server/plans/queries.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { defineList } from '#server/queries/list.ts'
import { type Investment, investmentStatuses } from '#shared/contract/entities.ts'
import { usdToJson } from '#shared/money.ts'
import { accruedAfter, after30Days, durationWords } from '#shared/plans.ts'

/** An investment with its plan version and its earnings. */
export type InvestmentRow = Omit<
  Selectable<Schema['app.investments']>,
  'covered_until' | 'maturity_notified_at'
> & {
  user_name: string | null
  plan_name: string
  percentage_bp: PlanRow['percentage_bp']
  duration: string
  duration_days: number
  /** Paid earnings, in cents. */
  earned_cents: bigint
  /** Earnings pending a second approval, in cents. */
  earning_cents: bigint
  /** Number of the investment that its principal went into. */
  reinvested_invoice: string | null
}

const dayMilliseconds = 86_400_000

// Every row has its partners, but PostgreSQL removes unused left joins when it only counts.
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
      sql<string | null>`(SELECT n.invoice_id FROM app.investments n WHERE n.id = i.reinvested_as)`.as(
        'reinvested_invoice',
      ),
    ])
}

/** The newest first unless sorted. `matured`: active and past its ending date. */
export const investmentList = defineList({
  from: investments,
  columns: rowsOf,
  present: (rows: InvestmentRow[], { now }) => rows.map(row => presentInvestment(row, now)),
  id: 'i.id',
  status: {
    known: [...investmentStatuses, 'matured', 'cancelled'],
    column: 'i.status',
    special: {
      matured: now => sql`i.status = 'active' AND i.ending_at <= ${now}`,
      cancelled: () => sql`i.cancelled_by IS NOT NULL`,
    },
  },
  exactly: {
    userId: 'i.user_id',
    method: 'i.method',
    // In any case, and over all versions of the plan.
    plan: name => sql`i.plan_version_id IN (
      SELECT id FROM app.plan_versions WHERE lower(name) = ${name.toLowerCase()})`,
  },
  period: { moment: 'i.created_at', sort: '-created' },
  cents: 'i.amount_cents',
  search: { texts: ['i.invoice_id', 'p.name', 'u.name', 'u.email'], ids: ['i.id', 'i.user_id'] },
  sorts: {
    created: { value: 'i.created_at', type: 'timestamptz' },
    amount: { value: 'i.amount_cents', type: 'bigint' },
    status: { value: 'i.status', type: 'text' },
    // Investments without an ending date sort last.
    ending: { value: sql`coalesce(i.ending_at, 'infinity')`, type: 'timestamptz' },
  },
})

export function findInvestment(db: Kysely<Schema>, id: string): Promise<InvestmentRow | undefined> {
  return rowsOf(investments(db)).where('i.id', '=', id).executeTakeFirst()
}

export function investmentsById(db: Kysely<Schema>, ids: string[]): Promise<InvestmentRow[]> {
  return rowsOf(investments(db)).where('i.id', 'in', ids).execute()
}

/** Users' active investments, the oldest first: the order in which earnings are paid on them. */
export function activeInvestments(db: Kysely<Schema>, userIds: readonly string[]): Promise<InvestmentRow[]> {
  return rowsOf(investments(db))
    .where('i.user_id', '=', sql<string>`ANY (${userIds}::uuid[])`)
    .where('i.status', '=', 'active')
    .orderBy('i.approved_at')
    .orderBy('i.id')
    .execute()
}

/** What unpaid accruals of a plan are asked for: at which moment, and by whom, since nobody pays themselves. */
export type PlanScope = { planId: string; exceptUser: string; asOf: Date }

/**
 * The plan's active investments, over all its versions, with accruals that no earning covers at `asOf`; without those of frozen accounts.
 * Columns: of `i`, `u` and `p`, and `unpaidAt`.
 */
export function accruedOfPlan(db: Kysely<Schema>, { planId, exceptUser, asOf }: PlanScope) {
  return investments(db)
    .where('i.plan_version_id', 'in', ({ selectFrom }) =>
      selectFrom('app.plan_versions').select('id').where('plan_id', '=', planId),
    )
    .where('i.status', '=', 'active')
    .where('i.covered_until', '<=', asOf)
    .where('i.user_id', '<>', exceptUser)
    .where('u.frozen_at', 'is', null)
}

/** Earnings of the investment `i`, paid or pending, in cents. */
const coveredCents = sql<bigint>`(
  SELECT coalesce(sum(amount_cents), 0)::bigint FROM app.earnings WHERE investment_id = i.id AND status <> 'declined')`

/** What `accruedUnpaid` computes, of the investment `i` in the plan version `p`. */
export function unpaidAt(asOf: Date) {
  return sql<bigint>`app.accrued(i.amount_cents, p.percentage_bp, p.duration_days, i.approved_at, ${asOf}) - ${coveredCents}`
}

/** The target accrued in whole elapsed days, less paid and pending earnings, in cents; 0 unless active, never negative. */
export function accruedUnpaid(row: InvestmentRow, now: Date): bigint {
  if (row.status !== 'active' || row.approved_at === null) return 0n
  const days = Math.floor((now.getTime() - row.approved_at.getTime()) / dayMilliseconds)
  const terms = { percentageBp: row.percentage_bp, durationDays: row.duration_days }
  const unpaid = accruedAfter(terms, row.amount_cents, days) - row.earned_cents - row.earning_cents
  return unpaid > 0n ? unpaid : 0n
}

/**
 * Updates until when paid and pending earnings cover an investment's accruals (0033). Call it after it starts, and after an earning is
 * declined; adding earnings does the same in the database.
 */
export async function updateCoveredUntil(tx: Tx, id: string): Promise<void> {
  await sql`SELECT app.update_covered_until(ARRAY[${id}::uuid])`.execute(tx)
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
    duration: durationWords({ duration: row.duration, durationDays: row.duration_days }),
    after30Days: usdToJson(after30Days(terms, row.amount_cents)),
    method: row.method,
    status: row.status,
    matured: row.status === 'active' && row.ending_at !== null && row.ending_at <= now,
    held: row.status === 'pending' && row.hold_id !== null,
    earned: usdToJson(row.earned_cents),
    accrued: usdToJson(accruedUnpaid(row, now)),
    declineReason: shownReason(row.decline_reason),
    cancelled: row.cancelled_by !== null,
    closeReason: row.close_reason,
    createdAt: row.created_at.toISOString(),
    approvedAt: row.approved_at?.toISOString() ?? null,
    endingDate: row.ending_at?.toISOString() ?? null,
    closedAt: row.closed_at?.toISOString() ?? null,
    reinvestment: row.reinvestment,
    reinvestedAs:
      row.reinvested_as === null ? null : { _id: row.reinvested_as, invoiceId: row.reinvested_invoice! },
  }
}
