import type { Services, SignedInContext } from '#server/context.ts'
import { countOf, listed, matches } from '#server/queries/paging.ts'
import type { listSessions } from '#shared/contract/accounts.ts'
import type { listUserSessions } from '#shared/contract/console.ts'
import type { CallData, ListQuery, Page } from '#shared/contract/define.ts'

/** A user's open sessions, newest first. */
export async function openSessions(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  userId: string,
  filter: ListQuery,
): Promise<{ rows: CallData<typeof listUserSessions>; page: Page }> {
  const open = db
    .selectFrom('app.sessions')
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', clock.now())
    .where(({ ref }) => matches(filter.q, [ref('user_agent'), ref('ip')], [ref('id')]))
  const { rows, page } = await listed(filter, {
    rows: (limit, below) =>
      open
        .select(['id', 'created_at', 'last_used_at', 'ip', 'user_agent'])
        .$if(below !== undefined, query => query.where('id', '<', below!))
        .orderBy('id', 'desc')
        .limit(limit)
        .execute(),
    count: mostMs => countOf(db, open, mostMs),
  })
  const presented = rows.map(row => ({
    _id: row.id,
    createdAt: row.created_at.toISOString(),
    lastUsedAt: row.last_used_at.toISOString(),
    ip: row.ip,
    userAgent: row.user_agent,
  }))
  return { rows: presented, page }
}

/** The caller's open sessions, with the current one marked. */
export async function ownSessions(
  { services, caller }: SignedInContext,
  filter: ListQuery,
): Promise<{ data: CallData<typeof listSessions>; page: Page }> {
  const { rows, page } = await openSessions(services, caller.userId, filter)
  return { data: rows.map(row => ({ ...row, current: row._id === caller.sessionId })), page }
}
