import { type Kysely, sql } from 'kysely'
import { accruedOfPlan, type PlanScope, unpaidAt } from '#server/investments/queries.ts'
import type { Schema } from '#server/platform/database/schema.ts'

/** Number and total of unpaid accruals, their digest (SHA-256 in hex), and the start of the latest investment. */
export type Summary = { count: number; cents: bigint; digest: string; began: Date | null }

/** A plan's unpaid accruals by investment: `id`, `approved_at` and `cents` (D4). */
export function accruals(db: Kysely<Schema>, scope: PlanScope) {
  return accruedOfPlan(db, scope).select(['i.id', 'i.approved_at', unpaidAt(scope.asOf).as('cents')])
}

/** The columns of a `Summary`, over accruals. */
export const summaryOf = sql`count(*)::integer AS count, coalesce(sum(cents), 0)::bigint AS cents, max(approved_at) AS began,
  encode(sha256(convert_to(coalesce(string_agg(id || ' ' || cents, ',' ORDER BY id), ''), 'UTF8')), 'hex') AS digest`

export async function summarise(db: Kysely<Schema>, scope: PlanScope): Promise<Summary> {
  const { rows } = await sql<Summary>`SELECT ${summaryOf} FROM (${accruals(db, scope)}) accrual`.execute(db)
  return rows[0]!
}
