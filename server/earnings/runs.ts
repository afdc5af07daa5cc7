import { type Selectable, sql } from 'kysely'
import { z } from 'zod'
import { asSystem, audit, type Origin } from '#server/audit/log.ts'
import type { Services, SignedInContext, Tx } from '#server/context.ts'
import type { PlanScope } from '#server/investments/queries.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { newId } from '#server/platform/id.ts'
import { defineTask, enqueue } from '#server/platform/queue.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { formatUsd } from '#shared/money.ts'
import { accruals, type Summary, summaryOf } from './accruals.ts'
import { earningRefusals } from './messages.ts'

/** Adds parts of a run, and queues the rest. */
export const addEarningPart = defineTask('add_earning_part', z.object({ run: z.string() }))

export type Working = Pick<Services, 'config' | 'clock'>
export type Run = Selectable<Schema['app.earning_runs']>
type Confirmed = { note: string | null; needsApproval: boolean }

/**
 * Writes a run with its shares, which never change, in one statement, so that they are of one moment. Without accruals there is none.
 * @returns its id, and what it is to add
 */
export async function startRun(
  tx: Tx,
  { services: { clock }, caller, requestId }: SignedInContext,
  scope: PlanScope,
  { note, needsApproval }: Confirmed,
): Promise<Summary & { run: string }> {
  const now = clock.now()
  const id = newId(now)
  const { rows } = await sql<Summary>`
    WITH accrual AS MATERIALIZED (${accruals(tx, scope)}), summary AS (SELECT ${summaryOf} FROM accrual), run AS (
      INSERT INTO app.earning_runs (id, plan_id, as_of, digest, investments, total_cents, note, needs_approval, created_by, created_at,
                                    request_id)
      SELECT ${id}::uuid, ${scope.planId}::uuid, ${scope.asOf}::timestamptz, digest, count, cents, ${note}::text, ${needsApproval}::boolean,
             ${caller.userId}::uuid, ${now}::timestamptz, ${requestId}::text
        FROM summary WHERE count > 0
    ), shares AS (
      INSERT INTO app.earning_run_shares (run_id, investment_id, amount_cents) SELECT ${id}::uuid, id, cents FROM accrual
    )
    SELECT * FROM summary`.execute(tx)
  return { run: id, ...rows[0]! }
}

/** Queues the next parts of a run. */
export async function enqueueRun(tx: Tx, run: string): Promise<void> {
  await enqueue(tx, addEarningPart, { run }, `earning run ${run}`)
}

/** The job itself, which ends a run. */
export function systemOf(services: Working, { request_id }: Run): Origin {
  return { ...asSystem(services), requestId: request_id }
}

/** Locks a run: one part at a time is added, and a cancellation waits for it. */
export function lockRun(tx: Tx, id: string): Promise<Run | undefined> {
  return tx.selectFrom('app.earning_runs').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
}

type Ending = Run & { stop?: NonNullable<Run['stop_reason']> }

/** Ends a run that is done or, with a reason, stopped. */
export async function endRun(tx: Tx, by: Origin, { stop, ...run }: Ending): Promise<void> {
  const status = stop === undefined ? 'done' : 'stopped'
  const { id, added, added_cents, skipped, skipped_cents, decided_to } = run
  await tx
    .updateTable('app.earning_runs')
    .set({ added, added_cents, skipped, skipped_cents, decided_to })
    .set({ status, stop_reason: stop ?? null, ended_at: by.services.clock.now() })
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  await audit(tx, by, {
    action: 'earning.plan_run_ended',
    subject: { kind: 'plan', id: run.plan_id },
    ...(run.note === null ? {} : { reason: run.note }),
    moved: ['running', status],
    details: { run: id, ...figuresOf(run), ...(stop === undefined ? {} : { why: stop }) },
  })
}

/** What was done and what was not, for the audit log. */
function figuresOf(run: Run) {
  const left = run.investments - run.added - run.skipped
  return {
    confirmed: `${run.investments}, ${formatUsd(run.total_cents)}`,
    added: `${run.added}, ${formatUsd(run.added_cents)}`,
    skipped: `${run.skipped}, ${formatUsd(run.skipped_cents)}`,
    left: `${left}, ${formatUsd(run.total_cents - run.added_cents - run.skipped_cents)}`,
  }
}

/**
 * Cancels an open run after its current part.
 * @throws AppError not_found, run_ended
 */
export async function cancelRun(tx: Tx, ctx: SignedInContext, id: string): Promise<void> {
  const run = await lockRun(tx, id)
  if (run === undefined) throw new AppError('not_found', t('There is no such run of earnings'))
  if (run.status !== 'running') throw earningRefusals.error({ reason: 'run_ended' })
  await tx
    .updateTable('app.earning_runs')
    .set({ status: 'cancelled', cancelled_by: ctx.caller.userId, ended_at: ctx.services.clock.now() })
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  await audit(tx, ctx, {
    action: 'earning.plan_run_cancelled',
    subject: { kind: 'plan', id: run.plan_id },
    moved: ['running', 'cancelled'],
    details: { run: id, ...figuresOf(run) },
  })
}
