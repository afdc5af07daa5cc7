import { audit } from '#server/audit/log.ts'
import type { SignedInContext, Tx } from '#server/context.ts'
import { queueNotice } from '#server/notifications/notices.ts'
import { newId } from '#server/platform/id.ts'
import type { AuditAction } from '#shared/audit.ts'
import { AppError } from '#shared/errors.ts'
import { contactRefusals } from './messages.ts'

type Kind = 'reply' | 'note' | 'reopened'
type Message = { id: string; answered_at: Date | null }

/**
 * Emails a reply to the sender and marks the message as answered. A message can have several replies.
 * @throws AppError not_found
 */
export async function reply(tx: Tx, ctx: SignedInContext, id: string, text: string): Promise<void> {
  const message = await lockMessage(tx, id)
  const entry = await addEntry(tx, ctx, id, 'reply', text)
  await setAnswered(tx, ctx, message, true)
  await queueNotice(tx, 'contact.replied', entry)
  await auditMessage(tx, ctx, 'message.replied', message, true)
}

/**
 * Marks a message as answered in another way, such as by phone.
 * @throws AppError not_found; already_answered
 */
export async function markAnswered(tx: Tx, ctx: SignedInContext, id: string, note: string): Promise<void> {
  const message = await lockMessage(tx, id)
  if (message.answered_at) throw contactRefusals.error({ reason: 'already_answered' })
  await addEntry(tx, ctx, id, 'note', note)
  await setAnswered(tx, ctx, message, true)
  await auditMessage(tx, ctx, 'message.answered', message, true, note)
}

/** @throws AppError not_found; already_open */
export async function reopen(tx: Tx, ctx: SignedInContext, id: string, reason: string): Promise<void> {
  const message = await lockMessage(tx, id)
  if (!message.answered_at) throw contactRefusals.error({ reason: 'already_open' })
  await addEntry(tx, ctx, id, 'reopened', reason)
  await setAnswered(tx, ctx, message, false)
  await auditMessage(tx, ctx, 'message.reopened', message, false, reason)
}

async function lockMessage(tx: Tx, id: string): Promise<Message> {
  const message = await tx
    .selectFrom('app.contact_messages')
    .select(['id', 'answered_at'])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  if (!message) throw new AppError('not_found', 'Message not found')
  return message
}

/** @returns its id */
async function addEntry(
  tx: Tx,
  { caller, services }: SignedInContext,
  messageId: string,
  kind: Kind,
  text: string,
): Promise<string> {
  const now = services.clock.now()
  const id = newId(now)
  await tx
    .insertInto('app.contact_entries')
    .values({ id, message_id: messageId, kind, text, created_by: caller.userId, created_at: now })
    .execute()
  return id
}

async function setAnswered(
  tx: Tx,
  { caller, services }: SignedInContext,
  { id }: Message,
  isAnswered: boolean,
): Promise<void> {
  await tx
    .updateTable('app.contact_messages')
    .set(
      isAnswered
        ? { answered_at: services.clock.now(), answered_by: caller.userId }
        : { answered_at: null, answered_by: null },
    )
    .where('id', '=', id)
    .execute()
}

async function auditMessage(
  tx: Tx,
  ctx: SignedInContext,
  action: AuditAction,
  before: Message,
  isAnswered: boolean,
  reason?: string,
): Promise<void> {
  const status = (answered: boolean) => ({ status: answered ? 'answered' : 'open' })
  await audit(tx, ctx, {
    action,
    subject: { kind: 'message', id: before.id },
    ...(reason && { reason }),
    details: { before: status(before.answered_at !== null), after: status(isAnswered) },
  })
}
