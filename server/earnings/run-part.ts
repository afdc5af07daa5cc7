import { type Selectable, sql } from 'kysely'
import type { Origin } from '#server/audit/log.ts'
import type { Tx } from '#server/context.ts'
import { unpaidAt } from '#server/investments/queries.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { earningPart } from '#shared/limits.ts'
import { endRun, lockRun, type Run, systemOf, type Working } from './runs.ts'
import { type Adder, createEarnings, earningsNeedApproval } from './service.ts'

/** `reason`: why it is no longer due. */
type Share = {
  investmentId: string
  userId: string
  amountCents: bigint
  beyondCents: bigint
  reason: Selectable<Schema['app.earning_run_skips']>['reason'] | null
}

/** Another one has added this part, the part before was not added, or the run has ended. */
export class OutOfTurn extends Error {}

/** The part before, which is still being added: the last of its investments, and whether it was. */
export type Before = { last: string; isAdded: Promise<boolean> }

export type How = {
  /** Who adds it, if it is their own request. */
  by?: Adder
  before?: Before | undefined
  /** Is told the last of its investments, once they are locked; null if it is the last part. */
  begun?: (last: string | null) => void
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
  // Taken before anything is paid, and again for the count, which costs one look at a row that is locked already.
  const turn = async () => (before === undefined ? found : takeTurn(tx, id, before))
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
