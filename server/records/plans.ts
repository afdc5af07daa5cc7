import type { Kysely, Selectable } from 'kysely'
import { validate } from 'uuid'
import type { Schema } from '#server/platform/database/schema.ts'
import type { Plan } from '#shared/contract/entities.ts'
import { formatDecimal, usdToJson } from '#shared/money.ts'
import type { PlanTerms } from '#shared/plans.ts'

export type PlanRow = Selectable<Schema['app.plan_versions']>

/** Plans of the catalogue at most, in force at the same time. */
export const mostPlans = 100

/** The plans in force, in their order. */
export function currentPlans(db: Kysely<Schema>): Promise<PlanRow[]> {
  return db
    .selectFrom('app.plan_versions')
    .selectAll()
    .where('current', '=', true)
    .orderBy('position')
    .orderBy('id')
    .limit(mostPlans)
    .execute()
}

/** The version in force of the plan of this name (in any case) or id. */
export function findPlan(db: Kysely<Schema>, nameOrId: string): Promise<PlanRow | undefined> {
  const isId = validate(nameOrId)
  return db
    .selectFrom('app.plan_versions')
    .selectAll()
    .where('current', '=', true)
    .where(eb =>
      isId ? eb('plan_id', '=', nameOrId) : eb(eb.fn('lower', ['name']), '=', nameOrId.toLowerCase()),
    )
    .executeTakeFirst()
}

/** What a plan's figures are computed from. */
export function termsOf(
  row: Pick<PlanRow, 'name' | 'percentage_bp' | 'minimum_cents' | 'maximum_cents' | 'duration_days'>,
): PlanTerms {
  return {
    name: row.name,
    percentageBp: row.percentage_bp,
    minimumCents: row.minimum_cents,
    maximumCents: row.maximum_cents,
    durationDays: row.duration_days,
  }
}

/** Basis points as percent: 1050 is 10.5. */
export function percentOf(basisPoints: number): number {
  return Number(formatDecimal(BigInt(basisPoints), 2))
}

export function presentPlan(row: PlanRow): Plan {
  return {
    _id: row.plan_id,
    version: row.version,
    name: row.name,
    percentage: percentOf(row.percentage_bp),
    minimum: usdToJson(row.minimum_cents),
    maximum: row.maximum_cents === null ? null : usdToJson(row.maximum_cents),
    duration: row.duration,
    durationDays: row.duration_days,
    note: row.note,
    changedAt: row.created_at.toISOString(),
  }
}
