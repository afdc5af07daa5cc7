import type { Kysely } from 'kysely'
import type { Caller } from '#server/context.ts'
import type { Schema } from '#server/platform/database/schema.ts'
import type { HistoryEntry } from '#shared/contract/entities.ts'
import { may } from '#shared/roles.ts'

/** Maximum number of steps shown. */
const mostSteps = 200

/** The history of these records, oldest first. An investor sees that the firm acted, not which person. */
export async function historyOf(
  db: Kysely<Schema>,
  subjectIds: string[],
  viewer: Pick<Caller, 'userId' | 'role'>,
): Promise<HistoryEntry[]> {
  const rows = await db
    .selectFrom('app.audit_log as a')
    .leftJoin('app.users as u', 'u.id', 'a.actor_id')
    .select(['a.at', 'a.action', 'a.reason', 'a.actor_id', 'u.name'])
    .where('a.subject_id', 'in', subjectIds)
    .orderBy('a.id')
    .limit(mostSteps)
    .execute()
  return rows.map(row => ({
    at: row.at.toISOString(),
    action: inWords(row.action),
    actor: actorOf(row, viewer),
    reason: row.reason,
  }))
}

function actorOf(
  { actor_id, name }: { actor_id: string | null; name: string | null },
  viewer: Pick<Caller, 'userId' | 'role'>,
): string {
  if (actor_id === null) return 'Automatic'
  if (may(viewer.role, 'console') || actor_id === viewer.userId) return name ?? 'Unknown'
  return 'The firm'
}

/** 'return.void_proposed' is 'Return void proposed'. */
function inWords(action: string): string {
  // Not with the approval: the batch's creator has chosen the time of its rate.
  if (action === 'withdrawal.rate_locked') return 'Amount in the coin fixed with a payout batch'
  return action.charAt(0).toUpperCase() + action.slice(1).replaceAll(/[._]/g, ' ')
}
