import { type Kysely, type Selectable, type SqlBool, sql } from 'kysely'
import { recordedReturns } from '#server/ledger/balances.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { defineList } from '#server/queries/list.ts'
import { type EvidenceFile, type RealisedReturn, returnStatuses } from '#shared/contract/entities.ts'
import { AppError } from '#shared/errors.ts'
import type { EvidenceType } from '#shared/evidence.ts'
import { t } from '#shared/i18n/t.ts'
import { usdToJson } from '#shared/money.ts'

/** Metadata of the evidence file; nulls if the evidence is a link or a transaction id. */
type FileFacts = { file_type: EvidenceType | null; file_size: number | null; file_sha256: Buffer | null }
type Names = {
  recorded_by_name: string
  approved_by_name: string | null
  void_proposed_by_name: string | null
  voided_by_name: string | null
}
export type ReturnRow = Selectable<Schema['app.returns']> & Names & FileFacts

// Every row has its partners, but PostgreSQL removes unused left joins when it only counts.
function returns(db: Kysely<Schema>) {
  return db
    .selectFrom('app.returns as r')
    .leftJoin('app.users as u', 'u.id', 'r.recorded_by')
    .leftJoin('app.users as approver', 'approver.id', 'r.approved_by')
    .leftJoin('app.users as proposer', 'proposer.id', 'r.void_proposed_by')
    .leftJoin('app.users as voider', 'voider.id', 'r.voided_by')
    .leftJoin('app.evidence_files as f', 'f.id', 'r.evidence_file')
}

/** Metadata columns of the file `f`, without its content. */
export const fileFacts = [
  sql<EvidenceType | null>`f.type`.as('file_type'),
  sql<number | null>`octet_length(f.content)`.as('file_size'),
  sql<Buffer | null>`f.sha256`.as('file_sha256'),
] as const

function rowsOf(query: ReturnType<typeof returns>) {
  return query
    .selectAll('r')
    .select(({ ref }) => ref('u.name').$notNull().as('recorded_by_name'))
    .select(['approver.name as approved_by_name', 'proposer.name as void_proposed_by_name'])
    .select('voider.name as voided_by_name')
    .select(fileFacts)
}

const undecided = sql<SqlBool>`r.status IN ('pending', 'void_proposed')`

/** The latest recorded first unless sorted. `undecided`: those that wait for a second person. */
export const returnList = defineList({
  from: returns,
  columns: rowsOf,
  present: (rows: ReturnRow[]) => rows.map(presentReturn),
  id: 'r.id',
  status: {
    known: [...returnStatuses, 'undecided'],
    column: 'r.status',
    special: { undecided: () => undecided },
  },
  day: 'r.realised_on',
  cents: 'r.amount_cents',
  search: { texts: ['r.source', 'r.evidence'], ids: ['r.id'] },
  sorts: {
    realised: { value: 'r.realised_on', type: 'date' },
    amount: { value: 'r.amount_cents', type: 'bigint' },
  },
})

export function findReturn(db: Kysely<Schema>, id: string): Promise<ReturnRow | undefined> {
  return rowsOf(returns(db)).where('r.id', '=', id).executeTakeFirst()
}

export function noSuchReturn(): AppError {
  return new AppError('not_found', t('There is no such return'))
}

/** @throws NoResultError if there is no such return */
export function returnById(db: Kysely<Schema>, id: string): Promise<ReturnRow> {
  return rowsOf(returns(db)).where('r.id', '=', id).executeTakeFirstOrThrow()
}

/** The oldest return with money left: it pays the next earning first. */
export function nextReturn(db: Kysely<Schema>): Promise<ReturnRow | undefined> {
  return rowsOf(returns(db))
    .where('r.status', '=', 'recorded')
    .whereRef('r.spent_cents', '<', 'r.amount_cents')
    .orderBy('r.realised_on')
    .orderBy('r.id')
    .limit(1)
    .executeTakeFirst()
}

/** Recorded returns in USD cents (D1.2); `leftCents` is without what someone proposes to void. */
export async function returnTotals(db: Kysely<Schema>) {
  const [{ leftCents, ...totals }, { voidProposedCents }] = await Promise.all([
    recordedReturns(db),
    db
      .selectFrom('app.returns')
      .select(sql<bigint>`coalesce(sum(amount_cents - spent_cents), 0)::bigint`.as('voidProposedCents'))
      .where('status', '=', 'void_proposed')
      .executeTakeFirstOrThrow(),
  ])
  return { ...totals, voidProposedCents, leftCents: leftCents - voidProposedCents }
}

/** How much of recorded returns a person has recorded alone in the 24 hours before, in cents. */
export async function recordedAlone(db: Kysely<Schema>, userId: string, now: Date): Promise<bigint> {
  const { rows } = await sql<{ cents: bigint }>`
    SELECT app.recorded_alone(${userId}, ${now})::bigint AS cents`.execute(db)
  return rows[0]!.cents
}

/** The part of a return that is neither paid out nor voided, in cents. */
export function leftOf({
  status,
  amount_cents,
  spent_cents,
}: Pick<ReturnRow, 'status' | 'amount_cents' | 'spent_cents'>): bigint {
  return status === 'recorded' || status === 'void_proposed' ? amount_cents - spent_cents : 0n
}

export function presentReturn(row: ReturnRow): RealisedReturn {
  return {
    _id: row.id,
    amount: usdToJson(row.amount_cents),
    status: row.status,
    paidOut: usdToJson(row.spent_cents),
    left: usdToJson(leftOf(row)),
    source: row.source,
    realisedAt: row.realised_on,
    evidence: row.evidence,
    evidenceKind: row.evidence_kind,
    evidenceFile: presentFile(row),
    recordedBy: row.recorded_by_name,
    approvedBy: row.approved_by_name,
    declineReason: row.decline_reason,
    voidReason: row.void_reason,
    voidProposedBy: row.void_proposed_by_name,
    voidedBy: row.voided_by_name,
    createdAt: row.created_at.toISOString(),
  }
}

type Proven = Pick<ReturnRow, 'evidence' | keyof FileFacts>

export function presentFile({ evidence, file_type, file_size, file_sha256 }: Proven): EvidenceFile | null {
  if (file_type === null || file_size === null || file_sha256 === null) return null
  return { name: evidence, type: file_type, size: file_size, sha256: file_sha256.toString('hex') }
}
