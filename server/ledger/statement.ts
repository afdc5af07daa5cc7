import { type Kysely, sql } from 'kysely'
import { z } from 'zod'
import type { Schema } from '#server/platform/database/schema.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import {
  type InvestorKind,
  investorKinds,
  type LedgerEvent,
  type StatementKind,
  statementKinds,
} from './chart.ts'
import { periodTotals } from './totals.ts'

/** One posting on one of an investor's accounts. */
export type StatementLine = {
  /** Ascending in the order of posting. */
  id: bigint
  at: Date
  event: LedgerEvent
  kind: InvestorKind
  /** Signed USD cents: money received is positive. */
  amount: bigint
  /** Balance of that account after the posting, in cents. */
  balance: bigint
  /** Ordinal of the line on its account, from 1. */
  version: bigint
  transaction_id: string
  /** Kind and id of its record. */
  reference_kind: StatementKind
  reference_id: string
  /** The decline reason, or the paying transaction. */
  memo: string | null
}

export type StatementQuery = {
  /** Accounts to show; all three by default. */
  kinds?: readonly InvestorKind[] | undefined
  /** Only postings of these records. */
  about?: StatementKind | undefined
  /** From this moment on. */
  from?: Date | undefined
  /** Before this moment. */
  until?: Date | undefined
  /** The previous page's `nextCursor`, which carries all of these. */
  cursor?: string | undefined
  /** Most lines of a page; it ends between two transactions, unless one alone has more. */
  limit: number
}

type Asked = Omit<StatementQuery, 'cursor' | 'limit'>

/** `total` is the number of lines of the whole statement, without counting. */
export type StatementPage = { lines: StatementLine[]; nextCursor: string | null; total: number }

/** The part of an account's chain that is left: versions above `after`, up to `upto`. */
type Bounds = { kind: InvestorKind; after: bigint; upto: bigint }
type Position = { bounds: Bounds[]; about: StatementKind | undefined; total: number }

/**
 * An investor's postings, newest first, each with its running balance.
 * @throws AppError `invalid_input` if the cursor is invalid
 */
export async function statement(
  db: Kysely<Schema>,
  userId: string,
  { cursor, limit, ...asked }: StatementQuery,
): Promise<StatementPage> {
  const position = cursor === undefined ? await start(db, userId, asked) : readCursor(cursor)
  const { bounds, about, total } = position
  const { rows } = await sql<StatementLine>`
    SELECT * FROM ledger.statement_page(${userId}::uuid, ${bounds.map(part => part.kind)}::text[],
      ${bounds.map(part => part.after)}::bigint[], ${bounds.map(part => part.upto)}::bigint[], ${limit + 1}::integer,
      ${about ?? null}::text)
  `.execute(db)
  const lines = rows.slice(0, endOfPage(rows, limit))
  const rest = { about, total, bounds: bounds.map(part => below(part, lines)) }
  return { lines, total, nextCursor: rows.length > lines.length ? writeCursor(rest) : null }
}

/** The last boundary between two transactions within the limit; the limit itself if one has more postings. */
function endOfPage(rows: readonly StatementLine[], limit: number): number {
  if (rows.length <= limit) return rows.length
  const following = rows[limit]!.transaction_id
  const first = rows.findIndex(row => row.transaction_id === following)
  return first === 0 ? limit : first
}

/** Every posting of these deposits, investments, withdrawals or earnings on investors' accounts, oldest first. */
export async function linesOfReferences(
  db: Kysely<Schema>,
  referenceIds: string[],
): Promise<StatementLine[]> {
  const { rows } = await sql<StatementLine>`
    SELECT e.id, t.created_at AS at, t.event, a.kind, e.amount, e.new_balance AS balance, e.version,
           t.id AS transaction_id, t.reference_kind, t.reference_id, t.memo
      FROM ledger.transactions t
      JOIN ledger.entries e ON e.transaction_id = t.id
      JOIN ledger.accounts a ON a.id = e.account_id AND a.kind = ANY (${[...investorKinds]}::text[])
     WHERE t.reference_id = ANY (${referenceIds}::uuid[])
     ORDER BY e.id`.execute(db)
  return rows
}

async function start(db: Kysely<Schema>, userId: string, asked: Asked): Promise<Position> {
  const { kinds = investorKinds, about, from, until } = asked
  const { rows: bounds } = await sql<Bounds>`
    SELECT * FROM ledger.statement_bounds(${userId}::uuid, ${[...kinds]}::text[], ${from ?? null}, ${until ?? null})
  `.execute(db)
  const within = ({ after, upto }: Bounds) => (upto > after ? Number(upto - after) : 0)
  const counts = about === undefined ? bounds.map(within) : await countsAbout(db, userId, about, asked)
  return { bounds, about, total: counts.reduce((sum, count) => sum + count, 0) }
}

async function countsAbout(
  db: Kysely<Schema>,
  userId: string,
  about: StatementKind,
  { kinds = investorKinds, ...period }: Asked,
): Promise<number[]> {
  const { movements } = await periodTotals(db, userId, period)
  return movements
    .filter(moved => moved.about === about && kinds.includes(moved.kind))
    .map(({ lines }) => lines)
}

/** The rest of an account's part below the last lines. */
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
  z.enum(statementKinds).nullable(),
])

/** Opaque to the caller. It names no account: the session decides whose statement it is. */
function writeCursor({ bounds, about, total }: Position): string {
  const parts = bounds.map(({ kind, after, upto }) => [kind, `${after}`, `${upto}`])
  return Buffer.from(JSON.stringify([total, parts, about ?? null])).toString('base64url')
}

function readCursor(cursor: string): Position {
  try {
    const [total, parts, about] = cursorShape.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()))
    return {
      total,
      about: about ?? undefined,
      bounds: parts.map(([kind, after, upto]) => ({ kind, after, upto })),
    }
  } catch (cause) {
    const message = t('Cursor is not valid')
    throw new AppError('invalid_input', message, { fields: { cursor: message }, cause })
  }
}
