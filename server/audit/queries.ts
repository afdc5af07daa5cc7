import { type CompiledQuery, type Kysely, type Selectable, sql } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import { inPeriod, isNarrowed, orderOfPeriod } from '#server/queries/filters.ts'
import { countOf, listed, matches, statusFilter } from '#server/queries/paging.ts'
import { inOrder, pageOf, type SortColumns, sortingOf, sortOf } from '#server/queries/sorting.ts'
import { auditActions } from '#shared/audit.ts'
import type { CallData, ListQuery, Page } from '#shared/contract/define.ts'
import type { listAudit } from '#shared/contract/site.ts'
import type { AuditFilter } from '#shared/contract/tables.ts'
import { subjectNames, subjectNumbered } from './names.ts'

export type AuditRow = Selectable<Schema['app.audit_log']> & { actor_name: string | null }

const sortColumns: SortColumns = { at: { value: sql.ref('a.at'), type: 'timestamptz' } }

async function chosen(db: Kysely<Schema>, filter: AuditFilter) {
  const { q, actor } = filter
  const action = statusFilter(filter.status, auditActions)
  const numbered = await subjectNumbered(db, q ?? '')
  // Left joins on keys: PostgreSQL removes the unused ones.
  const matching = db
    .selectFrom('app.audit_log as a')
    .leftJoin('app.users as u', 'u.id', 'a.actor_id')
    .leftJoin('app.users as s', 's.id', 'a.subject_id')
    .where(({ ref }) => {
      const own = [ref('a.action'), ref('a.reason'), ref('a.request_id'), ref('a.ip')]
      const people = [ref('u.name'), ref('s.name'), ref('s.email')]
      return matches(numbered ?? q, [...own, ...people], [sql`a.actor_id`, sql`a.subject_id`])
    })
    .$if(action !== undefined, select => select.where('a.action', '=', action!))
    .$if(actor !== undefined, select => select.where('a.actor_id', '=', actor!))
    .where(({ ref }) => inPeriod(ref('a.at'), filter))
  return { matching, sorting: sortingOf(orderOfPeriod(filter, '-at'), sortColumns, sql.ref('a.id')) }
}

/**
 * The audit log, newest first unless sorted; searches action, reason, names and email addresses of actor and subject,
 * record numbers, and ids.
 * @throws AppError invalid_input for an unknown action
 */
export async function listAuditLog(
  db: Kysely<Schema>,
  filter: ListQuery & AuditFilter,
): Promise<{ data: CallData<typeof listAudit>; page: Page }> {
  const { matching, sorting } = await chosen(db, filter)
  const entries = matching.selectAll('a').select('u.name as actor_name')
  const { rows, page } = await listed(filter, {
    rows: (...place) => pageOf(entries, sorting, ...place).execute(),
    count: mostMs => countOf(db, matching, mostMs),
    isId: text => /^\d{1,18}$/.test(text),
    sort: sortOf(sorting),
    isNarrowed: isNarrowed(filter),
  })
  return { data: await presentEntries(db, rows), page }
}

/** All matching entries, for streaming. */
export async function wholeAuditLog(
  db: Kysely<Schema>,
  filter: AuditFilter,
): Promise<CompiledQuery<AuditRow>> {
  const { matching, sorting } = await chosen(db, filter)
  return inOrder(matching.selectAll('a').select('u.name as actor_name'), sorting).compile()
}

/** Entries with the names of their subjects. */
export async function presentEntries(
  db: Kysely<Schema>,
  rows: readonly AuditRow[],
): Promise<CallData<typeof listAudit>> {
  const subjects = rows.flatMap(({ subject_kind: kind, subject_id: id }) =>
    kind && id ? [{ kind, id }] : [],
  )
  const names = await subjectNames(db, subjects)
  return rows.map(row => ({
    _id: String(row.id),
    at: row.at.toISOString(),
    actor: row.actor_id,
    actorName: row.actor_name,
    action: row.action,
    subjectKind: row.subject_kind,
    subject: row.subject_id,
    subjectName: names.get(row.subject_id ?? '') ?? null,
    reason: row.reason,
    ip: row.ip,
    requestId: row.request_id,
    details: row.details,
  }))
}
