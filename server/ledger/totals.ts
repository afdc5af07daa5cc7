import { type Kysely, sql } from 'kysely'
import type { Pool } from 'pg'
import type { Schema } from '#server/platform/database/schema.ts'
import { type InvestorKind, investorKinds, type StatementKind } from './chart.ts'

/** Money moved on one account in a period, in USD cents, never negative. */
export type Movement = {
  kind: InvestorKind
  about: StatementKind
  lines: number
  creditedCents: bigint
  debitedCents: bigint
  /** The part that did not stay between the investor's own accounts. */
  fromOutsideCents: bigint
  toOutsideCents: bigint
}

/** A period of an investor's accounts, at one moment: each closing balance is the opening one plus the movements. */
export type PeriodTotals = {
  openingCents: Record<InvestorKind, bigint>
  closingCents: Record<InvestorKind, bigint>
  movements: Movement[]
}

type TotalsRow = {
  account: InvestorKind
  opening: bigint
  closing: bigint
  kind: StatementKind | null
  lines: bigint
  credited: string
  debited: string
  from_outside: string
  to_outside: string
}

/**
 * An investor's balances at both ends of a period and what moved them, without reading the whole statement
 * (0013_ledger_statements.sql).
 * @param period from this moment on, before that one; if omitted, from the first posting to the last
 */
export async function periodTotals(
  db: Kysely<Schema>,
  userId: string,
  { from, until }: { from?: Date | undefined; until?: Date | undefined },
): Promise<PeriodTotals> {
  const { rows } = await sql<TotalsRow>`
    SELECT * FROM ledger.statement_totals(${userId}::uuid, ${from ?? null}::timestamptz, ${until ?? null}::timestamptz)
  `.execute(db)
  const balances = (of: 'opening' | 'closing') =>
    Object.fromEntries(
      investorKinds.map(kind => [kind, rows.find(row => row.account === kind)?.[of] ?? 0n]),
    ) as Record<InvestorKind, bigint>
  const moved = rows.filter((row): row is TotalsRow & { kind: StatementKind } => row.kind !== null)
  return {
    openingCents: balances('opening'),
    closingCents: balances('closing'),
    movements: moved.map(row => ({
      kind: row.account,
      about: row.kind,
      lines: Number(row.lines),
      creditedCents: BigInt(row.credited),
      debitedCents: BigInt(row.debited),
      fromOutsideCents: BigInt(row.from_outside),
      toOutsideCents: BigInt(row.to_outside),
    })),
  }
}

/**
 * Folds full blocks of investors' chains, so that totals of statements stay fast; called every few minutes.
 * @returns how many blocks it folded
 */
export async function foldStatements(pool: Pool): Promise<bigint> {
  let folded = 0n
  for (;;) {
    const { rows } = await pool.query<{ done: bigint }>('SELECT ledger.fold_statements() AS done')
    const done = rows[0]?.done ?? 0n
    if (done === 0n) return folded
    folded += done
  }
}
