import { type Kysely, type RawBuilder, sql } from 'kysely'
import { audit, type Origin } from '#server/audit/log.ts'
import type { Tx } from '#server/context.ts'
import { debtRecovered } from '#server/ledger/events.ts'
import { post } from '#server/ledger/post.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { formatUsd, smaller } from '#shared/money.ts'
import { withoutFlag } from './flags.ts'
import { depositRefusals } from './messages.ts'

/** A debt is the part of a reversed deposit that the investor had already used. */

/** Without a parameter, so that prepared statements find debts by their own index too. */
const isOpen = sql<boolean>`debt_cents > 0`

/**
 * Repays the investor's debts, the oldest first, from an amount that has just become available.
 * @returns the cents recovered
 */
export async function recoverDebt(
  tx: Tx,
  by: Origin,
  { userId, amountCents }: { userId: string; amountCents: bigint },
): Promise<bigint> {
  const deposits = await depositsInDebt(tx, userId).select('id').forUpdate().execute()
  let leftCents = amountCents
  for (const { id, debt_cents } of deposits) {
    const takenCents = smaller(leftCents, debt_cents)
    if (takenCents === 0n) break
    leftCents -= takenCents
    const actor = by.caller?.userId ?? null
    await post(tx, debtRecovered({ userId, amountCents: takenCents, depositId: id, actor }))
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

/** The investor's deposits with an open debt, the oldest first. */
function depositsInDebt(db: Kysely<Schema>, userId: string) {
  return db
    .selectFrom('app.deposits')
    .select('debt_cents')
    .where('user_id', '=', userId)
    .where(isOpen)
    .orderBy('id')
}

/**
 * Locks the open debts of these users; deposits are locked before accounts (locks.ts).
 * @returns the ids of the users who have one
 */
export async function lockDebts(tx: Tx, userIds: readonly string[]): Promise<Set<string>> {
  const rows = await tx
    .selectFrom('app.deposits')
    .select('user_id')
    .where(isOpen)
    .where('user_id', '=', sql<string>`ANY (${[...new Set(userIds)]}::uuid[])`)
    .orderBy('id')
    .forUpdate()
    .execute()
  return new Set(rows.map(({ user_id }) => user_id))
}

/** An investor's open debts together, in cents, with the oldest. */
type OpenDebt = { totalCents: bigint; invoice: string; debtCents: bigint }

/** Their columns in a query's row; nulls without a debt. */
export type DebtColumns = {
  debt_total_cents: bigint | null
  debt_invoice: string | null
  debt_cents: bigint | null
}

/** Joins the open debts of a user, for `debt.*` among the columns. @param user the id, as a column of the query */
export function joinDebt(user: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`CROSS JOIN LATERAL (
    SELECT sum(d.debt_cents)::bigint AS debt_total_cents, (array_agg(d.invoice_id ORDER BY d.id))[1] AS debt_invoice,
           (array_agg(d.debt_cents ORDER BY d.id))[1] AS debt_cents
      FROM app.deposits d WHERE d.user_id = ${user} AND d.debt_cents > 0) debt`
}

export function debtIn({
  debt_total_cents: totalCents,
  debt_invoice: invoice,
  debt_cents: debtCents,
}: DebtColumns): OpenDebt | undefined {
  return totalCents === null ? undefined : { totalCents, invoice: invoice!, debtCents: debtCents! }
}

/** The open debts of these users, by user. */
export async function openDebts(
  db: Kysely<Schema>,
  userIds: readonly string[],
): Promise<Map<string, OpenDebt>> {
  const { rows } = await sql<DebtColumns & { id: string }>`
    SELECT u.id, debt.* FROM unnest(${[...new Set(userIds)]}::uuid[]) AS u (id) ${joinDebt(sql.ref('u.id'))}`.execute(
    db,
  )
  return new Map(
    rows.flatMap(({ id, ...columns }) => {
      const debt = debtIn(columns)
      return debt ? [[id, debt] as const] : []
    }),
  )
}

async function openDebt(db: Kysely<Schema>, userId: string): Promise<OpenDebt | undefined> {
  return (await openDebts(db, [userId])).get(userId)
}

/** The investor's open debts, in cents. */
export async function debtOf(db: Kysely<Schema>, userId: string): Promise<bigint> {
  return (await openDebt(db, userId))?.totalCents ?? 0n
}

/**
 * An investor with an open debt cannot be paid out. No lock is needed: the next step sees a debt that arises a moment later.
 * @param nextStep what staff can do about it, in a sentence
 * @throws AppError debt_open
 */
export async function requireNoDebt(db: Kysely<Schema>, userId: string, nextStep: string): Promise<void> {
  refuseDebt(await openDebt(db, userId), nextStep)
}

/** @throws AppError debt_open */
export function refuseDebt(debt: OpenDebt | undefined, nextStep: string): void {
  if (debt === undefined) return
  const { invoice, debtCents } = debt
  throw depositRefusals.error({ reason: 'debt_open', invoice, debtCents, nextStep })
}
