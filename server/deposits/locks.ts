import type { Kysely, Selectable } from 'kysely'
import type { Tx } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { AppError } from '#shared/errors.ts'

export type Deposit = Selectable<Schema['app.deposits']>
export type Investment = Selectable<Schema['app.investments']>

/**
 * Rows are locked in one order everywhere, so that two acts on one payment wait for each other and never in a circle: what its network
 * has shown (the cursor, watching/cursor.ts: shared by who looks at it, alone by who writes it down), the investment, then its deposit,
 * the transfers at its address, other deposits that an act makes good, then (by the ledger) the accounts. Where two acts of one investor
 * make good each other's deposits, PostgreSQL ends one of them, and it is done again.
 */
export type Payment = { deposit: Deposit; investment: Investment | null }

/** The investment that still waits for its payment. */
export function awaiting(investment: Investment | null): Investment | null {
  return investment?.status === 'pending' ? investment : null
}

/** @throws AppError not_found */
export async function lockInvestment(tx: Tx, id: string): Promise<Investment> {
  const row = await tx
    .selectFrom('app.investments')
    .selectAll()
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  if (!row) throw new AppError('not_found', 'There is no such investment')
  return row
}

/** The deposit that pays an investment; undefined where the balance does. The investment is locked already. */
export async function lockDepositOf(tx: Tx, investmentId: string): Promise<Deposit | undefined> {
  return tx
    .selectFrom('app.deposits')
    .selectAll()
    .where('investment_id', '=', investmentId)
    .forUpdate()
    .executeTakeFirst()
}

/**
 * A deposit and, where it pays one, its investment.
 * @throws AppError not_found
 */
export async function lockPayment(tx: Tx, depositId: string): Promise<Payment> {
  // Which investment a deposit pays never changes, so it can be read before it is locked.
  const found = await tx
    .selectFrom('app.deposits')
    .select('investment_id')
    .where('id', '=', depositId)
    .executeTakeFirst()
  if (!found) throw new AppError('not_found', 'There is no such deposit')
  const investment = found.investment_id === null ? null : await lockInvestment(tx, found.investment_id)
  const deposit = await tx
    .selectFrom('app.deposits')
    .selectAll()
    .where('id', '=', depositId)
    .forUpdate()
    .executeTakeFirstOrThrow()
  return { deposit, investment }
}

/**
 * The same two as they stand, without a lock.
 * @throws AppError not_found
 */
export async function readPayment(db: Kysely<Schema>, depositId: string): Promise<Payment> {
  const deposit = await db
    .selectFrom('app.deposits')
    .selectAll()
    .where('id', '=', depositId)
    .executeTakeFirst()
  if (!deposit) throw new AppError('not_found', 'There is no such deposit')
  if (deposit.investment_id === null) return { deposit, investment: null }
  const investment = await db
    .selectFrom('app.investments')
    .selectAll()
    .where('id', '=', deposit.investment_id)
    .executeTakeFirstOrThrow()
  return { deposit, investment }
}
