import { sql } from 'kysely'
import type { Tx } from '#server/context.ts'
import { earningPaid } from '#server/ledger/events.ts'
import { post } from '#server/ledger/post.ts'
import { AppError } from '#shared/errors.ts'
import { formatUsd } from '#shared/money.ts'

/** Advisory lock of whoever looks at what is left of the recorded returns in order to spend it. */
const returnsKey = 7_762_487

/**
 * What is left of the recorded returns, locked until the transaction ends: nobody else spends of them meanwhile.
 * @throws AppError insufficient_returns (409), naming how much is there (D1.2)
 */
export async function requireReturns(tx: Tx, neededCents: bigint): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(${returnsKey})`.execute(tx)
  const { left } = await tx
    .selectFrom('app.returns')
    .select(sql<bigint>`coalesce(sum(amount_cents - spent_cents), 0)::bigint`.as('left'))
    .whereRef('spent_cents', '<', 'amount_cents')
    .executeTakeFirstOrThrow()
  if (left >= neededCents) return
  throw new AppError(
    'insufficient_returns',
    `Recorded returns hold ${formatUsd(left)}; ${formatUsd(neededCents)} is needed. Record a realised return first.`,
  )
}

export type PayableEarning = { id: string; user_id: string; amount_cents: bigint; note: string | null }

/**
 * Pays an earning out of the recorded returns, the oldest first, and keeps which ones. Call `requireReturns` for the
 * whole amount before.
 */
export async function payFromReturns(tx: Tx, earning: PayableEarning, actor: string): Promise<void> {
  await sql`
    WITH unspent AS (
      SELECT id, amount_cents - spent_cents AS unspent,
             sum(amount_cents - spent_cents) OVER (ORDER BY realised_on, id) AS upto
        FROM app.returns
       WHERE spent_cents < amount_cents
    ), taken AS (
      SELECT id, least(unspent, ${earning.amount_cents} - (upto - unspent)) AS cents
        FROM unspent
       WHERE upto - unspent < ${earning.amount_cents}
    ), spent AS (
      UPDATE app.returns r SET spent_cents = r.spent_cents + taken.cents::bigint FROM taken WHERE r.id = taken.id
    )
    INSERT INTO app.earning_sources (earning_id, return_id, amount_cents)
    SELECT ${earning.id}, id, cents FROM taken`.execute(tx)
  const of = { userId: earning.user_id, amountCents: earning.amount_cents, actor }
  const memo = earning.note === null ? {} : { memo: earning.note }
  await post(tx, earningPaid({ ...of, earningId: earning.id, ...memo }))
}
