import { type Selectable, sql } from 'kysely'
import { z } from 'zod'
import { asSystem, audit, type Origin } from '#server/audit/log.ts'
import type { Services, SignedInContext, Tx } from '#server/context.ts'
import { type PlanScope, unpaidAt } from '#server/investments/queries.ts'
import { retrying } from '#server/platform/database/retrying.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { newId } from '#server/platform/id.ts'
import { defineTask, enqueue } from '#server/platform/queue.ts'
import { AppError } from '#shared/errors.ts'
import { earningPart, partsPerJob } from '#shared/limits.ts'
import { formatUsd } from '#shared/money.ts'
import { accruals, type Summary, summaryOf } from './accruals.ts'
import { earningRefusals } from './messages.ts'
import { type Adder, createEarnings, earningsNeedApproval } from './service.ts'

/** Adds parts of a run, and queues the rest. */
export const addEarningPart = defineTask('add_earning_part', z.object({ run: z.string() }))

type Working = Pick<Services, 'config' | 'clock'>
type Run = Selectable<Schema['app.earning_runs']>
/** `reason`: why it is no longer due. */
type Share = {
  investmentId: string
  userId: string
  amountCents: bigint
  beyondCents: bigint
  reason: Selectable<Schema['app.earning_run_skips']>['reason'] | null
}

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

/** Another one has added this part, the part before was not added, or the run has ended. */
class OutOfTurn extends Error {}

/** The part before, which is still being added: the last of its investments, and whether it was. */
type Before = { last: string; isAdded: Promise<boolean> }

type How = {
  /** Who adds it, if it is their own request. */
  by?: Adder
  before?: Before | undefined
  /** Is told the last of its investments, once they are locked; null if it is the last part. */
  begun?: (last: string | null) => void
}

/**
 * Adds parts of a run, each in a transaction of its own, and queues the rest. A run that cannot go on is stopped.
 * @throws whatever fails and may pass, if nothing was added: else the rest is a new job
 */
export async function addNextParts(
  services: Pick<Services, 'config' | 'clock' | 'db' | 'log'>,
  run: string,
  most = partsPerJob,
): Promise<void> {
  await retrying(async () => {
    const { added, failure } = await addAhead(services, run, most)
    if (failure === undefined) return
    if (added === 0) throw failure.reason
    services.log.warn({ err: failure.reason, run }, 'a part of earnings failed, and is tried again')
  })
  await services.db.transaction().execute(async tx => {
    if ((await lockRun(tx, run))?.status === 'running') await enqueueRun(tx, run)
  })
}

/**
 * Adds parts until one is not added. While one pays and commits, the next one is prepared in another transaction, which waits for its
 * turn before it pays, and gives up if the one before fails.
 */
async function addAhead({ db, ...services }: Parameters<typeof addNextParts>[0], run: string, most: number) {
  const ends: Promise<boolean>[] = []
  let before: Before | undefined
  for (let n = 0; n < most; n += 1) {
    const { promise: begun, resolve } = Promise.withResolvers<string | null>()
    const how = { before, begun: resolve }
    const end = db
      .transaction()
      .execute(tx => addPart(tx, services, run, how))
      .catch(orNotAdded(run, { db, ...services }))
    const isAdded = end.catch(() => false)
    void isAdded.then(() => resolve(null))
    ends.push(end)
    const last = await begun
    if (last === null || (await before?.isAdded) === false) break
    before = { last, isAdded }
  }
  const ended = await Promise.allSettled(ends)
  return {
    added: ended.filter(one => one.status === 'fulfilled' && one.value).length,
    failure: ended.find(one => one.status === 'rejected'),
  }
}

/** A part that is out of turn was not added; a run without returns to pay it is stopped. */
function orNotAdded(run: string, { db, ...services }: Pick<Services, 'config' | 'clock' | 'db'>) {
  return async (error: unknown): Promise<false> => {
    if (error instanceof OutOfTurn) return false
    if (!(error instanceof AppError) || error.code !== 'insufficient_returns') throw error
    await retrying(() =>
      db.transaction().execute(async tx => {
        const found = await lockRun(tx, run)
        if (found?.status === 'running')
          await endRun(tx, systemOf(services, found), { ...found, stop: 'insufficient_returns' })
      }),
    )
    return false
  }
}

/**
 * Adds the next part of an open run: each share that is still due, whole, or none of it. Ends the run after the last part.
 * @returns true if it did
 * @throws AppError insufficient_returns
 */
