import { type Selectable, sql } from 'kysely'
import { z } from 'zod'
import { asSystem, audit, type Origin } from '#server/audit/log.ts'
import type { Services, SignedInContext, Tx } from '#server/context.ts'
import { accruedUnpaid, type InvestmentRow, lockInvestments } from '#server/investments/queries.ts'
import { retrying } from '#server/platform/database/retrying.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { newId } from '#server/platform/id.ts'
import { defineTask, enqueue } from '#server/platform/queue.ts'
import { AppError } from '#shared/errors.ts'
import { earningPart } from '#shared/limits.ts'
import { formatUsd } from '#shared/money.ts'
import { earningRefusals } from './messages.ts'
import { type Adder, createEarnings, needApproval } from './service.ts'

/** Adds one part of a run, and queues the next. */
export const addEarningPart = defineTask('add_earning_part', z.object({ run: z.string() }))

type Working = Pick<Services, 'config' | 'clock'>
type Run = Selectable<Schema['app.earning_runs']>
type Share = { investment_id: string; amount_cents: bigint }
type SkipReason = Selectable<Schema['app.earning_run_skips']>['reason']

/** What a person has confirmed. */
type Confirmed = { planId: string; asOf: Date; digest: string; note: string | null; needsApproval: boolean }

/**
 * Writes a run with its shares, which never change.
 * @returns its id
 */
export async function startRun(
  tx: Tx,
  { services: { clock }, caller, requestId }: SignedInContext,
  { planId, asOf, digest, note, needsApproval }: Confirmed,
  shares: readonly { id: string; cents: bigint }[],
  totalCents: bigint,
): Promise<string> {
  const now = clock.now()
  const id = newId(now)
  await tx
    .insertInto('app.earning_runs')
    .values({
      id,
      plan_id: planId,
      as_of: asOf,
      digest,
      investments: shares.length,
      total_cents: totalCents,
      note,
      needs_approval: needsApproval,
      created_by: caller.userId,
      created_at: now,
      request_id: requestId,
    })
    .execute()
  await sql`
    INSERT INTO app.earning_run_shares (run_id, investment_id, amount_cents)
    SELECT ${id}::uuid, * FROM unnest(${shares.map(share => share.id)}::uuid[],
      ${shares.map(({ cents }) => cents)}::bigint[])`.execute(tx)
  return id
}

/** Queues the next part of a run. */
export async function enqueueRun(tx: Tx, run: string): Promise<void> {
  await enqueue(tx, addEarningPart, { run }, `earning run ${run}`)
}

/**
 * The job's part of a run, in a transaction of its own; a part that fails is tried again. A run that cannot go on is stopped.
 * @throws whatever fails and may pass
 */
export async function addNextPart({ db, ...services }: Services, run: string): Promise<void> {
  try {
    await retrying(() => db.transaction().execute(tx => addPart(tx, services, run)))
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'insufficient_returns') throw error
    await retrying(() =>
      db.transaction().execute(async tx => {
        const found = await lockRun(tx, run)
        if (found?.status === 'running')
          await endRun(tx, systemOf(services, found), { ...found, stop: 'insufficient_returns' })
      }),
    )
  }
}

/**
 * Adds the next part of an open run: each share that is still due, whole, or none of it. Queues the next part or ends the run.
 * @param by who adds it, if it is their own request
 * @throws AppError insufficient_returns
 */
