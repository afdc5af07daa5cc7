import { type Expression, type SqlBool, sql } from 'kysely'
import type { ConversationStatus } from '#shared/conversations.ts'

type Written = { created_at: Date; written_at: Date | null; replied_at: Date | null }

/** When somebody last wrote. */
export function lastAt({ created_at, written_at, replied_at }: Written): Date {
  return new Date(Math.max(...[created_at, written_at, replied_at].map(at => at?.getTime() ?? 0)))
}

/** The same as a sort of `c`, a conversation, with an index (0061_conversations_by_activity.sql). */
export const byActivity = {
  active: { value: sql`greatest(c.created_at, c.written_at, c.replied_at)`, type: 'timestamptz' },
} as const
export const latestFirst = '-active'

type Standing = { answered_at: Date | null; closed_at: Date | null }

export function statusOf({ answered_at, closed_at }: Standing): ConversationStatus {
  if (closed_at) return 'closed'
  return answered_at ? 'answered' : 'open'
}

/** The same as conditions on `c`, a conversation. */
export const inStatus: Record<ConversationStatus, () => Expression<SqlBool>> = {
  open: () => sql`c.answered_at IS NULL AND c.closed_at IS NULL`,
  answered: () => sql`c.answered_at IS NOT NULL AND c.closed_at IS NULL`,
  closed: () => sql`c.closed_at IS NOT NULL`,
}
