import type { RequestContext, Tx } from '#server/context.ts'
import { newId } from '#server/platform/id.ts'
import { maximumThread } from '#shared/limits.ts'

/** What both sides write, and what only staff do. */
type Kind = 'message' | 'reply' | 'note' | 'comment' | 'reopened' | 'closed'

/**
 * Adds what the caller writes to a conversation, or what its visitor does if there is none.
 * @returns its id
 */
export async function addEntry(
  tx: Tx,
  { caller, services }: Pick<RequestContext, 'caller' | 'services'>,
  messageId: string,
  kind: Kind,
  text: string,
): Promise<string> {
  const now = services.clock.now()
  const id = newId(now)
  await tx
    .insertInto('app.contact_entries')
    .values({ id, message_id: messageId, kind, text, created_by: caller?.userId ?? null, created_at: now })
    .execute()
  return id
}

/** True if both sides together have written as much as one conversation holds. */
export async function isFull(tx: Tx, id: string): Promise<boolean> {
  const { count } = await tx
    .selectFrom('app.contact_entries')
    .select(({ fn }) => fn.countAll<bigint>().as('count'))
    .where('message_id', '=', id)
    .where('kind', 'in', ['message', 'reply'])
    .executeTakeFirstOrThrow()
  return Number(count) >= maximumThread
}
