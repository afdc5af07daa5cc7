import { type Kysely, sql } from 'kysely'
import type { Schema } from '#server/platform/database/schema.ts'
import { countOf, matches } from '#server/records/paging.ts'
import type { CallData, ListQuery, Page } from '#shared/contract/define.ts'
import type { listAudit } from '#shared/contract/site.ts'
import { AppError } from '#shared/errors.ts'

/** The audit log, the newest first; searched by action, reason, the actor's name and ids. */
export async function listAuditLog(
  db: Kysely<Schema>,
  { limit, cursor, q, status }: ListQuery,
): Promise<{ data: CallData<typeof listAudit>; page: Page }> {
  if (cursor !== undefined && !/^\d{1,18}$/.test(cursor)) {
    throw new AppError('invalid_input', 'Cursor is not valid', { fields: { cursor: 'Cursor is not valid' } })
  }
  const matching = db
    .selectFrom('app.audit_log as a')
    .leftJoin('app.users as u', 'u.id', 'a.actor_id')
    .where(({ ref }) =>
      matches(
        q,
        [ref('a.action'), ref('a.reason'), ref('u.name'), ref('a.request_id')],
        [sql<string>`a.actor_id`, sql<string>`a.subject_id`],
      ),
    )
    .$if(Boolean(status), select => select.where('a.action', '=', status!))
  const rows = await matching
    .selectAll('a')
    .select('u.name as actor_name')
    .$if(cursor !== undefined, select => select.where('a.id', '<', BigInt(cursor!)))
    .orderBy('a.id', 'desc')
    .limit(limit + 1)
    .execute()
  const total = await countOf(matching)
  const shown = rows.slice(0, limit)
  const data = shown.map(row => ({
    _id: String(row.id),
    at: row.at.toISOString(),
    actor: row.actor_id,
    actorName: row.actor_name,
    action: row.action,
    subjectKind: row.subject_kind,
    subject: row.subject_id,
    reason: row.reason,
    ip: row.ip,
    requestId: row.request_id,
    details: row.details,
  }))
  const last = shown.at(-1)
  return {
    data,
    page: { total, nextCursor: rows.length > limit && last ? String(last.id) : null },
  }
}
