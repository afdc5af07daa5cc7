import { type Kysely, type Selectable, sql } from 'kysely'
import type { Tx } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'

type Amounts = Selectable<Schema['app.deposit_amounts']>

/** A deposit with what it has received, was credited with, and what its network shows (app.deposit_amounts). */
export type Deposit = Selectable<Schema['app.deposits']> & Amounts
export type Investment = Selectable<Schema['app.investments']>

/**
 * Lock order, the same everywhere to prevent deadlocks: chain cursor, investment, deposit, transfers at its address, other deposits in
 * debt, then the ledger's accounts. Two actions that recover each other's debts may still deadlock; PostgreSQL ends one, and we retry.
 */
export type Payment = { deposit: Deposit; investment: Investment | null }

/** The investment if it is still pending. */
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
  if (!row) throw new AppError('not_found', t('There is no such investment'))
  return row
}

/** The deposit that pays an investment; undefined if the balance does. The caller has locked the investment. */
export async function lockDepositOf(tx: Tx, investmentId: string): Promise<Deposit | undefined> {
  const row = await tx
    .selectFrom('app.deposits')
    .select('id')
    .where('investment_id', '=', investmentId)
    .executeTakeFirst()
  return row && lockDeposit(tx, row.id)
}

/** The amounts are read once the row is locked: while we wait for the lock, another transaction may credit the deposit. */
async function lockDeposit(tx: Tx, id: string): Promise<Deposit> {
  await tx.selectFrom('app.deposits').select('id').where('id', '=', id).forUpdate().executeTakeFirstOrThrow()
  return depositRows(tx).where('d.id', '=', id).executeTakeFirstOrThrow()
}

/** The amounts `m` of a deposit `d`, to join laterally. */
export function amountsOf() {
  return sql<Amounts>`app.amounts_of(d.id)`.as<'m'>(sql.ref('m'))
}

/** The same of many: they take seven milliseconds to plan, and then a sixth of the time for each deposit. */
export function amountsOfMany() {
  return sql<Amounts>`(SELECT * FROM app.deposit_amounts WHERE deposit_id = d.id)`.as<'m'>(sql.ref('m'))
}

function depositRows(db: Kysely<Schema>) {
  return db.selectFrom('app.deposits as d').crossJoinLateral(amountsOf).selectAll(['d', 'm'])
}

/**
 * Locks a deposit and the investment that it pays, if any.
 * @throws AppError not_found
 */
export async function lockPayment(tx: Tx, depositId: string): Promise<Payment> {
  // Which investment a deposit pays never changes, so it can be read before it is locked.
  const found = await tx
    .selectFrom('app.deposits')
    .select('investment_id')
    .where('id', '=', depositId)
    .executeTakeFirst()
  if (!found) throw new AppError('not_found', t('There is no such deposit'))
  const investment = found.investment_id === null ? null : await lockInvestment(tx, found.investment_id)
  return { deposit: await lockDeposit(tx, depositId), investment }
}

/**
 * Reads the same two rows without locking them.
 * @throws AppError not_found
 */
export async function readPayment(db: Kysely<Schema>, depositId: string): Promise<Payment> {
  const deposit = await depositRows(db).where('d.id', '=', depositId).executeTakeFirst()
  if (!deposit) throw new AppError('not_found', t('There is no such deposit'))
  if (deposit.investment_id === null) return { deposit, investment: null }
  const investment = await db
    .selectFrom('app.investments')
    .selectAll()
    .where('id', '=', deposit.investment_id)
    .executeTakeFirstOrThrow()
  return { deposit, investment }
}
