import type { RequestContext, SignedInContext, Tx } from '#server/context.ts'
import { queueNotice } from '#server/notifications/notices.ts'
import { newId } from '#server/platform/id.ts'
import type { newConversation, writeMessage } from '#shared/contract/conversations.ts'
import type { ParsedInput } from '#shared/contract/define.ts'
import { attach } from './attachments.ts'
import { addEntry, isFull } from './entries.ts'
import { contactRefusals } from './messages.ts'
import { notTheirs, requireOwnRecord } from './own.ts'

/**
 * Begins an investor's conversation with the firm and emails it to us. A frozen account may, too.
 * @returns its id
 * @throws AppError forbidden if it is about a record of someone else; invalid_input
 */
export async function beginConversation(
  tx: Tx,
  ctx: SignedInContext,
  { subject, text, about, files }: ParsedInput<typeof newConversation>['body'],
): Promise<string> {
  const { userId } = ctx.caller
  if (about) await requireOwnRecord(tx, userId, about)
  const { name, email } = await tx
    .selectFrom('app.users')
    .select(['name', 'email'])
    .where('id', '=', userId)
    .executeTakeFirstOrThrow()
  const now = ctx.services.clock.now()
  const id = newId(now)
  await tx
    .insertInto('app.contact_messages')
    .values({
      id,
      user_id: userId,
      name,
      email,
      subject,
      message: text,
      about_kind: about?.kind ?? null,
      about_id: about?.id ?? null,
      created_at: now,
    })
    .execute()
  await attach(tx, ctx, files, { message_id: id, entry_id: null })
  await queueNotice(tx, 'contact.received', id)
  return id
}

/**
 * Writes in the caller's conversation, which is open again from then on.
 * @returns the entry's id
 * @throws AppError forbidden; invalid_input; too_long
 */
export async function writeInConversation(
  tx: Tx,
  ctx: SignedInContext,
  id: string,
  { text, files }: ParsedInput<typeof writeMessage>['body'],
): Promise<string> {
  await lockOwn(tx, ctx, id)
  const entry = await addMessage(tx, ctx, id, text)
  await attach(tx, ctx, files, { message_id: id, entry_id: entry })
  return entry
}

/**
 * Writes for the visitor of a conversation without an owner, which is open again from then on.
 * @returns the entry's id
 * @throws AppError forbidden; too_long
 */
export async function writeForVisitor(
  tx: Tx,
  { services }: RequestContext,
  id: string,
  text: string,
): Promise<string> {
  await lockOwn(tx, null, id)
  return addMessage(tx, { caller: null, services }, id, text)
}

async function addMessage(
  tx: Tx,
  ctx: Pick<RequestContext, 'caller' | 'services'>,
  id: string,
  text: string,
): Promise<string> {
  if (await isFull(tx, id)) throw contactRefusals.error({ reason: 'too_long' })
  const now = ctx.services.clock.now()
  const entry = await addEntry(tx, ctx, id, 'message', text)
  await tx
    .updateTable('app.contact_messages')
    .set({ written_at: now, read_at: now, answered_at: null, answered_by: null, closed_at: null })
    .where('id', '=', id)
    .execute()
  await queueNotice(tx, 'contact.followed', entry)
  return entry
}

/**
 * Marks it as read, and its notifications.
 * @throws AppError forbidden
 */
export async function markConversationRead(tx: Tx, ctx: SignedInContext, id: string): Promise<void> {
  await lockOwn(tx, ctx, id)
  const now = ctx.services.clock.now()
  await tx.updateTable('app.contact_messages').set({ read_at: now }).where('id', '=', id).execute()
  await tx
    .updateTable('app.notifications')
    .set({ read_at: now })
    .where('user_id', '=', ctx.caller.userId)
    .where('kind', '=', 'message.replied')
    .where('read_at', 'is', null)
    .where('subject_id', 'in', tx.selectFrom('app.contact_entries').select('id').where('message_id', '=', id))
    .execute()
}

/** @param ctx of its owner; null: it must have none */
async function lockOwn(tx: Tx, ctx: SignedInContext | null, id: string): Promise<void> {
  const row = await tx
    .selectFrom('app.contact_messages')
    .select('user_id')
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  if (row === undefined || row.user_id !== (ctx?.caller.userId ?? null)) throw notTheirs()
}
