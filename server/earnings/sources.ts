import { sql } from 'kysely'
import type { SignedInContext, Tx } from '#server/context.ts'
import { lockDebts, recoverDebt } from '#server/deposits/debt.ts'
import { earningPaid } from '#server/ledger/events.ts'
import { postAll } from '#server/ledger/post.ts'
import { lockKeys } from '#server/platform/database/lock-keys.ts'
import { AppError } from '#shared/errors.ts'
import { formatUsd } from '#shared/money.ts'

/** Locks what recorded returns can pay until the transaction ends. */
export async function lockReturns(tx: Tx): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(${lockKeys.recordedReturns})`.execute(tx)
}

/**
 * Locks the recorded returns until the transaction ends and checks that enough is left.
 * @throws AppError insufficient_returns (409), with the amount left (D1.2)
 */
export async function requireReturns(tx: Tx, neededCents: bigint): Promise<void> {
  await lockReturns(tx)
  const { left } = await tx
    .selectFrom('app.returns')
    .select(sql<bigint>`coalesce(sum(amount_cents - spent_cents), 0)::bigint`.as('left'))
    .where('status', '=', 'recorded')
    .whereRef('spent_cents', '<', 'amount_cents')
    .executeTakeFirstOrThrow()
  if (left >= neededCents) return
  throw new AppError(
    'insufficient_returns',
    `Only ${formatUsd(left)} of recorded returns is available; ${formatUsd(neededCents)} needed. Record a realised return first.`,
  )
}

export type PayableEarning = { id: string; user_id: string; amount_cents: bigint; note: string | null }

/** Postings per ledger call: enough to share its overhead, few enough for short searches. */
const postingBatch = 250

/**
 * Pays earnings from recorded returns, the oldest first, and stores which return paid which. Earnings repay their investor's debts first.
 * Call `requireReturns` for the total before; the earnings are already marked as paid.
 */
export async function payFromReturns(
  tx: Tx,
  by: SignedInContext,
  earnings: readonly PayableEarning[],
): Promise<void> {
  const actor = by.caller.userId
  const owing = await lockDebts(
    tx,
    earnings.map(one => one.user_id),
  )
  await takeFromReturns(tx, earnings)
  const inOrder = await inAccountOrder(tx, earnings)
  for (let from = 0; from < inOrder.length; from += postingBatch) {
    const postings = inOrder.slice(from, from + postingBatch).map(earning => {
      const of = { userId: earning.user_id, amountCents: earning.amount_cents, actor }
      const memo = earning.note === null ? {} : { memo: earning.note }
      return earningPaid({ ...of, earningId: earning.id, ...memo })
    })
    await postAll(tx, postings)
  }
  for (const { id, user_id: userId, amount_cents: amountCents } of inOrder) {
    if (!owing.has(userId)) continue
    const recoveredCents = await recoverDebt(tx, by, { userId, amountCents })
    await tx
      .updateTable('app.earnings')
      .set({ recovered_cents: recoveredCents })
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
  }
}

/** Lays earnings and unspent returns end to end; where both overlap, the return pays the earning, and the database spends it. */
async function takeFromReturns(tx: Tx, earnings: readonly PayableEarning[]): Promise<void> {
  await sql`
    WITH unspent AS (
      SELECT id, amount_cents - spent_cents AS cents,
             sum(amount_cents - spent_cents) OVER (ORDER BY realised_on, id) AS upto
        FROM app.returns
       WHERE status = 'recorded' AND spent_cents < amount_cents
    ), paid AS (
      SELECT id, cents, sum(cents) OVER (ORDER BY place) AS upto
        FROM unnest(${earnings.map(one => one.id)}::uuid[], ${earnings.map(one => one.amount_cents)}::bigint[])
               WITH ORDINALITY AS e (id, cents, place)
    ), taken AS (
      SELECT p.id AS earning_id, u.id AS return_id,
             (least(p.upto, u.upto) - greatest(p.upto - p.cents, u.upto - u.cents))::bigint AS cents
        FROM paid p JOIN unspent u ON u.upto > p.upto - p.cents AND u.upto - u.cents < p.upto
    )
    INSERT INTO app.earning_sources (earning_id, return_id, amount_cents)
    SELECT earning_id, return_id, cents FROM taken`.execute(tx)
}

/** Sorts by account id, the order in which each ledger call locks accounts, so that consecutive calls keep it too. */
async function inAccountOrder(tx: Tx, earnings: readonly PayableEarning[]): Promise<PayableEarning[]> {
  if (earnings.length <= postingBatch) return [...earnings]
  const owners = [...new Set(earnings.map(one => one.user_id))]
  const { rows } = await sql<{ owner: string; id: bigint }>`
    SELECT owner, id FROM ledger.accounts
     WHERE kind = 'available' AND asset = 'USD' AND owner = ANY (${owners}::uuid[])`.execute(tx)
  const places = new Map(rows.map(({ owner, id }) => [owner, id]))
  const placeOf = (earning: PayableEarning) => places.get(earning.user_id) ?? 0n
  return earnings.toSorted((a, b) => Number(placeOf(a) - placeOf(b)))
}
