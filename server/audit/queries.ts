import type { Kysely, Selectable } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import { defineList } from '#server/queries/list.ts'
import { auditActions } from '#shared/audit.ts'
import type { CallData } from '#shared/contract/define.ts'
import type { listAudit } from '#shared/contract/site.ts'
import { subjectNames, subjectNumbered } from './names.ts'

export type AuditRow = Selectable<Schema['app.audit_log']> & {
  actor_name: string | null
  /** The actor's, if it is an API key. */
  key_name: string | null
}

// Left joins on keys: PostgreSQL removes the unused ones.
function entries(db: Kysely<Schema>) {
  return db
    .selectFrom('app.audit_log as a')
    .leftJoin('app.users as u', 'u.id', 'a.actor_id')
    .leftJoin('app.users as s', 's.id', 'a.subject_id')
    .leftJoin('app.api_keys as k', 'k.id', 'a.actor_id')
}

/** The audit log, the newest first unless sorted. */
export const auditList = defineList({
  from: entries,
  columns: (query: ReturnType<typeof entries>) =>
    query.selectAll('a').select(['u.name as actor_name', 'k.name as key_name']),
  present: (rows: AuditRow[], { db }) => presentEntries(db, rows),
  id: 'a.id',
  idType: 'bigint',
  status: { known: auditActions, column: 'a.action' },
  exactly: { actor: 'a.actor_id' },
  period: { moment: 'a.at', sort: '-at' },
  search: {
    texts: ['a.action', 'a.reason', 'a.request_id', 'a.ip', 'u.name', 'k.name', 's.name', 's.email'],
    ids: ['a.actor_id', 'a.subject_id'],
  },
  sorts: { at: { value: 'a.at', type: 'timestamptz' } },
})

/** The filter with the id of the record whose number is searched for, if it is one. */
export async function withRecordId<Filter extends { q?: string }>(
  db: Kysely<Schema>,
  filter: Filter,
): Promise<Filter> {
  return { ...filter, q: (await subjectNumbered(db, filter.q ?? '')) ?? filter.q }
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
    actorName: row.actor_name ?? row.key_name,
    byApiKey: row.key_name !== null,
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
