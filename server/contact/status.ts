import { type Expression, type SqlBool, sql } from 'kysely'
import type { ConversationStatus } from '#shared/conversations.ts'

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
