import type { Kysely } from 'kysely'
import type { SignedInContext } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import { defineList } from '#server/queries/list.ts'
import type { listSessions } from '#shared/contract/accounts.ts'
import type { CallData, ListQuery, Page } from '#shared/contract/define.ts'

/** A user's open sessions, newest first. */
export const openSessions = (userId: string) =>
  defineList({
    from: (db: Kysely<Schema>, now: Date) =>
      db
        .selectFrom('app.sessions')
        .where('user_id', '=', userId)
        .where('revoked_at', 'is', null)
        .where('expires_at', '>', now),
    columns: query => query.select(['id', 'created_at', 'last_used_at', 'ip', 'user_agent']),
    present: rows =>
      rows.map(row => ({
        _id: row.id,
        createdAt: row.created_at.toISOString(),
        lastUsedAt: row.last_used_at.toISOString(),
        ip: row.ip,
        userAgent: row.user_agent,
      })),
    id: 'id',
    search: { texts: ['user_agent', 'ip'], ids: ['id'] },
  })

/** The caller's open sessions, with the current one marked. */
export async function ownSessions(
  { services, caller }: SignedInContext,
  filter: ListQuery,
): Promise<{ data: CallData<typeof listSessions>; page: Page }> {
  const { data, page } = await openSessions(caller.userId).page(services, filter)
  return { data: data.map(session => ({ ...session, current: session._id === caller.sessionId })), page }
}
