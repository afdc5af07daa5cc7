import { type Kysely, sql } from 'kysely'
import type { Origin } from '#server/audit/log.ts'
import type { Caller, Tx } from '#server/context.ts'
import { lockDebts, recoverDebt } from '#server/deposits/debt.ts'
import { earningPaid } from '#server/ledger/events.ts'
import { postAlike, postAll } from '#server/ledger/post.ts'
import { lockKeys } from '#server/platform/database/lock-keys.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { AppError } from '#shared/errors.ts'
import { localUsd } from '#shared/i18n/amounts.ts'
import { t } from '#shared/i18n/t.ts'
import { smaller } from '#shared/money.ts'

/** Locks what recorded returns can pay until the transaction ends. */
export async function lockReturns(tx: Tx): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(${lockKeys.recordedReturns})`.execute(tx)
}

/** Unspent returns read per query: one is nearly always enough for a single earning. */
const readBatch = 100

/** A return that pays an earning, or several, with what is left of it. */
type Unspent = { id: string; cents: bigint }

/**
 * Checks that enough of the recorded returns is left, beside what open runs of earnings will still pay. Nothing is
 * locked: `payFromReturns` checks it again.
 * @param run the run that asks: it may use what is reserved for it
 * @returns unspent returns, the oldest first, up to the one that covers the amount
 * @throws AppError insufficient_returns (409), with the amount left (D1.2)
 */
export async function requireReturns(tx: Tx, neededCents: bigint, run?: string): Promise<Unspent[]> {
  const unspent: Unspent[] = []
  const reservedCents = await reservedReturns(tx, run)
  const coveredCents = neededCents + reservedCents
  let leftCents = 0n
  let last: { realised_on: string; id: string } | undefined
  do {
    const rows = await unspentAfter(tx, last)
    for (const { id, cents } of rows) {
      if (leftCents >= coveredCents) return unspent
      unspent.push({ id, cents })
      leftCents += cents
    }
    last = rows.length < readBatch ? undefined : rows.at(-1)
  } while (last !== undefined)
  if (leftCents >= coveredCents) return unspent
  const freeCents = leftCents > reservedCents ? leftCents - reservedCents : 0n
  throw new AppError(
    'insufficient_returns',
    t('Only {free} of recorded returns is available; {needed} needed. Record a realised return first.', {
      free: localUsd(freeCents),
      needed: localUsd(neededCents),
    }),
  )
}

/** What open runs of earnings will still pay from recorded returns, in cents; without the given run's. */
export async function reservedReturns(db: Kysely<Schema>, exceptRun?: string): Promise<bigint> {
  const { cents } = await db
    .selectFrom('app.earning_runs')
    .select(sql<bigint>`coalesce(sum(total_cents - added_cents - skipped_cents), 0)::bigint`.as('cents'))
    .where('status', '=', sql.lit('running'))
    .where('needs_approval', '=', false)
    .$if(exceptRun !== undefined, query => query.where('id', '<>', exceptRun!))
    .executeTakeFirstOrThrow()
  return cents
}

function unspentAfter(tx: Tx, last: { realised_on: string; id: string } | undefined) {
  return (
    tx
      .selectFrom('app.returns')
      .select(['id', 'realised_on', sql<bigint>`amount_cents - spent_cents`.as('cents')])
      // Literal, so that a prepared statement reads the index of unspent returns too.
      .where('status', '=', sql.lit('recorded'))
      .whereRef('spent_cents', '<', 'amount_cents')
      .$if(last !== undefined, query =>
        query.where(sql<boolean>`(realised_on, id) > (${last!.realised_on}::date, ${last!.id}::uuid)`),
      )
      .orderBy('realised_on')
      .orderBy('id')
      .limit(readBatch)
      .execute()
  )
}

export type PayableEarning = { id: string; user_id: string; amount_cents: bigint; note: string | null }

/** An earning to pay, and who adds or approves it. */
export type PaidEarning = PayableEarning & { by: Origin & { caller: Pick<Caller, 'userId'> } }

/** Below so many postings, a call of the ledger for few of them is faster. */
const fewPostings = 20

/**
 * Pays earnings from recorded returns, the oldest first, and stores which return paid which. Earnings repay their investor's debts first.
 * The earnings are already marked as paid. Call it last: until the transaction ends, it locks what all earnings are paid from.
 * @param run the run of a plan's earnings that adds them
 * @throws AppError insufficient_returns
 */
export async function payFromReturns(tx: Tx, earnings: readonly PaidEarning[], run?: string): Promise<void> {
  const owing = await lockDebts(
    tx,
    earnings.map(one => one.user_id),
  )
  await lockReturns(tx)
  const totalCents = earnings.reduce((sum, { amount_cents }) => sum + amount_cents, 0n)
  const parts = partsOf(earnings, await requireReturns(tx, totalCents, run))
  const postings = earnings.map(({ id: earningId, by, user_id: userId, amount_cents: amountCents, note }) => {
    const memo = note === null ? {} : { memo: note }
    return earningPaid({ earningId, userId, amountCents, actor: by.caller.userId, ...memo })
  })
  await (postings.length < fewPostings ? postAll : postAlike)(tx, postings)
  await storeSources(tx, parts)
  for (const { id, by, user_id: userId, amount_cents: amountCents } of earnings) {
    if (!owing.has(userId)) continue
    const recoveredCents = await recoverDebt(tx, by, { userId, amountCents })
    await tx
      .updateTable('app.earnings')
      .set({ recovered_cents: recoveredCents })
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
  }
}

type Part = { earningId: string; returnId: string; cents: bigint }

/**
 * Lays earnings and unspent returns end to end; where both overlap, the return pays the earning.
 * @param unspent covers the earnings
 */
export function partsOf(earnings: readonly PayableEarning[], unspent: readonly Unspent[]): Part[] {
  const parts: Part[] = []
  const returns = unspent.values()
  let current: Unspent = { id: '', cents: 0n }
  for (const { id: earningId, amount_cents } of earnings) {
    let dueCents = amount_cents
    while (dueCents > 0n) {
      if (current.cents === 0n) current = { ...returns.next().value! }
      const cents = smaller(dueCents, current.cents)
      parts.push({ earningId, returnId: current.id, cents })
      dueCents -= cents
      current.cents -= cents
    }
  }
  return parts
}

/** Stores the parts of posted earnings; the database compares them, and spends the returns. */
async function storeSources(tx: Tx, parts: readonly Part[]): Promise<void> {
  await sql`
    INSERT INTO app.earning_sources (earning_id, return_id, amount_cents)
    SELECT * FROM unnest(${parts.map(({ earningId }) => earningId)}::uuid[],
      ${parts.map(({ returnId }) => returnId)}::uuid[], ${parts.map(({ cents }) => cents)}::bigint[])`.execute(
    tx,
  )
}
