import { type Kysely, type Selectable, sql } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import { defineList } from '#server/queries/list.ts'
import type { EvidenceFile, RealisedReturn } from '#shared/contract/entities.ts'
import type { EvidenceType } from '#shared/evidence.ts'
import { usdToJson } from '#shared/money.ts'

/** Metadata of the evidence file; nulls if the evidence is a link or a transaction id. */
type FileFacts = { file_type: EvidenceType | null; file_size: number | null; file_sha256: Buffer | null }
export type ReturnRow = Selectable<Schema['app.returns']> & { recorded_by_name: string } & FileFacts

// Every row has its partners, but PostgreSQL removes unused left joins when it only counts.
function returns(db: Kysely<Schema>) {
  return db
    .selectFrom('app.returns as r')
    .leftJoin('app.users as u', 'u.id', 'r.recorded_by')
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
    .select(fileFacts)
}

/** The latest recorded first unless sorted. */
export const returnList = defineList({
  from: returns,
  columns: rowsOf,
  present: (rows: ReturnRow[]) => rows.map(presentReturn),
  id: 'r.id',
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

/** @throws NoResultError if there is no such return */
export function returnById(db: Kysely<Schema>, id: string): Promise<ReturnRow> {
  return rowsOf(returns(db)).where('r.id', '=', id).executeTakeFirstOrThrow()
}

/** The oldest return with money left: it pays the next earning first. */
export function nextReturn(db: Kysely<Schema>): Promise<ReturnRow | undefined> {
  return rowsOf(returns(db))
    .whereRef('r.spent_cents', '<', 'r.amount_cents')
    .orderBy('r.realised_on')
    .orderBy('r.id')
    .limit(1)
    .executeTakeFirst()
}

export function presentReturn(row: ReturnRow): RealisedReturn {
  return {
    _id: row.id,
    amount: usdToJson(row.amount_cents),
    paidOut: usdToJson(row.spent_cents),
    source: row.source,
    realisedAt: row.realised_on,
    evidence: row.evidence,
    evidenceKind: row.evidence_kind,
    evidenceFile: presentFile(row),
    recordedBy: row.recorded_by_name,
    createdAt: row.created_at.toISOString(),
  }
}

type Proven = Pick<ReturnRow, 'evidence' | keyof FileFacts>

export function presentFile({ evidence, file_type, file_size, file_sha256 }: Proven): EvidenceFile | null {
  if (file_type === null || file_size === null || file_sha256 === null) return null
  return { name: evidence, type: file_type, size: file_size, sha256: file_sha256.toString('hex') }
}