export async function addPart(tx: Tx, services: Working, id: string, by?: Adder): Promise<void> {
  const run = await lockRun(tx, id)
  if (run?.status !== 'running') return
  if (!(await mayDecide(tx, run.created_by))) {
    return endRun(tx, by ?? systemOf(services, run), { ...run, stop: 'access_ended' })
  }
  const shares = await nextShares(tx, run)
  const { due, skipped } = await sortOut(tx, run, shares)
  if (skipped.length > 0) {
    const rows = skipped.map(({ investmentId, reason }) => ({
      run_id: id,
      investment_id: investmentId,
      reason,
    }))
    await tx.insertInto('app.earning_run_skips').values(rows).execute()
  }
  const addedCents = sumOf(due)
  const counted = {
    added: run.added + due.length,
    added_cents: run.added_cents + addedCents,
    skipped: run.skipped + skipped.length,
    skipped_cents: run.skipped_cents + sumOf(skipped),
    decided_to: shares.at(-1)!.investment_id,
  }
  const isLast = counted.added + counted.skipped === run.investments
  if (due.length > 0) {
    const pending = run.needs_approval || (await needApproval(tx, services.config, []))
    await createEarnings(tx, by ?? adderOf(services, run), due, { note: run.note, pending, run: id })
  }
  if (isLast) return endRun(tx, by ?? systemOf(services, run), { ...run, ...counted })
  await tx.updateTable('app.earning_runs').set(counted).where('id', '=', id).executeTakeFirstOrThrow()
  await enqueueRun(tx, id)
}

/** The person who has confirmed a run, in its job: all its audit lines have their request's id. */
function adderOf(services: Working, { created_by, request_id }: Run): Adder {
  return { services, caller: { userId: created_by }, ip: null, requestId: request_id }
}

/** The job itself, which ends a run. */
function systemOf(services: Working, { request_id }: Run): Origin {
  return { ...asSystem(services), requestId: request_id }
}

/** Locks a run: one part at a time is added, and a cancellation waits for it. */
function lockRun(tx: Tx, id: string): Promise<Run | undefined> {
  return tx.selectFrom('app.earning_runs').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
}

async function mayDecide(tx: Tx, userId: string): Promise<boolean> {
  const { rows } = await sql<{ may: boolean }>`SELECT app.may_decide(${userId}) AS may`.execute(tx)
  return rows[0]!.may
}

function nextShares(tx: Tx, { id, decided_to }: Run): Promise<Share[]> {
  return tx
    .selectFrom('app.earning_run_shares')
    .select(['investment_id', 'amount_cents'])
    .where('run_id', '=', id)
    .$if(decided_to !== null, query => query.where('investment_id', '>', decided_to!))
    .orderBy('investment_id')
    .limit(earningPart)
    .execute()
}

/** Locks the part's investments and sees which shares are still due. */
async function sortOut(tx: Tx, run: Run, shares: readonly Share[]) {
  const rows = await lockInvestments(
    tx,
    shares.map(share => share.investment_id),
  )
  const byId = new Map(rows.map(row => [row.id, row]))
  const all = shares.map(({ investment_id: investmentId, amount_cents: amountCents }) => {
    const row = byId.get(investmentId)!
    const reason = whyNotDue(row, run.as_of, amountCents)
    return { investmentId, userId: row.user_id, amountCents, beyondCents: 0n, reason }
  })
  return {
    due: all.filter(({ reason }) => reason === null),
    skipped: all.flatMap(({ reason, ...share }) => (reason === null ? [] : [{ ...share, reason }])),
  }
}

function whyNotDue(
  row: InvestmentRow & { frozen: boolean },
  asOf: Date,
  shareCents: bigint,
): SkipReason | null {
  if (row.status !== 'active') return 'closed'
  if (row.frozen) return 'frozen'
  return accruedUnpaid(row, asOf) < shareCents ? 'already_added' : null
}

function sumOf(shares: readonly { amountCents: bigint }[]): bigint {
  return shares.reduce((sum, { amountCents }) => sum + amountCents, 0n)
}

type Ending = Run & { stop?: NonNullable<Run['stop_reason']> }

/** Ends a run that is done or, with a reason, stopped. */
async function endRun(tx: Tx, by: Origin, { stop, ...run }: Ending): Promise<void> {
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
  if (run === undefined) throw new AppError('not_found', 'There is no such run of earnings')
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
