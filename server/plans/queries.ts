import { type Kysely, type Selectable, sql } from 'kysely'
import { validate } from 'uuid'
import type { Services } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { cachedForAMinute } from '#server/queries/cached-for-a-minute.ts'
import { defineList } from '#server/queries/list.ts'
import type { ListQuery } from '#shared/contract/define.ts'
import type { Plan } from '#shared/contract/entities.ts'
import { type ManagedPlan, mostPlans } from '#shared/contract/plans.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { formatDecimal, usdToJson } from '#shared/money.ts'
import type { PlanTerms } from '#shared/plans.ts'

export type PlanRow = Selectable<Schema['app.plan_versions']>

/** The plans in force, in order. */
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

/** The version in force of the plan with this name (in any case) or id. */
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

/** The terms a plan's figures are computed from. */
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

/** The latest version of every plan, retired ones included, in order. */
export function latestPlans(db: Kysely<Schema>): Promise<PlanRow[]> {
  return db
    .with('latest', part =>
      part
        .selectFrom('app.plan_versions')
        .selectAll()
        .distinctOn('plan_id')
        .orderBy('plan_id')
        .orderBy('version', 'desc'),
    )
    .selectFrom('latest')
    .selectAll()
    .orderBy('position')
    .orderBy('plan_id')
    .limit(mostPlans)
    .execute()
}

/** Active investments by plan; cached for a minute, since it counts all of them. */
const activeOfPlans = cachedForAMinute(async db => {
  const active = await db
    .selectFrom('app.investments as i')
    .innerJoin('app.plan_versions as p', 'p.id', 'i.plan_version_id')
    .where('i.status', '=', 'active')
    .select(['p.plan_id', sql<bigint>`count(*)`.as('count')])
    .groupBy('p.plan_id')
    .execute()
  return new Map(active.map(({ plan_id, count }) => [plan_id, Number(count)]))
})

/** The catalogue for the console. */
export async function catalogue(services: Pick<Services, 'db' | 'clock'>): Promise<ManagedPlan[]> {
  const [plans, counts] = await Promise.all([latestPlans(services.db), activeOfPlans(services)])
  return plans.map(row => ({
    ...presentPlan(row),
    retired: !row.current,
    activeInvestments: counts.get(row.plan_id) ?? 0,
  }))
}

/**
 * The versions of a plan, newest first, with the investments made under each.
 * @throws AppError not_found
 */
export async function planVersions(
  services: Pick<Services, 'db' | 'clock'>,
  planId: string,
  filter: Pick<ListQuery, 'limit' | 'cursor'>,
) {
  const found = await versionsOf(planId).page(services, filter)
  if (found.data.length === 0 && !filter.cursor) throw new AppError('not_found', t('Plan not found'))
  return found
}

const versionsOf = (planId: string) =>
  defineList({
    from: (db: Kysely<Schema>) =>
      db
        .selectFrom('app.plan_versions as p')
        .leftJoin('app.users as u', 'u.id', 'p.created_by')
        .where('p.plan_id', '=', planId),
    columns: query =>
      query
        .selectAll('p')
        .select('u.name as changed_by')
        .select(({ selectFrom }) => {
          const held = selectFrom('app.investments as i')
            .where('i.status', '=', 'active')
            .whereRef('i.plan_version_id', '=', 'p.id')
          return [
            held.select(sql<bigint>`count(*)`.as('count')).as('active'),
            held
              .select(sql<bigint>`coalesce(sum(i.amount_cents), 0)::bigint`.as('cents'))
              .as('invested_cents'),
          ]
        }),
    present: rows =>
      rows.map(row => {
        const { _id, changedAt, ...terms } = presentPlan(row)
        return {
          ...terms,
          change: row.change,
          changedBy: row.changed_by,
          changedAt,
          reason: row.reason,
          activeInvestments: Number(row.active),
          invested: usdToJson(row.invested_cents!),
        }
      }),
    id: 'p.version',
    idType: 'version',
  })