export async function addPart(
  tx: Tx,
  services: Working,
  id: string,
  { by, before, begun }: How = {},
): Promise<boolean> {
  const found = await (before === undefined ? lockRun(tx, id) : readRun(tx, id))
  if (found?.status !== 'running') return false
  if (!(await mayDecide(tx, found.created_by))) {
    if (before !== undefined) throw new OutOfTurn()
    await endRun(tx, by ?? systemOf(services, found), { ...found, stop: 'access_ended' })
    return false
  }
  const shares = await nextShares(tx, { ...found, decided_to: before?.last ?? found.decided_to })
  const last = shares.at(-1)?.investmentId
  if (last === undefined)
    throw before === undefined ? new Error(`open run ${id} has no share left`) : new OutOfTurn()
  begun?.(shares.length < earningPart ? null : last)
  const due = shares.filter(({ reason }) => reason === null)
  const skipped = shares.filter(({ reason }) => reason !== null)
  await storeSkipped(tx, id, skipped)
  const turn = lazily(() => (before === undefined ? found : takeTurn(tx, id, before)))
  if (due.length > 0) {
    const pending = found.needs_approval || (await earningsNeedApproval(tx, services.config))
    const adder = by ?? adderOf(services, found)
    const earnings = due.map(share => ({ ...share, by: adder, note: found.note }))
    await createEarnings(tx, earnings, { pending, run: id, beforePaying: turn })
  }
  const run = await turn()
  await countPart(tx, by ?? systemOf(services, run), run, { due, skipped, last })
  return true
}

/** Counts what a part has added and skipped, and ends the run if it was the last. */
async function countPart(
  tx: Tx,
  by: Origin,
  run: Run,
  { due, skipped, last }: { due: readonly Share[]; skipped: readonly Share[]; last: string },
): Promise<void> {
  const counted = {
    added: run.added + due.length,
    added_cents: run.added_cents + sumOf(due),
    skipped: run.skipped + skipped.length,
    skipped_cents: run.skipped_cents + sumOf(skipped),
    decided_to: last,
  }
  if (counted.added + counted.skipped === run.investments) return endRun(tx, by, { ...run, ...counted })
  await tx.updateTable('app.earning_runs').set(counted).where('id', '=', run.id).executeTakeFirstOrThrow()
}

function lazily<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/**
 * Locks the run once the part before has ended.
 * @throws OutOfTurn unless the run is open and stands where this part begins
 */
async function takeTurn(tx: Tx, id: string, { last, isAdded }: Before): Promise<Run> {
  if (!(await isAdded)) throw new OutOfTurn()
  const run = await lockRun(tx, id)
  if (run?.status !== 'running' || run.decided_to !== last) throw new OutOfTurn()
  return run
}

async function storeSkipped(tx: Tx, id: string, skipped: readonly Share[]): Promise<void> {
  if (skipped.length === 0) return
  await sql`
    INSERT INTO app.earning_run_skips (run_id, investment_id, reason)
    SELECT ${id}::uuid, * FROM unnest(${skipped.map(({ investmentId }) => investmentId)}::uuid[],
      ${skipped.map(({ reason }) => reason)}::text[])`.execute(tx)
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

function readRun(tx: Tx, id: string): Promise<Run | undefined> {
  return tx.selectFrom('app.earning_runs').selectAll().where('id', '=', id).executeTakeFirst()
}

async function mayDecide(tx: Tx, userId: string): Promise<boolean> {
  const { rows } = await sql<{ may: boolean }>`SELECT app.may_decide(${userId}) AS may`.execute(tx)
  return rows[0]!.may
}

/** The next shares, and why those that are no longer due are not. Locks their investments in the order of their ids. */
async function nextShares(tx: Tx, { id, as_of, decided_to }: Run): Promise<Share[]> {
  const next = sql`
    SELECT investment_id, amount_cents FROM app.earning_run_shares
     WHERE run_id = ${id} AND investment_id > coalesce(${decided_to}::uuid, '00000000-0000-0000-0000-000000000000')
     ORDER BY investment_id LIMIT ${earningPart}`
  // Lock first: only the next statement sees what a concurrent transaction has added.
  await sql`
    SELECT FROM app.investments i JOIN (${next}) s ON s.investment_id = i.id
     ORDER BY i.id FOR NO KEY UPDATE OF i`.execute(tx)
  const { rows } = await sql<Share>`
    SELECT i.id AS "investmentId", i.user_id AS "userId", s.amount_cents AS "amountCents", 0::bigint AS "beyondCents",
           CASE WHEN i.status <> 'active' THEN 'closed' WHEN u.frozen_at IS NOT NULL THEN 'frozen'
                WHEN ${unpaidAt(as_of)} < s.amount_cents THEN 'already_added' END AS reason
      FROM (${next}) s
      JOIN app.investments i ON i.id = s.investment_id
      JOIN app.plan_versions p ON p.id = i.plan_version_id
      JOIN app.users u ON u.id = i.user_id
     ORDER BY i.id`.execute(tx)
  return rows
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
