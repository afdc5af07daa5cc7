import { type Kysely, sql } from 'kysely'
import { z } from 'zod'
import type { Schema } from '#server/platform/database/schema.ts'
import { AppError } from '#shared/errors.ts'
import { type InvestorKind, investorKinds, type LedgerEvent, type ReferenceKind } from './chart.ts'

/** One posting on one of an investor's accounts. */
export type StatementLine = {
  /** Ascending in the order of posting. */
  id: bigint
  at: Date
  event: LedgerEvent
  kind: InvestorKind
  /** Signed USD cents: what came is positive. */
  amount: bigint
  /** Balance of that account after the posting, in cents. */
  balance: bigint
  /** Ordinal of the line on its account, from 1. */
  version: bigint
  transaction_id: string
  reference_kind: ReferenceKind
  reference_id: string
}

export type StatementQuery = {
  /** Accounts to show; all three by default. */
  kinds?: readonly InvestorKind[]
  /** From this moment on. */
  from?: Date
  /** Before this moment. */
  until?: Date
  /** The `nextCursor` of the page before; it carries kinds and period with it. */
  cursor?: string
  /** Lines a page. */
  limit: number
}

/** `total` is how many lines the whole statement has; it costs no counting. */
export type StatementPage = { lines: StatementLine[]; nextCursor: string | null; total: number }

/** What of an account's chain is still to be shown: versions above `after` up to `upto`. */
type Bounds = { kind: InvestorKind; after: bigint; upto: bigint }
type Position = { bounds: Bounds[]; total: number }

/**
 * An investor's postings, the newest first, each with its running balance.
 * @throws AppError `invalid_input` when the cursor is none of ours
 */
export async function statement(
  db: Kysely<Schema>,
  userId: string,
  { kinds = investorKinds, from, until, cursor, limit }: StatementQuery,
): Promise<StatementPage> {
  const position = cursor === undefined ? await start(db, userId, kinds, from, until) : readCursor(cursor)
  const { bounds, total } = position
  const { rows: lines } = await sql<StatementLine>`
    SELECT * FROM ledger.statement_page(${userId}::uuid, ${bounds.map(part => part.kind)}::text[],
      ${bounds.map(part => part.after)}::bigint[], ${bounds.map(part => part.upto)}::bigint[], ${limit}::integer)
  `.execute(db)
  const rest = bounds.map(part => below(part, lines))
  const done = rest.every(part => part.upto <= part.after)
  return { lines, total, nextCursor: done ? null : writeCursor({ bounds: rest, total }) }
}

/** Every posting on investors' accounts that these deposits, investments, withdrawals or earnings caused, the oldest first. */
export async function linesOfReferences(
  db: Kysely<Schema>,
  referenceIds: string[],
): Promise<StatementLine[]> {
  const { rows } = await sql<StatementLine>`
    SELECT e.id, t.created_at AS at, t.event, a.kind, e.amount, e.new_balance AS balance, e.version,
           t.id AS transaction_id, t.reference_kind, t.reference_id
      FROM ledger.transactions t
      JOIN ledger.entries e ON e.transaction_id = t.id
      JOIN ledger.accounts a ON a.id = e.account_id AND a.kind = ANY (${[...investorKinds]}::text[])
     WHERE t.reference_id = ANY (${referenceIds}::uuid[])
     ORDER BY e.id`.execute(db)
  return rows
}

/** The balances of an investor's accounts as they were at a moment, in USD cents. */
export async function balancesAt(
  db: Kysely<Schema>,
  userId: string,
  at: Date,
): Promise<Record<InvestorKind, bigint>> {
  const { rows } = await sql<{ kind: InvestorKind; balance: bigint }>`
    SELECT a.kind, e.new_balance AS balance
      FROM ledger.accounts a
      JOIN ledger.entries e ON e.account_id = a.id AND e.version = ledger.version_at(a.id, ${at})
     WHERE a.owner = ${userId}::uuid AND a.asset = 'USD'`.execute(db)
  const balances = { available: 0n, held: 0n, invested: 0n }
  for (const { kind, balance } of rows) balances[kind] = balance
  return balances
}

async function start(
  db: Kysely<Schema>,
  userId: string,
  kinds: readonly InvestorKind[],
  from: Date | undefined,
  until: Date | undefined,
): Promise<Position> {
  const { rows: bounds } = await sql<Bounds>`
    SELECT * FROM ledger.statement_bounds(${userId}::uuid, ${[...kinds]}::text[], ${from ?? null}, ${until ?? null})
  `.execute(db)
  const lines = bounds.reduce((sum, part) => sum + (part.upto > part.after ? part.upto - part.after : 0n), 0n)
  return { bounds, total: Number(lines) }
}

/** What is left of an account's part below the lines just shown. */
function below(part: Bounds, shown: StatementLine[]): Bounds {
  const last = shown.findLast(line => line.kind === part.kind)
  return last === undefined ? part : { ...part, upto: last.version - 1n }
}

const version = z
  .string()
  .regex(/^\d{1,18}$/)
  .transform(BigInt)
const cursorShape = z.tuple([
  z.int().nonnegative(),
  z.array(z.tuple([z.enum(investorKinds), version, version])).max(investorKinds.length),
])

/** Opaque to the caller. It names no account: whose statement it is comes from the session alone. */
function writeCursor({ bounds, total }: Position): string {
  const parts = bounds.map(({ kind, after, upto }) => [kind, `${after}`, `${upto}`])
  return Buffer.from(JSON.stringify([total, parts])).toString('base64url')
}

function readCursor(cursor: string): Position {
  try {
    const [total, parts] = cursorShape.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()))
    return { total, bounds: parts.map(([kind, after, upto]) => ({ kind, after, upto })) }
  } catch (cause) {
    throw new AppError('invalid_input', 'Cursor is not valid', {
      fields: { cursor: 'Cursor is not valid' },
      cause,
    })
  }
}
