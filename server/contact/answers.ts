import { audit } from '#server/audit/log.ts'
import type { SignedInContext, Tx } from '#server/context.ts'
import { notifyReplied, queueNotice } from '#server/notifications/notices.ts'
import type { AuditAction } from '#shared/audit.ts'
import type { ParsedInput } from '#shared/contract/define.ts'
import type { replyToMessage } from '#shared/contract/site.ts'
import type { ConversationStatus } from '#shared/conversations.ts'
import { AppError } from '#shared/errors.ts'
import { t } from '#shared/i18n/t.ts'
import { statusOf } from './activity.ts'
import { attach } from './attachments.ts'
import { addEntry, isFull } from './entries.ts'
import { contactRefusals } from './messages.ts'
import { type ContactRow, teamOf } from './queries.ts'

type Message = Pick<ContactRow, 'id' | 'user_id' | 'answered_at' | 'closed_at' | 'assigned_to'>

/**
 * Sends a reply and marks the message as answered: by email, and to an investor on the dashboard too. A message can have
 * several replies.
 * @throws AppError not_found; no_account; no_room; invalid_input
 */
export async function reply(
  tx: Tx,
  ctx: SignedInContext,
  id: string,
  { text, files }: ParsedInput<typeof replyToMessage>['body'],
): Promise<void> {
  const message = await lockMessage(tx, id)
  if (message.user_id === null && files.length > 0)
    throw contactRefusals.error({ reason: 'no_account' }, 'files')
  if (await isFull(tx, id)) throw contactRefusals.error({ reason: 'no_room' })
  const now = ctx.services.clock.now()
  const entry = await addEntry(tx, ctx, id, 'reply', text)
  const names = await attach(tx, ctx, files, { message_id: id, entry_id: entry })
  await setStatus(tx, ctx, message, 'answered', { replied_at: now })
  if (message.user_id === null) await queueNotice(tx, 'contact.replied', entry)
  else await notifyReplied(tx, { id: entry, user_id: message.user_id }, now)
  await audit(tx, ctx, {
    action: 'message.replied',
    subject: { kind: 'message', id },
    moved: [statusOf(message), 'answered'],
    details: { reply: entry, files: names },
  })
}

/**
 * Marks a message as answered in another way, such as by phone.
 * @throws AppError not_found; already_answered
 */
export async function markAnswered(tx: Tx, ctx: SignedInContext, id: string, note: string): Promise<void> {
  const message = await lockMessage(tx, id)
  if (message.answered_at) throw contactRefusals.error({ reason: 'already_answered' })
  await addEntry(tx, ctx, id, 'note', note)
  await setStatus(tx, ctx, message, 'answered')
  await auditMessage(tx, ctx, 'message.answered', message, 'answered', note)
}

/** @throws AppError not_found; already_open */
export async function reopen(tx: Tx, ctx: SignedInContext, id: string, reason: string): Promise<void> {
  const message = await lockMessage(tx, id)
  if (statusOf(message) === 'open') throw contactRefusals.error({ reason: 'already_open' })
  await addEntry(tx, ctx, id, 'reopened', reason)
  await setStatus(tx, ctx, message, 'open')
  await auditMessage(tx, ctx, 'message.reopened', message, 'open', reason)
}

/** @throws AppError not_found; already_closed */
export async function close(tx: Tx, ctx: SignedInContext, id: string, reason: string): Promise<void> {
  const message = await lockMessage(tx, id)
  if (message.closed_at) throw contactRefusals.error({ reason: 'already_closed' })
  await addEntry(tx, ctx, id, 'closed', reason)
  await setStatus(tx, ctx, message, 'closed')
  await auditMessage(tx, ctx, 'message.closed', message, 'closed', reason)
}

/**
 * Adds a note for staff. The audit log records the note's id, not its text.
 * @throws AppError not_found
 */
export async function comment(tx: Tx, ctx: SignedInContext, id: string, text: string): Promise<void> {
  await lockMessage(tx, id)
  const note = await addEntry(tx, ctx, id, 'comment', text)
  const subject = { kind: 'message', id }
  await audit(tx, ctx, { action: 'message.noted', subject, details: { note } })
}

/**
 * Assigns a message to a member of staff who may answer it, or to nobody.
 * @throws AppError not_found; cannot_answer
 */
export async function assign(tx: Tx, ctx: SignedInContext, id: string, to: string | null): Promise<void> {
  const message = await lockMessage(tx, id)
  const team = await teamOf(tx)
  if (to !== null && !team.some(({ _id }) => _id === to)) {
    throw contactRefusals.error({ reason: 'cannot_answer' }, 'to')
  }
  await tx.updateTable('app.contact_messages').set({ assigned_to: to }).where('id', '=', id).execute()
  await audit(tx, ctx, {
    action: 'message.assigned',
    subject: { kind: 'message', id },
    details: { before: { assigned: message.assigned_to }, after: { assigned: to } },
  })
}

async function lockMessage(tx: Tx, id: string): Promise<Message> {
  const message = await tx
    .selectFrom('app.contact_messages')
    .select(['id', 'user_id', 'answered_at', 'closed_at', 'assigned_to'])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  if (!message) throw new AppError('not_found', t('Message not found'))
  return message
}

async function setStatus(
  tx: Tx,
  { caller, services }: SignedInContext,
  { id }: Message,
  status: ConversationStatus,
  also: { replied_at?: Date } = {},
): Promise<void> {
  const now = services.clock.now()
  await tx
    .updateTable('app.contact_messages')
    .set({
      ...(status === 'open' ? { answered_at: null, answered_by: null } : {}),
      ...(status === 'answered' ? { answered_at: now, answered_by: caller.userId } : {}),
      closed_at: status === 'closed' ? now : null,
      ...also,
    })
    .where('id', '=', id)
    .execute()
}

async function auditMessage(
  tx: Tx,
  ctx: SignedInContext,
  action: AuditAction,
  message: Message,
  status: ConversationStatus,
  reason?: string,
): Promise<void> {
  await audit(tx, ctx, {
    action,
    subject: { kind: 'message', id: message.id },
    ...(reason && { reason }),
    moved: [statusOf(message), status],
  })
}
