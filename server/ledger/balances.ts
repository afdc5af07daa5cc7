import { type Kysely, sql } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import { firm, type InvestorKind } from './chart.ts'

/** An investor's balances in USD cents. */
export type InvestorBalances = Record<InvestorKind, bigint>

/** An investor's balances, in USD cents; zeros before the first payment. */
export async function investorBalances(db: Kysely<Schema>, userId: string): Promise<InvestorBalances> {
  const balances = await balancesOfInvestors(db, [userId])
  return balances.get(userId) ?? { available: 0n, held: 0n, invested: 0n }
}

/** Balances of several investors in USD cents, by user id, without those who never had money. */
export async function balancesOfInvestors(
  db: Kysely<Schema>,
  userIds: string[],
): Promise<Map<string, InvestorBalances>> {
  const { rows } = await sql<{ owner: string; kind: InvestorKind; balance: bigint }>`
    SELECT owner, kind, balance FROM ledger.accounts
     WHERE owner = ANY (${userIds}::uuid[]) AND asset = 'USD' AND floor IS NOT NULL`.execute(db)
  const balances = new Map<string, InvestorBalances>()
  for (const { owner, kind, balance } of rows) {
    const own = balances.get(owner) ?? { available: 0n, held: 0n, invested: 0n }
    own[kind] = balance
    balances.set(owner, own)
  }
  return balances
}

/** Recorded returns in USD cents (D1.2): recorded and not voided, used by earnings, and left. */
export async function recordedReturns(
  db: Kysely<Schema>,
): Promise<{ recordedCents: bigint; paidOutCents: bigint; leftCents: bigint }> {
  const { rows } = await sql<{ recorded: string; left: string }>`
    SELECT coalesce(-sum(balance) FILTER (WHERE kind = 'returns_received'), 0) AS recorded,
           coalesce(sum(balance) FILTER (WHERE kind = 'recorded_returns'), 0) AS left
      FROM ledger.balances
     WHERE owner = ${firm} AND kind IN ('returns_received', 'recorded_returns') AND asset = 'USD'`.execute(db)
  const recordedCents = BigInt(rows[0]?.recorded ?? 0)
  const leftCents = BigInt(rows[0]?.left ?? 0)
  return { recordedCents, paidOutCents: recordedCents - leftCents, leftCents }
}
