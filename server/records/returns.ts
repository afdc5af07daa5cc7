import type { Kysely, Selectable } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import type { RealisedReturn } from '#shared/contract/entities.ts'
import { usdToJson } from '#shared/money.ts'
import { countOf, type Listed, type ListFilter, listed, matches } from './paging.ts'

export type ReturnRow = Selectable<Schema['app.returns']> & { recorded_by_name: string }

function returns(db: Kysely<Schema>) {
  return db.selectFrom('app.returns as r').innerJoin('app.users as u', 'u.id', 'r.recorded_by')
}

function rowsOf(query: ReturnType<typeof returns>) {
  return query.selectAll('r').select('u.name as recorded_by_name')
}

/** Recorded returns, the newest first; searched by source and evidence. */
export function listReturns(
  db: Kysely<Schema>,
  filter: Omit<ListFilter, 'userId'>,
): Promise<Listed<ReturnRow>> {
  const matching = returns(db).where(({ ref }) =>
    matches(filter.q, [ref('r.source'), ref('r.evidence')], [ref('r.id')]),
  )
  return listed(filter, {
    rows: (limit, below) =>
      rowsOf(matching)
        .$if(below !== undefined, query => query.where('r.id', '<', below!))
        .orderBy('r.id', 'desc')
        .limit(limit)
        .execute(),
    count: mostMs => countOf(db, matching, mostMs),
  })
}

/** @throws NoResultError where there is no such return */
export function returnById(db: Kysely<Schema>, id: string): Promise<ReturnRow> {
  return rowsOf(returns(db)).where('r.id', '=', id).executeTakeFirstOrThrow()
}

/** The oldest return of which something is left: the next earning is paid out of it first. */
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
    recordedBy: row.recorded_by_name,
    createdAt: row.created_at.toISOString(),
  }
}
