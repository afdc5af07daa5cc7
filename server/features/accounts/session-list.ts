import type { SignedInContext } from '#server/context.ts'
import { countOf, listed } from '#server/records/paging.ts'
import type { listSessions } from '#shared/contract/accounts.ts'
import type { CallData, ListQuery, Page } from '#shared/contract/define.ts'

/** Where the caller is logged in: open sessions, the newest first. */
export async function ownSessions(
  { services, caller }: SignedInContext,
  filter: ListQuery,
): Promise<{ data: CallData<typeof listSessions>; page: Page }> {
  const open = services.db
    .selectFrom('app.sessions')
    .where('user_id', '=', caller.userId)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', services.clock.now())
  const { rows, page } = await listed(filter, {
    rows: (limit, below) =>
      open
        .select(['id', 'created_at', 'last_used_at', 'ip', 'user_agent'])
        .$if(below !== undefined, query => query.where('id', '<', below!))
        .orderBy('id', 'desc')
        .limit(limit)
        .execute(),
    count: () => countOf(services.db, open),
  })
  const data = rows.map(row => ({
    _id: row.id,
    createdAt: row.created_at.toISOString(),
    lastUsedAt: row.last_used_at.toISOString(),
    ip: row.ip,
    userAgent: row.user_agent,
    current: row.id === caller.sessionId,
  }))
  return { data, page }
}
