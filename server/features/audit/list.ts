import { type Kysely, sql } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import { countOf, listed, matches } from '#server/records/paging.ts'
import type { CallData, ListQuery, Page } from '#shared/contract/define.ts'
import type { listAudit } from '#shared/contract/site.ts'
import { subjectNames, subjectNumbered } from './names.ts'

/** The audit log, the newest first; searched by action, reason, the actor's name, a record's number and ids. */
export async function listAuditLog(
  db: Kysely<Schema>,
  filter: ListQuery,
): Promise<{ data: CallData<typeof listAudit>; page: Page }> {
  const { q, status } = filter
  const numbered = await subjectNumbered(db, q ?? '')
  const matching = db
    .selectFrom('app.audit_log as a')
    .leftJoin('app.users as u', 'u.id', 'a.actor_id')
    .where(({ ref }) =>
      matches(
        numbered ?? q,
        [ref('a.action'), ref('a.reason'), ref('u.name'), ref('a.request_id')],
        [sql<string>`a.actor_id`, sql<string>`a.subject_id`],
      ),
    )
    .$if(Boolean(status), select => select.where('a.action', '=', status!))
  const { rows, page } = await listed(filter, {
    rows: (limit, below) =>
      matching
        .selectAll('a')
        .select('u.name as actor_name')
        .$if(below !== undefined, select => select.where('a.id', '<', BigInt(below!)))
        .orderBy('a.id', 'desc')
        .limit(limit)
        .execute(),
    count: mostMs => countOf(db, matching, mostMs),
    isId: text => /^\d{1,18}$/.test(text),
  })
  const subjects = rows.flatMap(({ subject_id }) => subject_id ?? [])
  const names = await subjectNames(db, [...new Set(subjects)])
  const data = rows.map(row => ({
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
  return { data, page }
}
