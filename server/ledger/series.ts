import { type Kysely, sql } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import type { InvestorBalances } from './balances.ts'
import type { InvestorKind } from './chart.ts'

/** A moment for reading the books: postings before it count. 'latest': all postings. */
export type Moment = Date | 'latest'

/** Moments as a PostgreSQL array. */
function texts(moments: readonly Moment[]): string[] {
  return moments.map(moment => (moment === 'latest' ? 'infinity' : moment.toISOString()))
}

/** When money first moved on an investor's accounts; undefined before that. */
export async function firstMovedAt(db: Kysely<Schema>, userId: string): Promise<Date | undefined> {
  const { rows } = await sql<{
    at: Date | null
  }>`SELECT ledger.first_moved_at(${userId}::uuid) AS at`.execute(db)
  return rows[0]?.at ?? undefined
}

/**
 * An investor's balances at each of many moments, in USD cents, without reading the whole statement
 * (0013_ledger_statements.sql).
 */
export async function balancesAt(
  db: Kysely<Schema>,
  userId: string,
  moments: readonly Moment[],
): Promise<InvestorBalances[]> {
  const { rows } = await sql<{ kind: InvestorKind; ordinal: bigint; balance: bigint }>`
    SELECT * FROM ledger.balances_at(${userId}::uuid, ${texts(moments)}::timestamptz[])`.execute(db)
  const balances = moments.map((): InvestorBalances => ({ available: 0n, held: 0n, invested: 0n }))
  for (const { kind, ordinal, balance } of rows) balances[Number(ordinal) - 1]![kind] = balance
  return balances
}

/** What an investor had received by a moment, in USD cents. */
export type Received = { earned: bigint; paidIn: bigint }

/** All that an investor had earned and had paid in, by each of many moments. */
export async function receivedAt(
  db: Kysely<Schema>,
  userId: string,
  moments: readonly Moment[],
): Promise<Received[]> {
  const { rows } = await sql<{ ordinal: bigint; earned: string; paid_in: string }>`
    SELECT * FROM ledger.received_at(${userId}::uuid, ${texts(moments)}::timestamptz[])`.execute(db)
  const received = moments.map((): Received => ({ earned: 0n, paidIn: 0n }))
  for (const { ordinal, earned, paid_in } of rows)
    received[Number(ordinal) - 1] = { earned: BigInt(earned), paidIn: BigInt(paid_in) }
  return received
}
