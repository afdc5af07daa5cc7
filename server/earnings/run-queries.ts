import { type Kysely, type Selectable, sql } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import type { PlanRun } from '#shared/contract/entities.ts'
import { listedSkips } from '#shared/limits.ts'
import { usdToJson } from '#shared/money.ts'

type RunRow = Selectable<Schema['app.earning_runs']> & { plan_name: string; by_name: string | null }

/** The latest run of a plan's earnings; null before the first. */
export async function latestRun(db: Kysely<Schema>, planId: string): Promise<PlanRun | null> {
  const row = await runs(db)
    .where('r.plan_id', '=', planId)
    .orderBy('r.id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row === undefined ? null : presentRun(db, row)
}

export async function findRun(db: Kysely<Schema>, id: string): Promise<PlanRun | null> {
  const row = await runs(db).where('r.id', '=', id).executeTakeFirst()
  return row === undefined ? null : presentRun(db, row)
}

function runs(db: Kysely<Schema>) {
  return db
    .selectFrom('app.earning_runs as r')
    .leftJoin('app.users as u', 'u.id', 'r.created_by')
    .selectAll('r')
    .select([
      'u.name as by_name',
      sql<string>`(SELECT name FROM app.plan_versions WHERE plan_id = r.plan_id ORDER BY version DESC LIMIT 1)`.as(
        'plan_name',
      ),
    ])
}

async function presentRun(db: Kysely<Schema>, row: RunRow): Promise<PlanRun> {
  const skips = await db
    .selectFrom('app.earning_run_skips as s')
    .innerJoin('app.earning_run_shares as share', join =>
      join.onRef('share.run_id', '=', 's.run_id').onRef('share.investment_id', '=', 's.investment_id'),
    )
    .innerJoin('app.investments as i', 'i.id', 's.investment_id')
    .select(['s.investment_id', 'i.invoice_id', 'share.amount_cents', 's.reason'])
    .where('s.run_id', '=', row.id)
    .orderBy('s.investment_id')
    .limit(listedSkips)
    .execute()
  return {
    _id: row.id,
    plan: row.plan_name,
    asOf: row.as_of.toISOString(),
    count: row.investments,
    total: usdToJson(row.total_cents),
    status: row.status,
    needsApproval: row.needs_approval,
    added: row.added,
    addedTotal: usdToJson(row.added_cents),
    skipped: row.skipped,
    skippedTotal: usdToJson(row.skipped_cents),
    left: row.investments - row.added - row.skipped,
    leftTotal: usdToJson(row.total_cents - row.added_cents - row.skipped_cents),
    stopReason: row.stop_reason,
    skips: skips.map(skip => ({
      investment: skip.investment_id,
      invoiceId: skip.invoice_id,
      amount: usdToJson(skip.amount_cents),
      reason: skip.reason,
    })),
    note: row.note,
    by: row.by_name,
    createdAt: row.created_at.toISOString(),
    endedAt: row.ended_at?.toISOString() ?? null,
  }
}
