import { type Kysely, sql } from 'kysely'
import type { Tx } from '#server/context.ts'
import { shortfallTaken } from '#server/ledger/events.ts'
import { post } from '#server/ledger/post.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { audit, type Origin } from '#server/records/audit.ts'
import { AppError } from '#shared/errors.ts'
import { formatUsd, smaller } from '#shared/money.ts'
import { withoutFlag } from './flags.ts'

/** What a network has taken back of a credited deposit when its owner had spent it already: it is owed to the firm until it is made good. */

/**
 * What becomes available, out of a hold, of an investment or as an earning, is not its owner's while a network has taken back what he was
 * credited with: it makes that good first, the oldest deposit before the others.
 * @returns what of it did, in cents: to be kept beside what became available, for its owner is told
 */
export async function recoverDebt(
  tx: Tx,
  by: Origin,
  { userId, amountCents }: { userId: string; amountCents: bigint },
): Promise<bigint> {
  const deposits = await shortfallsOf(tx, userId).select('id').forUpdate().execute()
  let leftCents = amountCents
  for (const { id, debt_cents } of deposits) {
    const takenCents = smaller(leftCents, debt_cents)
    if (takenCents === 0n) break
    leftCents -= takenCents
    const actor = by.caller?.userId ?? null
    await post(tx, shortfallTaken({ userId, amountCents: takenCents, depositId: id, actor }))
    const openCents = debt_cents - takenCents
    await tx
      .updateTable('app.deposits')
      .set({ debt_cents: openCents })
      .$if(openCents === 0n, query => query.set(withoutFlag('debt')))
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    await audit(tx, by, {
      action: 'deposit.debt_recovered',
      subject: { kind: 'deposit', id },
      details: { taken: formatUsd(takenCents), debt: formatUsd(openCents) },
    })
  }
  return amountCents - leftCents
}

/** Deposits of an investor of which a network has taken back more than was available, the oldest first. */
function shortfallsOf(db: Kysely<Schema>, userId: string) {
  return db
    .selectFrom('app.deposits')
    .select('debt_cents')
    .where('user_id', '=', userId)
    .where('debt_cents', '>', 0n)
    .orderBy('id')
}

/**
 * Whose deposits networks have taken back, of these people, with those deposits locked: before the accounts, as everywhere.
 * @returns their ids
 */
export async function lockDebts(tx: Tx, userIds: readonly string[]): Promise<Set<string>> {
  const rows = await tx
    .selectFrom('app.deposits')
    .select('user_id')
    .where('debt_cents', '>', 0n)
    .where('user_id', '=', sql<string>`ANY (${[...new Set(userIds)]}::uuid[])`)
    .orderBy('id')
    .forUpdate()
    .execute()
  return new Set(rows.map(({ user_id }) => user_id))
}

/** What networks have taken back of an investor's deposits and is not made good, in cents. */
export async function debtOf(db: Kysely<Schema>, userId: string): Promise<bigint> {
  const rows = await shortfallsOf(db, userId).execute()
  return rows.reduce((sum, { debt_cents }) => sum + debt_cents, 0n)
}

/**
 * Nothing goes out to whom a network has taken back what he was credited with. No lock is needed: what is taken back a moment later is
 * found by the next step, and after the last one the coins are gone all the same.
 * @param todo what can be done about it, in a sentence
 * @throws AppError wrong_state, with the deposit's number
 */
export async function requireNoDebt(db: Kysely<Schema>, userId: string, todo: string): Promise<void> {
  const row = await shortfallsOf(db, userId).select('invoice_id').limit(1).executeTakeFirst()
  if (row === undefined) return
  throw new AppError(
    'wrong_state',
    `The network has taken back deposit ${row.invoice_id}, and ${formatUsd(row.debt_cents)} of it was not available any more. ${todo}`,
  )
}
